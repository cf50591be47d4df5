import assert from "node:assert/strict";
import type { Json } from "../types/mod.ts";
import { readAnswer } from "./read_answer.ts";

const read = (response: Json, more: { ok?: boolean; error?: string } = {}) =>
  readAnswer({ type: "control_response", request_id: "r", ok: true, response, ...more });

const rules = (behavior: string) => ({
  type: "addRules",
  behavior,
  destination: "userSettings",
  rules: [{ toolName: "Bash" }],
});

Deno.test("only a plain yes is one, and a changed input that cannot be read makes it a no", () => {
  assert.equal(read({ behavior: "allow" }).behavior, "allow");
  assert.deepEqual(read({ behavior: "allow", updatedInput: { command: "ls" } }), {
    behavior: "allow",
    updates: [],
    problems: [],
    updated_input: { command: "ls" },
  });
  const forged: Json[] = [null, "allow", 1, [], {}, { behavior: true }, { behavior: "ALLOW" }, {
    behavior: ["allow"],
  }];
  for (const response of forged) assert.equal(read(response).behavior, "deny", JSON.stringify(response));
  for (const updatedInput of ["ls", [], 7, true]) {
    assert.equal(read({ behavior: "allow", updatedInput }).behavior, "deny", JSON.stringify(updatedInput));
  }
  assert.deepEqual(read({ behavior: "allow" }, { ok: false, error: "gone" }), {
    behavior: "deny",
    message: "gone",
  });
});

Deno.test("an answer that is no yes keeps nothing that allows", () => {
  const updatedPermissions = [
    rules("allow"),
    rules("deny"),
    { type: "setMode", mode: "bypassPermissions" },
    { type: "addDirectories", directories: ["/srv"], destination: "session" },
  ];
  const no = read({ behavior: "deny", message: "not this", interrupt: true, updatedPermissions });
  assert.deepEqual(no, {
    behavior: "deny",
    message: "not this",
    interrupt: true,
    updates: [{ list: "deny", rules: ["Bash"], keep: "user" }],
    problems: ["updatedPermissions: what a refusal would allow is not kept"],
  });
  assert.deepEqual(read({ behavior: "perhaps", updatedPermissions }), {
    behavior: "deny",
    message: "the client refused",
  });
  assert.equal(read({ behavior: "allow", updatedPermissions }).updates?.length, 4);
});
