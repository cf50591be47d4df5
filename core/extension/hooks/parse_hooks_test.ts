import assert from "node:assert/strict";
import { parseHooks } from "./parse_hooks.ts";

Deno.test("a published file is read whole, with the default limits of its events", () => {
  const { hooks, problems } = parseHooks({
    PreToolUse: [{
      matcher: "Bash",
      hooks: [
        { type: "command", command: "./check.sh", timeout: 5, if: "Bash(git *)", statusMessage: "checking" },
        { type: "command", command: "node", args: ["x.js"], async: true },
      ],
    }],
    UserPromptSubmit: [{ hooks: [{ type: "command", command: "date" }] }],
    Stop: [{
      matcher: "",
      hooks: [{
        type: "http",
        url: "http://localhost:1/x",
        headers: { A: "$B" },
        allowedEnvVars: ["B"],
      }],
    }],
  });
  assert.deepEqual(problems, []);
  assert.deepEqual(hooks.map(({ event, timeout_ms, background }) => [event, timeout_ms, background]), [
    ["PreToolUse", 5_000, false],
    ["PreToolUse", 600_000, true],
    ["UserPromptSubmit", 30_000, false],
    ["Stop", 600_000, false],
  ]);
  assert.equal(hooks[0]?.condition, "Bash(git *)");
  assert.deepEqual(hooks[1]?.path, ["PreToolUse", 0, "hooks", 1]);
  assert.equal(hooks[3]?.matcher, undefined);
});

Deno.test("what is wrong is named with its place and left out alone", () => {
  const { hooks, problems } = parseHooks({
    PreToolUs: [],
    PreToolUse: [
      7,
      { matcher: "(", hooks: [{ type: "command", command: "a" }] },
      {
        hooks: [
          { type: "command" },
          { type: "prompt", prompt: "x" },
          { type: "mcp_tool" },
          { type: "http", url: "ftp://x" },
          { type: "command", command: "ps", shell: "powershell" },
          { type: "command", command: "good", timeout: -1, retries: 3, if: "(" },
        ],
      },
    ],
    Stop: [{ hooks: [{ type: "command", command: "never", if: "Bash" }] }],
    CwdChanged: [{ hooks: [{ type: "command", command: "later" }] }],
    FileChanged: [{ hooks: [{ type: "command", command: "never" }] }],
  });
  assert.deepEqual(hooks.map(({ event }) => event), ["PreToolUse", "CwdChanged", "FileChanged"]);
  assert.equal(hooks[0]?.timeout_ms, 600_000);
  assert.equal(hooks[0]?.condition, undefined, "it runs at every call rather than at none");
  const told = problems.map(({ path, text }) => `${path.join(".")}: ${text}`);
  const expected = [
    /^PreToolUs: there is no event "PreToolUs"; did you mean PreToolUse\?$/,
    /^PreToolUse\.0: must be \{matcher/,
    /^PreToolUse\.1\.matcher: the matcher "\(" is no regular expression/,
    /^PreToolUse\.2\.hooks\.0: a hook of type command needs a command/,
    /^PreToolUse\.2\.hooks\.1\.type: type "prompt" is not supported by this version; the hook is not run$/,
    /^PreToolUse\.2\.hooks\.2\.type: type "mcp_tool" is not supported/,
    /^PreToolUse\.2\.hooks\.3: url must be an http or https address/,
    /^PreToolUse\.2\.hooks\.4\.shell: shell "powershell" is not supported/,
    /^PreToolUse\.2\.hooks\.5\.retries: unknown key "retries" is ignored$/,
    /^PreToolUse\.2\.hooks\.5\.if: .*the hook runs at every call$/,
    /^PreToolUse\.2\.hooks\.5\.timeout: timeout must be a number of seconds/,
    /^Stop\.0\.hooks\.0\.if: "if" goes with events about a tool/,
    /^CwdChanged: CwdChanged is not fired by this version$/,
    /^FileChanged: FileChanged is not fired by this version$/,
  ];
  for (const pattern of expected) {
    assert.ok(told.some((line) => pattern.test(line)), `${pattern}\n${told.join("\n")}`);
  }
  for (const value of [null, 3, "x", []]) assert.equal(parseHooks(value).problems.length, 1);
});
