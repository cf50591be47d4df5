import assert from "node:assert/strict";
import { readExit } from "./read_output.ts";

const exit = (code: number | null, stdout = "", stderr = "", overflow = false) =>
  readExit({ code, stdout, stderr, overflow });

Deno.test("exit 0 is JSON where the first character is {, else text; 2 blocks, whatever was printed", () => {
  assert.deepEqual(exit(0), { kind: "none" });
  assert.deepEqual(exit(0, "  hello\n"), { kind: "text", text: "hello" });
  assert.deepEqual(exit(0, ' {"a":1}\n'), { kind: "json", value: { a: 1 } });
  assert.deepEqual(exit(0, "[1]"), { kind: "text", text: "[1]" });
  const allow = '{"hookSpecificOutput":{"permissionDecision":"allow"}}';
  assert.deepEqual(exit(2, allow, "no\n"), { kind: "block", reason: "no" });
  assert.equal(exit(2, allow, "", true).kind, "block", "also with more output than is kept");
});

Deno.test("half JSON, too much output and other exit codes are errors that decide nothing", () => {
  assert.match(JSON.stringify(exit(0, '{"a":')), /"error".*begins like JSON and is none/);
  assert.match(JSON.stringify(exit(0, "{".repeat(10), "", true)), /more than 1 MiB/);
  assert.deepEqual(exit(1, "{}", "bad\nthing"), {
    kind: "error",
    message: "ended with exit code 1: bad; thing",
  });
  assert.deepEqual(exit(null), { kind: "error", message: "was ended by a signal" });
});
