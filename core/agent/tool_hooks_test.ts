import assert from "node:assert/strict";
import type { ToolManifest } from "../plugin_api/mod.ts";
import { emptySession } from "../session/mod.ts";
import type { Session } from "../session/mod.ts";
import type { HookEvent, HookMoment, HookOutcome, JsonObject, ToolUseBlock, Verdict } from "../types/mod.ts";
import type { HookPort } from "./ports.ts";
import { settlePermission } from "./settle_permission.ts";
import { afterTool } from "./tool_hooks.ts";

const TOOL: ToolManifest = {
  name: "Edit",
  aliases: ["edit_file"],
  parallel: false,
  description: "",
  input_schema: {},
  effect: "write",
  subject: { kind: "path", param: "path" },
  capabilities: [],
  programs: [],
  repeat: "mark",
  timeout_ms: 1000,
};
const BLOCK: ToolUseBlock = {
  type: "tool_use",
  call_id: "c",
  wire_id: "c",
  name: "Edit",
  input: { path: "a" },
};
const session = { state: { ...emptySession(), cwd: "/w" } } as unknown as Session;

function verdict(behavior: Verdict["behavior"], more: Partial<Verdict> = {}): Verdict {
  const alone = behavior === "ask" ? { mode_alone: true as const } : {};
  return { behavior, reason: "why", source: "mode", paths: [], suggestions: [], ...alone, ...more };
}

function hooksOf(said: Partial<Record<HookEvent, Partial<HookOutcome>>>): HookPort & { seen: HookMoment[] } {
  const seen: HookMoment[] = [];
  return {
    seen,
    waits: (event) => said[event] !== undefined,
    run: (moment) => {
      seen.push(moment);
      return Promise.resolve({ context: [], messages: [], problems: [], ...said[moment.event] });
    },
  };
}

async function settle(
  verdicts: Verdict[],
  said: Partial<Record<HookEvent, Partial<HookOutcome>>>,
  answer: "allow" | "deny" = "deny",
) {
  const hooks = hooksOf(said);
  let asked = 0;
  const settled = await settlePermission(
    {
      session,
      tools: { check: (_, input) => typeof input["path"] === "string" ? [] : ["path must be a text"] },
      gate: { judge: () => Promise.resolve((verdicts.length > 1 ? verdicts.shift() : verdicts[0])!) },
      asker: { ask: () => (asked++, Promise.resolve({ behavior: answer, by: "user" as const })) },
      hooks,
    },
    TOOL,
    BLOCK,
    { path: "a" },
    AbortSignal.timeout(5000),
  );
  return { settled, hooks, asked };
}

const permission = (behavior: "allow" | "ask" | "deny") => ({ behavior, reason: "since", hook: "h" });

Deno.test("a hook's yes answers the mode's question, and none that anything else asks", async () => {
  for (const event of ["PreToolUse", "PermissionRequest"] as const) {
    const said = { [event]: { permission: permission("allow") } };
    const yes = await settle([verdict("ask")], said);
    assert.ok(yes.settled.kind === "run", event);
    assert.deepEqual([yes.settled.decided.by, yes.settled.decided.hook, yes.asked], ["hook", "h", 0]);
    const { mode_alone: _, ...mixed } = verdict("ask");
    const others: Verdict[] = [
      mixed,
      ...(["rule", "danger", "path", "parse", "recovery", "changed"] as const).map((source) =>
        verdict("ask", { source })
      ),
    ];
    for (const other of others) {
      const { settled, asked } = await settle([other], said);
      assert.deepEqual([settled.kind, asked], ["deny", 1], `${event} ${other.source}`);
    }
    const denied = await settle([verdict("deny", { source: "rule" })], said);
    assert.ok(denied.settled.kind === "deny");
    assert.equal(denied.settled.decided.by, "policy");
  }
});

Deno.test("a hook's no and its question hold whatever the policy allows", async () => {
  const no = await settle([verdict("allow")], { PreToolUse: { permission: permission("deny") } });
  assert.ok(no.settled.kind === "deny");
  assert.deepEqual([no.settled.decided.by, no.settled.reason], ["hook", "since"]);
  const ask = await settle([verdict("allow")], { PreToolUse: { permission: permission("ask") } }, "allow");
  assert.deepEqual([ask.settled.kind, ask.asked], ["run", 1]);
  const ended = await settle([verdict("allow")], { PreToolUse: { stop: { reason: "over", hook: "h" } } });
  assert.ok(ended.settled.kind === "deny");
  assert.equal(ended.settled.ended?.reason, "over");
});

