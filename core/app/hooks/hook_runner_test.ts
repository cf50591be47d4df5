import assert from "node:assert/strict";
import { systemWorld } from "../../base/mod.ts";
import type { HookHandler } from "../../extension/mod.ts";
import type { HookInput, HookMoment, HookReply, JsonObject } from "../../types/mod.ts";
import { HookRunner } from "./hook_runner.ts";
import type { HookNote } from "./hook_runner.ts";
import { listSource } from "./session_hooks.ts";

type Run = HookHandler["run"];

function handler(event: HookHandler["event"], run: Run, more: Partial<HookHandler> = {}): HookHandler {
  return { name: "h", source: "user", event, key: crypto.randomUUID(), timeout_ms: 5_000, run, ...more };
}

const says = (reply: HookReply): Run => () => Promise.resolve(reply);

function runnerOf(...handlers: HookHandler[]) {
  const notes: HookNote[] = [];
  const told: string[] = [];
  const runner = new HookRunner({
    sources: [listSource(handlers)],
    world: systemWorld,
    facts: () => ({ session_id: "s", transcript_path: "/t", cwd: "/w" }),
    prepare: () => Promise.resolve(),
    fits: (condition) => Promise.resolve(condition === "yes"),
    cap: (reply) => Promise.resolve(reply),
    record: (note) => {
      notes.push(note);
      return Promise.resolve();
    },
    tell: (text) => void told.push(text),
  });
  return { runner, notes, told };
}

const never = new AbortController().signal;
const moment = (event: HookMoment["event"], ...subject: string[]): HookMoment => ({
  event,
  subject,
  fields: { marker: 1 },
});

Deno.test("events of sub-agents and of compaction are matched and folded: PreCompact, SubagentStart, SubagentStop", async () => {
  const seen: HookInput[] = [];
  const see = (reply: HookReply): Run => (input) => {
    seen.push(input);
    return Promise.resolve(reply);
  };
  const { runner } = runnerOf(
    handler("PreCompact", see({ kind: "block", reason: "not now" }), { matcher: "auto" }),
    handler("PreCompact", see({ kind: "none" }), { matcher: "manual" }),
    handler("SubagentStart", see({ kind: "json", value: { systemMessage: "begins" } }), {
      matcher: "Explore",
    }),
    handler("SubagentStop", see({ kind: "json", value: { decision: "block", reason: "go on" } })),
  );
  assert.equal((await runner.run(moment("PreCompact", "auto"), never)).block?.reason, "not now");
  assert.equal((await runner.run(moment("SubagentStart", "Plan"), never)).messages.length, 0);
  assert.deepEqual((await runner.run(moment("SubagentStart", "Explore"), never)).messages, ["h: begins"]);
  assert.equal((await runner.run(moment("SubagentStop", "Plan"), never)).block?.reason, "go on");
  assert.deepEqual(seen[0], {
    session_id: "s",
    transcript_path: "/t",
    cwd: "/w",
    hook_event_name: "PreCompact",
    marker: 1,
  });
  assert.equal(seen.length, 3);
});

Deno.test("all hooks run side by side, the same one once, and one whose condition does not fit not at all", async () => {
  let running = 0;
  const both = Promise.withResolvers<HookReply>();
  const waits: Run = () => {
    if (++running === 2) both.resolve({ kind: "none" });
    return both.promise;
  };
  const { runner } = runnerOf(
    handler("Stop", waits, { key: "a" }),
    handler("Stop", waits, { key: "a" }),
    handler("Stop", waits, { condition: "yes" }),
    handler("Stop", waits, { condition: "no" }),
  );
  await runner.run(moment("Stop"), never);
  assert.equal(running, 2);
});

Deno.test("a hook that hangs is named after its time, even one that does not listen, and decides nothing", async () => {
  const { runner, notes, told } = runnerOf(
    handler("PreToolUse", () => new Promise(() => {}), { timeout_ms: 5, name: "deaf" }),
    handler("PreToolUse", says({ kind: "block", reason: "no" }), { name: "guard" }),
  );
  const outcome = await runner.run(moment("PreToolUse", "Bash"), never);
  assert.deepEqual(outcome.permission, { behavior: "deny", reason: "no", hook: "guard" });
  assert.deepEqual(told, ["Hook deaf: did not end within 0.005 s and was ended"]);
  assert.deepEqual(notes.map(({ hook, outcome }) => [hook, outcome]).sort(), [["deaf", "failed"], [
    "guard",
    "deny",
  ]]);
});

Deno.test("an abort ends hooks and is thrown; an exception is a problem with the hook's name", async () => {
  const abort = new AbortController();
  const started = Promise.withResolvers<void>();
  const { runner } = runnerOf(handler("Stop", (_, signal) => {
    started.resolve();
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  }));
  const running = runner.run(moment("Stop"), abort.signal);
  await started.promise;
  const reason = new Error("interrupted");
  abort.abort(reason);
  await assert.rejects(running, (error) => error === reason);
  const broken = runnerOf(handler("Stop", () => Promise.reject(new Error("oops"))));
  const { problems } = await broken.runner.run(moment("Stop"), never);
  assert.deepEqual(problems, ["h: oops"]);
});

Deno.test("what runs beside the work decides nothing, and its context comes with a later moment", async () => {
  const value = { decision: "block", reason: "no", hookSpecificOutput: { additionalContext: "late" } };
  const { runner, notes } = runnerOf(
    handler("PreToolUse", says({ kind: "json", value }), { background: true }),
    handler("Notification", says({ kind: "json", value: { systemMessage: "seen" } })),
  );
  assert.equal((await runner.run(moment("PreToolUse", "Bash"), never)).permission, undefined);
  runner.beside(moment("Notification", "permission_prompt"));
  await runner.close();
  assert.deepEqual((await runner.run(moment("UserPromptSubmit"), never)).context, ["late"]);
  assert.deepEqual((await runner.run(moment("UserPromptSubmit"), never)).context, []);
  assert.deepEqual(notes, []);
});

Deno.test("a guard sees what another hook has made of a call, and its no counts; whoever wrote it is not asked again", async () => {
  const asked: string[] = [];
  const specific = (more: JsonObject): HookReply => ({
    kind: "json",
    value: { hookSpecificOutput: { hookEventName: "PreToolUse", ...more } },
  });
  const commandOf = (input: HookInput) => (input["tool_input"] as { command: string }).command;
  const guard = handler("PreToolUse", (input) => {
    asked.push(`guard ${commandOf(input)}`);
    const evil = commandOf(input).startsWith("evil");
    return Promise.resolve(specific(evil ? { permissionDecision: "deny" } : { permissionDecision: "allow" }));
  });
  const rewriter = handler("PreToolUse", (input) => {
    asked.push(`rewriter ${commandOf(input)}`);
    return Promise.resolve(specific({ updatedInput: { command: `evil ${commandOf(input)}` } }));
  }, { source: "repo" });
  const call = { event: "PreToolUse" as const, subject: ["Bash"], fields: { tool_input: { command: "ls" } } };
  for (const order of [[guard, rewriter], [rewriter, guard]]) {
    asked.length = 0;
    const { permission } = await runnerOf(...order).runner.run(call, never);
    assert.equal(permission?.behavior, "deny");
    assert.deepEqual(asked.toSorted(), ["guard evil ls", "guard ls", "rewriter ls"]);
  }
  const { permission, updated_input } = await runnerOf(rewriter).runner.run(call, never);
  assert.deepEqual([permission, updated_input], [undefined, { command: "evil ls" }]);
});
