import assert from "node:assert/strict";
import { appRootPaths } from "../../core/app_root/mod.ts";
import { AgentProject, payload, resultOf, toolResults } from "../support/agent_project.ts";
import type { Line } from "../support/agent_project.ts";

/** Keeps what a hook reads, one line each, in the workspace. */
const LOG = `read -r line; printf '%s\\n' "$line" >> "$CLAUDE_PROJECT_DIR/log.jsonl"`;

const EVENTS = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PermissionRequest",
  "PermissionDenied",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "Notification",
  "Stop",
  "StopFailure",
  "SessionEnd",
];

async function userSettings(project: AgentProject, settings: Line): Promise<void> {
  const file = appRootPaths(project.app_root).settingsFile;
  await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
  await Deno.writeTextFile(file, JSON.stringify(settings));
}

function command(text: string, more: Line = {}): Line {
  return { type: "command", command: text, ...more };
}

async function logged(project: AgentProject): Promise<Line[]> {
  const text = await Deno.readTextFile(project.dir.join("log.jsonl"));
  return text.trim().split("\n").map((line) => JSON.parse(line));
}

const bash = (command: string) => ({ name: "Bash", input: { command } });

Deno.test("every event is called with its fields, and what hooks print or export arrives", async () => {
  await using project = await AgentProject.open({
    turns: [
      {
        tool_calls: [
          bash('echo "it is $FROM_HOOK"'),
          { name: "Write", input: { file_path: "a.txt", content: "x" } },
          bash("cat absent.txt"),
          bash("npm publish"),
        ],
      },
      { text: "done" },
    ],
  });
  const hooks: Record<string, Line[]> = Object.fromEntries(
    EVENTS.map((event) => [event, [{ matcher: "*", hooks: [command(LOG), command(LOG)] }]]),
  );
  hooks["SessionStart"]?.push({
    matcher: "startup",
    hooks: [
      command(`echo 'export FROM_HOOK=here' >> "$CLAUDE_ENV_FILE"; echo context-of-start; env | sort >&2`),
    ],
  }, { matcher: "resume", hooks: [command("echo never >> never.txt")] });
  hooks["UserPromptSubmit"]?.push({
    hooks: [command(`cat "$(sed 's/.*transcript_path":"\\([^"]*\\).*/\\1/')" | wc -l; env > env.txt`)],
  });
  await userSettings(project, { hooks });
  const run = await project.run(
    ["-p", "hello", "--permission-prompt", "stdio", "--disallowed-tools", "Bash(npm *)"],
    { stdin: "y\n", env: { ANTHROPIC_API_KEY: "sk-canary", LUMINA_OWN: "x" } },
  );
  assert.equal(run.code, 0, run.stderr);
  const lines = await logged(project);
  const counts = Object.fromEntries(
    Object.entries(Object.groupBy(lines, (line) => line["hook_event_name"])).map((
      [event, all],
    ) => [event, all?.length]),
  );
  assert.deepEqual(counts, {
    SessionStart: 1,
    UserPromptSubmit: 1,
    PreToolUse: 4,
    PermissionRequest: 1,
    PermissionDenied: 1,
    PostToolUse: 2,
    PostToolUseFailure: 1,
    PostToolBatch: 1,
    Notification: 1,
    Stop: 1,
    SessionEnd: 1,
  });
  const of = (event: string) => lines.find((line) => line["hook_event_name"] === event) ?? {};
  for (const line of lines) {
    assert.equal(line["cwd"], project.dir.path);
    assert.match(line["session_id"], /^[0-9a-f-]{36}$/);
    assert.match(line["transcript_path"], /transcript\.jsonl$/);
  }
  assert.equal(of("SessionStart")["source"], "startup");
  assert.equal(of("UserPromptSubmit")["prompt"], "hello");
  assert.equal(of("PreToolUse")["permission_mode"], "default");
  const write = lines.find((line) => line["tool_name"] === "Write") ?? {};
  assert.deepEqual(write["tool_input"], { file_path: project.dir.join("a.txt"), content: "x" });
  assert.equal(of("Notification")["notification_type"], "permission_prompt");
  assert.deepEqual(of("PostToolUse")["tool_response"], {
    stdout: "it is here",
    stderr: "",
    interrupted: false,
    isImage: false,
  });
  assert.match(of("PostToolUseFailure")["error"], /absent\.txt/);
  assert.equal(of("PostToolBatch")["tool_calls"].length, 4);
  assert.deepEqual([of("Stop")["stop_hook_active"], of("Stop")["last_assistant_message"]], [false, "done"]);
  const request = JSON.stringify(project.provider.requests[0]?.body);
  assert.match(request, /context-of-start/);
  const env = await Deno.readTextFile(project.dir.join("env.txt"));
  assert.match(env, /^LUMINA_PROJECT_DIR=/m);
  assert.doesNotMatch(env, /sk-canary|sk-scripted|LUMINA_OWN|CLAUDE_ENV_FILE/);
  assert.equal(await Deno.stat(of("Stop")["transcript_path"]).catch(() => "gone"), "gone");
});

