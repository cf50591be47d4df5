import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { HOOK_EVENTS } from "../../types/mod.ts";
import type { Behavior, HookEvent, HookReply, JsonObject } from "../../types/mod.ts";
import { foldReplies } from "./fold_replies.ts";
import type { NamedReply } from "./fold_replies.ts";

const RANK: Record<Behavior | "none", number> = { none: 0, allow: 0, ask: 1, deny: 2 };

const words = fc.string({ maxLength: 8 });
const specific = fc.record({
  hookEventName: fc.constantFrom(...HOOK_EVENTS, 7),
  permissionDecision: fc.constantFrom("allow", "deny", "ask", "defer", "perhaps", null, 3),
  permissionDecisionReason: fc.oneof(words, fc.constant(4)),
  additionalContext: words,
  updatedInput: fc.oneof(fc.dictionary(words, words), fc.constant("no")),
  updatedToolOutput: words,
  decision: fc.oneof(fc.record({ behavior: fc.constantFrom("allow", "deny", "ask", 1) }), fc.constant(null)),
}, { requiredKeys: [] });
const json = fc.record({
  continue: fc.boolean(),
  stopReason: words,
  systemMessage: fc.oneof(words, fc.constant(1)),
  decision: fc.constantFrom("block", "approve", "deny", "allow", "maybe", null),
  reason: words,
  hookSpecificOutput: fc.oneof(specific, fc.constant("text")),
}, { requiredKeys: [] });
const reply: fc.Arbitrary<HookReply> = fc.oneof(
  json.map((value) => ({ kind: "json" as const, value: value as JsonObject })),
  words.map((text) => ({ kind: "text" as const, text })),
  fc.constant({ kind: "none" as const }),
  words.map((reason) => ({ kind: "block" as const, reason })),
  words.map((message) => ({ kind: "error" as const, message })),
);
const named: fc.Arbitrary<NamedReply> = fc.record({
  name: words,
  source: fc.constantFrom("managed", "user", "repo", "pack"),
  reply,
});
const event: fc.Arbitrary<HookEvent> = fc.constantFrom(...HOOK_EVENTS);

function strictness(event: HookEvent, replies: NamedReply[]): number {
  return RANK[foldReplies(event, replies).permission?.behavior ?? "none"];
}

