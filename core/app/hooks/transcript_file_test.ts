import assert from "node:assert/strict";
import { emptySession } from "../../session/mod.ts";
import { tempDir } from "../../../tests/support/temp_dir.ts";
import { capReply } from "./cap_reply.ts";
import { TranscriptFile } from "./transcript_file.ts";

Deno.test("the transcript grows with the conversation, in lines that other agents' hooks read", async () => {
  await using dir = await tempDir();
  const file = new TranscriptFile(dir.join("private"));
  const state = { ...emptySession(), session_id: "s", cwd: "/w", model: "m" };
  state.messages.push({ role: "user", content: [{ type: "text", text: "hello" }] });
  state.origins.push(3);
  await file.update(state, 0);
  state.messages.push({
    role: "assistant",
    content: [{ type: "tool_use", call_id: "c", wire_id: "w", name: "Bash", input: { command: "ls" } }],
  }, { role: "user", content: [{ type: "tool_result", call_id: "c", content: "a", is_error: false }] });
  state.origins.push(5, 9);
  await file.update(state, 0);
  await file.update(state, 0);
  const lines = (await Deno.readTextFile(file.path)).trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(lines.map(({ type, parentUuid, uuid }) => [type, parentUuid, uuid]), [
    ["user", null, "s-3"],
    ["assistant", "s-3", "s-5"],
    ["user", "s-5", "s-9"],
  ]);
  assert.deepEqual(lines[1].message.content, [{
    type: "tool_use",
    id: "c",
    name: "Bash",
    input: { command: "ls" },
  }]);
  assert.deepEqual(lines[2].message.content[0].tool_use_id, "c");
  if (Deno.build.os !== "windows") assert.equal((await Deno.stat(file.path)).mode! & 0o777, 0o600);
  await file.remove();
  await file.remove();
  await assert.rejects(Deno.stat(file.path));
});

Deno.test("capReply() keeps texts within 10,000 characters and leaves inputs and outputs of tools whole", async () => {
  const long = "x".repeat(20_000);
  const kept: string[] = [];
  const reply = await capReply({
    kind: "json",
    value: { reason: long, hookSpecificOutput: { additionalContext: long, updatedInput: { reason: long } } },
  }, (text) => {
    kept.push(text);
    return Promise.resolve("all of them: F");
  });
  assert.equal(kept.length, 2);
  const value = reply.kind === "json" ? reply.value : {};
  const text = String(value["reason"]);
  assert.equal(text.length, 10_000);
  assert.ok(text.endsWith("[… cut from 20000 characters; all of them: F]"));
  const specific = value["hookSpecificOutput"] as { updatedInput: { reason: string } };
  assert.equal(specific.updatedInput.reason, long);
});