Deno.test("a hook's question is for a person: no other hook answers it, and a kept answer is not asked about again", async () => {
  const said = {
    PreToolUse: { permission: permission("ask") },
    PermissionRequest: { permission: permission("allow") },
  };
  const asked = await settle([verdict("ask")], said);
  assert.deepEqual([asked.settled.kind, asked.asked], ["deny", 1]);
  // the mode asked, the answer kept a rule that allows, and the hook would ask still
  const kept = await settle([verdict("ask"), verdict("allow", { source: "rule" })], {
    PreToolUse: said.PreToolUse,
  }, "allow");
  assert.deepEqual([kept.settled.kind, kept.asked], ["run", 1]);
});

Deno.test("what a hook changes is checked and judged like any other call", async () => {
  const updated_input: JsonObject = { path: "b" };
  const allow = { permission: permission("allow"), updated_input };
  const run = await settle([verdict("ask")], { PreToolUse: allow });
  assert.ok(run.settled.kind === "run");
  assert.deepEqual(run.settled.input, { path: "b" });
  const denied = await settle([verdict("deny", { source: "rule" })], { PreToolUse: allow });
  assert.equal(denied.settled.kind, "deny");
  const closed = await settle([verdict("ask"), verdict("deny", { source: "rule" })], {
    PermissionRequest: allow,
  });
  assert.equal(closed.settled.kind, "deny");
  const invalid = await settle([verdict("ask")], { PreToolUse: { ...allow, updated_input: { path: 7 } } });
  assert.equal(invalid.settled.kind, "invalid");
});

Deno.test("hooks that guard look at what an answer or another hook makes of the call", async () => {
  const asker = {
    ask: () =>
      Promise.resolve({ behavior: "allow" as const, by: "user" as const, updated_input: { path: "b" } }),
  };
  const answering = (event: HookEvent): Partial<HookOutcome> =>
    event === "PermissionRequest" ? { permission: permission("allow"), updated_input: { path: "b" } } : {};
  for (const events of [["PreToolUse"], ["PreToolUse", "PermissionRequest"]]) {
    const seen: unknown[] = [];
    const hooks: HookPort = {
      waits: (event) => events.includes(event),
      run: ({ event, fields }) => {
        const { path } = fields["tool_input"] as { path: string };
        if (event === "PreToolUse") seen.push(path);
        const no = event === "PreToolUse" && path === "/w/b"
          ? { permission: permission("deny") }
          : answering(event);
        return Promise.resolve({ context: [], messages: [], problems: [], ...no });
      },
    };
    const gate = { judge: () => Promise.resolve(verdict("ask")) };
    const deps = { session, tools: { check: () => [] }, gate, asker, hooks };
    const settled = await settlePermission(deps, TOOL, BLOCK, { path: "a" }, AbortSignal.timeout(5000));
    assert.ok(settled.kind === "deny");
    assert.deepEqual([settled.decided.by, seen], ["hook", ["/w/a", "/w/b"]]);
  }
});

Deno.test("a call that has changed while a hook looked at it is asked about, not answered by that hook", async () => {
  const before = verdict("ask", { paths: [{ given: "a", resolved: "/w/a", access: "write" }] });
  const after = verdict("ask", { paths: [{ given: "a", resolved: "/elsewhere", access: "write" }] });
  const said = { PermissionRequest: { permission: permission("allow") } };
  const { settled, asked } = await settle([before, after], said);
  assert.deepEqual([settled.kind, asked], ["deny", 1]);
});

Deno.test("hooks see names, aliases and absolute paths; what they add or replace is what the model reads", async () => {
  const hooks = hooksOf({
    PostToolUse: { context: ["look"], updated_output: { stdout: "new", stderr: "" } },
  });
  const call = { tool: TOOL, block: BLOCK, input: { path: "a/../b" } };
  const { outcome } = await afterTool(
    { hooks, session },
    call,
    { content: "old", data: { secret: "old" } },
    AbortSignal.timeout(5000),
  );
  assert.deepEqual(outcome, { content: "new\n\n<hook_context>\nlook\n</hook_context>" });
  assert.deepEqual(hooks.seen[0]?.subject, ["Edit", "edit_file"]);
  assert.deepEqual(hooks.seen[0]?.fields["tool_input"], { path: "/w/b" });
});