/** Says what the command of a call asks it to say. */
const DECIDER = `
import json, sys, os
call = json.load(sys.stdin)
command = call["tool_input"].get("command", "")
def say(**specific):
    print(json.dumps({"hookSpecificOutput": {"hookEventName": call["hook_event_name"], **specific}}))
word = command.split(" ")[-1]
if word == "exit2":
    print('{"hookSpecificOutput": {"permissionDecision": "allow"}}')
    print("not this one", file=sys.stderr)
    sys.exit(2)
if word == "deny": say(permissionDecision="deny", permissionDecisionReason="no such thing")
if word == "ask": say(permissionDecision="ask", permissionDecisionReason="better ask")
if word == "change": say(updatedInput={"command": "echo changed"})
if word == "invalid": say(updatedInput={"command": 7})
if word == "closed": say(permissionDecision="allow", updatedInput={"command": "rm -r closed"})
if word == "allow": say(permissionDecision="allow")
if word == "note": say(additionalContext="by the way")
if word == "half": print('{"hookSpecificOutput": ')
if word == "huge": sys.stdout.write("x" * 100_000_000)
if word == "long": say(additionalContext="z" * 30_000)
if word == "crash": raise SystemExit(7)
`;

Deno.test("decisions hold, what is broken is named and bounded, and nothing undoes a rule", async () => {
  const words = [
    "exit2",
    "deny",
    "ask",
    "change",
    "invalid",
    "closed",
    "note",
    "half",
    "huge",
    "long",
    "crash",
    "hang",
    "masked",
  ];
  await using project = await AgentProject.open({
    turns: [
      { tool_calls: [...words.map((word) => bash(`echo ${word}`)), bash("rm -r allow")] },
      { text: "done" },
    ],
  });
  await project.dir.write("decide.py", DECIDER);
  await project.dir.write(
    "mask.sh",
    `grep -q masked || exit 0\necho '{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":"[hidden]"}}'`,
  );
  await userSettings(project, {
    hooks: {
      PreToolUse: [{
        matcher: "Bash|Edit",
        hooks: [
          command("python3 decide.py"),
          command("sleep 4242.25 & sleep 4242.75", { timeout: 0.5, if: "Bash(echo hang*)" }),
          { type: "agent", prompt: "x" },
        ],
      }],
      PostToolUse: [{ matcher: "Bas.", hooks: [command("bash mask.sh")] }],
    },
  });
  const run = await project.stream("go", ["--yolo", "--disallowed-tools", "Bash(rm *)"], {
    settings: { MAX_CONSECUTIVE_DENIALS: "20" },
  });
  assert.equal(run.code, 0, run.stderr);
  const results = toolResults(run.lines).map(({ content }) => content);
  const of = (word: string) => results[words.indexOf(word)] ?? "";
  assert.equal(of("exit2"), "A hook refused this Bash call: not this one");
  assert.equal(of("deny"), "A hook refused this Bash call: no such thing");
  assert.match(of("ask"), /^Permission needed for Bash .*better ask/);
  assert.equal(of("change"), "changed");
  assert.match(of("invalid"), /^The input of Bash is not valid/);
  assert.match(of("closed"), /^Permission denied for Bash: .*rm/);
  assert.match(results.at(-1) ?? "", /^Permission denied for Bash/);
  assert.equal(of("note"), "note\n\n<hook_context>\nby the way\n</hook_context>");
  for (const word of ["half", "huge", "crash", "hang"]) assert.equal(of(word), word);
  const kept = /all of them: (\S+hook-\S+\.txt)\]/.exec(of("long"))?.[1] ?? "";
  assert.ok(of("long").length < 10_200);
  assert.equal(await Deno.readTextFile(kept), "z".repeat(30_000));
  assert.equal(of("masked"), "[hidden]");
  for (
    const pattern of [
      /settings\.json:1: type "agent" is not supported by this version; the hook is not run/,
      /python3 decide\.py: printed what begins like JSON and is none/,
      /python3 decide\.py: printed more than 1 MiB/,
      /python3 decide\.py: ended with exit code 7/,
      /sleep 4242\.75: did not end within 0\.5 s and was ended/,
    ]
  ) assert.match(run.stderr + JSON.stringify(run.lines), pattern);
  const left = await new Deno.Command("pgrep", { args: ["-f", "^sleep 4242"] }).output();
  assert.equal(new TextDecoder().decode(left.stdout), "", "nothing of a hook that was ended runs on");
  const events = await project.journal(run.session_id);
  const decided = events.filter(({ type }) => type === "permission.decided").map(payload);
  assert.deepEqual(
    decided.filter(({ by }) => by === "hook").map(({ behavior, source }) => [behavior, source]),
    [["deny", "hook"], ["deny", "hook"]],
  );
  assert.match(decided.find(({ by }) => by === "hook")?.["hook"], /settings\.json: python3 decide\.py$/);
  const outcomes = events.filter(({ type }) => type === "warning.hook").map((event) =>
    payload(event)["outcome"]
  );
  assert.deepEqual(
    [...new Set(outcomes)].sort(),
    ["allow", "ask", "changed", "deny", "failed"],
  );
});

