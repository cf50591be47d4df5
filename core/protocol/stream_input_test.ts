import assert from "node:assert/strict";
import { parseInputLine } from "./stream_input.ts";

Deno.test("parseInputLine() reads user messages, control lines and legal noise", () => {
  const user = (content: unknown, uuid?: string) =>
    parseInputLine(JSON.stringify({ type: "user", uuid, message: { role: "user", content } }));
  assert.deepEqual(user("hi"), { type: "user", text: "hi" });
  assert.deepEqual(user([{ type: "text", text: "a" }, { type: "text", text: "b" }], "u"), {
    type: "user",
    text: "a\nb",
    uuid: "u",
  });
  const request = { subtype: "interrupt" };
  assert.deepEqual(parseInputLine(JSON.stringify({ type: "control_request", request_id: "1", request })), {
    type: "control_request",
    request_id: "1",
    request,
  });
  const response = { subtype: "error", request_id: "1", error: "no" };
  assert.deepEqual(parseInputLine(JSON.stringify({ type: "control_response", response })), {
    type: "control_response",
    request_id: "1",
    ok: false,
    response: null,
    error: "no",
  });
  for (const type of ["keep_alive", "control_cancel_request"]) {
    assert.deepEqual(parseInputLine(JSON.stringify({ type })), { type: "noise" });
  }
});

function media(type: string, media_type: string, data: string): string {
  const content = [{ type, source: { type: "base64", media_type, data } }];
  return JSON.stringify({ type: "user", message: { role: "user", content } });
}

Deno.test("parseInputLine() reads images and documents of the public form", () => {
  assert.deepEqual(parseInputLine(media("image", "image/png", "AA==")), {
    type: "user",
    text: "",
    media: [{ type: "image", media_type: "image/png", data: "AA==" }],
  });
  assert.deepEqual(parseInputLine(media("document", "application/pdf", "AAAA")), {
    type: "user",
    text: "",
    media: [{ type: "document", media_type: "application/pdf", data: "AAAA" }],
  });
});

Deno.test("parseInputLine() says what is wrong with a line", () => {
  const cases: [string, RegExp][] = [
    ["not json", /^not JSON: /],
    ['"text"', /^not a JSON object$/],
    ["[]", /^not a JSON object$/],
    ["{}", /^unknown type null$/],
    ['{"type":"unheard"}', /^unknown type "unheard"$/],
    ['{"type":"user"}', /needs "message"/],
    ['{"type":"user","message":{"content":1}}', /"content" must be a text or a list/],
    ['{"type":"user","message":{"content":[{"type":"audio"}]}}', /blocks of type "audio"/],
    ['{"type":"user","message":{"content":[{"type":"image"}]}}', /block of type "image" needs "source"/],
    [media("image", "image/bmp", "AAAA"), /"media_type" of an image must be image\/png/],
    [media("document", "image/png", "AAAA"), /a document must be application\/pdf/],
    [media("image", "image/png", "AAA"), /is not base64/],
    [media("image", "image/png", "A".repeat(8_000_000)), /6000000 bytes; the most is 5000000/],
    ['{"type":"control_request","request_id":"1"}', /needs "request_id" and "request"/],
    ['{"type":"control_response","response":{}}', /needs "response"/],
  ];
  for (const [line, message] of cases) {
    assert.throws(() => parseInputLine(line), { name: "TypeError", message }, line);
  }
});