Deno.test("whatever another hook says, the outcome never becomes looser, and a refusal stays", () => {
  fc.assert(
    fc.property(event, fc.array(named, { maxLength: 6 }), named, (event, replies, more) => {
      const before = foldReplies(event, replies);
      const after = foldReplies(event, [...replies, more]);
      assert.ok(strictness(event, [...replies, more]) >= strictness(event, replies));
      if (before.permission?.behavior === "deny") assert.deepEqual(after.permission, before.permission);
      if (before.block !== undefined) assert.deepEqual(after.block, before.block);
      if (before.stop !== undefined) assert.deepEqual(after.stop, before.stop);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("the order of hooks does not change how strict they are", () => {
  fc.assert(
    fc.property(event, fc.array(named, { maxLength: 6 }), (event, replies) => {
      const turned = [...replies].reverse();
      const [one, two] = [foldReplies(event, replies), foldReplies(event, turned)];
      assert.equal(one.permission?.behavior, two.permission?.behavior);
      assert.equal(one.block === undefined, two.block === undefined);
      assert.equal(one.stop === undefined, two.stop === undefined);
    }),
    { numRuns: 1000 },
  );
});

Deno.test("a call that is allowed runs with an input that a hook which allows has seen or written", () => {
  fc.assert(
    fc.property(fc.array(named, { maxLength: 6 }), (replies) => {
      const { permission, updated_input } = foldReplies("PreToolUse", replies);
      if (permission?.behavior !== "allow" || updated_input === undefined) return;
      assert.ok(replies.some((reply) => {
        const alone = foldReplies("PreToolUse", [reply]);
        return alone.permission?.behavior === "allow" &&
          isDeepStrictEqual(alone.updated_input, updated_input);
      }));
    }),
    { numRuns: 2000 },
  );
});

Deno.test("hooks of a repository never allow, alone or together", () => {
  fc.assert(
    fc.property(event, fc.array(named, { maxLength: 6 }), (event, replies) => {
      const repo = replies.map((each) => ({ ...each, source: "repo" as const }));
      assert.notEqual(foldReplies(event, repo).permission?.behavior, "allow");
    }),
    { numRuns: 1000 },
  );
});

const user = (value: JsonObject): NamedReply => ({
  name: "guard",
  source: "user",
  reply: { kind: "json", value },
});

Deno.test("each decision of the protocol is read at its event", () => {
  const pre = (permissionDecision: string) =>
    foldReplies("PreToolUse", [
      user({
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision,
          permissionDecisionReason: "why",
        },
      }),
    ]).permission;
  assert.deepEqual(pre("allow"), { behavior: "allow", reason: "why", hook: "guard" });
  assert.deepEqual(pre("deny"), { behavior: "deny", reason: "why", hook: "guard" });
  assert.equal(pre("defer")?.behavior, "ask");
  const request = foldReplies("PermissionRequest", [
    user({
      hookSpecificOutput: {
        hookEventName: "PermissionRequest",
        decision: { behavior: "allow", updatedInput: { a: 1 } },
      },
    }),
  ]);
  assert.deepEqual([request.permission?.behavior, request.updated_input], ["allow", { a: 1 }]);
  const stop = foldReplies("Stop", [user({ decision: "block", reason: "go on" })]);
  assert.deepEqual(stop.block, { reason: "go on", hook: "guard" });
  assert.deepEqual(
    foldReplies("PostToolUse", [user({ decision: "block", reason: "look again" })]).context,
    ["guard: look again"],
  );
  const blocked: NamedReply = { name: "x", source: "repo", reply: { kind: "block", reason: "no" } };
  assert.equal(foldReplies("PreToolUse", [blocked]).permission?.behavior, "deny");
  assert.equal(foldReplies("PreCompact", [blocked]).block?.reason, "no");
  assert.equal(foldReplies("SubagentStop", [blocked]).block?.reason, "no");
  assert.deepEqual(foldReplies("SubagentStart", [blocked]).messages, ["x: no"]);
  assert.deepEqual(foldReplies("SessionStart", [{ ...blocked, reply: { kind: "text", text: "hello" } }]), {
    context: ["hello"],
    messages: [],
    problems: [],
  });
  const ended = foldReplies("PostToolUse", [
    user({ continue: false, stopReason: "enough", systemMessage: "told" }),
  ]);
  assert.deepEqual([ended.stop?.reason, ended.messages], ["enough", ["guard: told"]]);
});

Deno.test("a yes holds for the input that its hook has seen or written, not for what another one makes of it", () => {
  const pre = (name: string, source: NamedReply["source"], more: JsonObject): NamedReply => ({
    name,
    source,
    reply: { kind: "json", value: { hookSpecificOutput: { hookEventName: "PreToolUse", ...more } } },
  });
  const yes = pre("yes", "user", { permissionDecision: "allow" });
  const change = pre("change", "repo", { updatedInput: { command: "deploy" } });
  for (const replies of [[yes, change], [change, yes]]) {
    const { permission, problems, updated_input } = foldReplies("PreToolUse", replies);
    assert.deepEqual([permission, updated_input], [undefined, { command: "deploy" }]);
    assert.deepEqual(problems, [
      "yes: it allows the call as it was, and another hook has changed the input",
    ]);
  }
  const both = pre("both", "user", { permissionDecision: "allow", updatedInput: { command: "deploy" } });
  assert.equal(foldReplies("PreToolUse", [both, change]).permission?.behavior, "allow");
  const no = pre("no", "repo", { permissionDecision: "deny" });
  assert.equal(foldReplies("PreToolUse", [yes, change, no]).permission?.behavior, "deny");
});

Deno.test("output for another event decides nothing and is named", () => {
  const { permission, problems } = foldReplies("PreToolUse", [
    user({ hookSpecificOutput: { hookEventName: "PostToolUse", permissionDecision: "allow" } }),
  ]);
  assert.equal(permission, undefined);
  assert.match(
    problems[0] ?? "",
    /^guard: its hookSpecificOutput is for "PostToolUse" and not for PreToolUse$/,
  );
});