Deno.test("allow answers what the mode would ask and nothing else; a prompt is blocked; Stop goes on, bounded", async () => {
  await using project = await AgentProject.open({
    turns: [
      {
        tool_calls: [
          { name: "Write", input: { file_path: "open.txt", content: "x" } },
          { name: "Write", input: { file_path: "asked.txt", content: "x" } },
        ],
      },
      { text: "first" },
      { text: "second" },
      { tool_calls: [bash("echo enough")] },
      ...Array.from({ length: 10 }, (_, index) => ({ text: `answer ${index}` })),
    ],
  });
  const stop = `read -r line
case "$line" in
  *'"stop_hook_active":false'*) echo "say more" >&2; exit 2 ;;
  *"answer"*) echo "never enough" >&2; exit 2 ;;
esac`;
  await userSettings(project, {
    permissions: { ask: ["Edit(asked.txt)"] },
    hooks: {
      PermissionRequest: [{
        matcher: "Write",
        hooks: [
          command(
            `echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}'`,
          ),
        ],
      }],
      UserPromptSubmit: [{
        hooks: [command(`if grep -q secret; then echo "not with secrets" >&2; exit 2; fi`)],
      }],
      PostToolUse: [{
        matcher: "Bash",
        hooks: [command(`echo '{"continue":false,"stopReason":"that is enough","systemMessage":"told"}'`)],
      }],
      Stop: [{ hooks: [command(stop)] }],
    },
  });
  const run = await project.converse(["a secret", "work", "stop", "on"]);
  assert.equal(run.prompts.length, 4, run.stderr);
  const [blocked, worked, stopped, bounded] = run.prompts.map((lines) => resultOf(lines));
  assert.equal(blocked?.["is_error"], true);
  assert.match(JSON.stringify(blocked), /A hook blocked the prompt: not with secrets/);
  assert.doesNotMatch(JSON.stringify(project.provider.requests), /a secret/);
  const [open, asked] = toolResults(run.prompts[1] ?? []);
  assert.equal(open?.is_error, false, open?.content);
  assert.match(asked?.content ?? "", /^Permission needed for Write/);
  assert.equal(worked?.["result"], "second");
  assert.match(JSON.stringify(run.prompts[1]), /A hook does not let you stop yet: say more/);
  assert.match(JSON.stringify(stopped), /A hook ended the run: that is enough/);
  assert.equal(bounded?.["result"], "answer 8");
  assert.match(run.stderr + JSON.stringify(run.lines), /Hooks have kept this run going 8 times/);
  const decided = (await project.journal(run.session_id)).filter(({ type }) => type === "permission.decided")
    .map((event) => payload(event));
  assert.deepEqual(decided.slice(0, 2).map(({ behavior, by }) => [behavior, by]), [
    ["allow", "hook"],
    ["deny", "headless"],
  ]);
});

Deno.test("hooks: disable_all_hooks, --bare and a locked run call none; StopFailure tells of the model's failure", async () => {
  await using project = await AgentProject.open({
    turns: [{ text: "one" }, { text: "two" }, { text: "three" }, { fault: { http: "bad_request" } }],
  });
  const hooks = Object.fromEntries(EVENTS.map((event) => [event, [{ hooks: [command(LOG)] }]]));
  await userSettings(project, { hooks });
  assert.equal(
    (await project.run(["-p", "x"], { settings: { DISABLE_ALL_HOOKS: "1" } })).code,
    0,
    "disable_all_hooks",
  );
  assert.equal((await project.run(["-p", "x", "--bare"])).code, 0);
  const locked = await project.run(["-p", "x", "--lockdown", "read-only"]);
  assert.match(locked.stderr, /hooks/);
  assert.equal(await Deno.stat(project.dir.join("log.jsonl")).catch(() => "none"), "none");
  const failed = await project.run(["-p", "x"]);
  assert.equal(failed.code, 1);
  const line = (await logged(project)).find((line) => line["hook_event_name"] === "StopFailure");
  assert.equal(typeof line?.["error_details"], "string");
});
