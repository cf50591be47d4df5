import assert from "node:assert/strict";
import type { ToolManifest } from "../plugin_api/mod.ts";
import { emptySession } from "../session/mod.ts";
import type { Session } from "../session/mod.ts";
import type { JsonObject, ToolUseBlock, Verdict } from "../types/mod.ts";
import type { PermissionAnswer } from "./ports.ts";
import { settlePermission } from "./settle_permission.ts";

const TOOL: ToolManifest = {
  name: "Edit",
  aliases: [],
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

function verdict(behavior: Verdict["behavior"], resolved: string, more: Partial<Verdict> = {}): Verdict {
  const paths = [{ given: "a", resolved, access: "write" as const }];
  return {
    behavior,
    reason: `about ${resolved}`,
    source: "mode",
    paths,
    suggestions: [],
    mode: "ask",
    ...more,
  };
}

/** Judges by the verdicts and answers by the answers, one after the other; the last of each stays. */
async function settle(verdicts: Verdict[], answers: PermissionAnswer[], problems: string[] = []) {
  const asked: { input: JsonObject; verdict: Verdict }[] = [];
  const block: ToolUseBlock = {
    type: "tool_use",
    call_id: "c",
    wire_id: "c",
    name: "Edit",
    input: { path: "a" },
  };
  const next = <T>(list: T[]): T => (list.length > 1 ? list.shift() : list[0])!;
  const settled = await settlePermission(
    {
      session: { state: emptySession() } as unknown as Session,
      tools: { check: () => problems },
      gate: { judge: () => Promise.resolve(next(verdicts)) },
      asker: {
        ask: (question) => {
          asked.push({ input: question.input, verdict: question.verdict });
          return Promise.resolve(next(answers));
        },
      },
    },
    TOOL,
    block,
    { path: "a" },
    AbortSignal.timeout(5000),
  );
  return { settled, asked };
}

const YES: PermissionAnswer = { behavior: "allow", by: "user", remember: "once" };

Deno.test("what was asked runs when it is still the same", async () => {
  const { settled, asked } = await settle([verdict("ask", "/w/a")], [YES]);
  assert.ok(settled.kind === "run");
  assert.equal(asked.length, 1);
  const { shown, ...decided } = settled.decided;
  assert.deepEqual(decided, {
    by: "user",
    source: "mode",
    reason: "about /w/a",
    mode: "ask",
    remember: "once",
  });
  assert.match(shown ?? "", /^[0-9a-f]{64}$/);
});

Deno.test("a path that leads elsewhere after the answer is asked about again, also where the mode would allow it", async () => {
  for (const behavior of ["ask", "allow"] as const) {
    const { settled, asked } = await settle(
      [verdict("ask", "/w/a"), verdict(behavior, "/etc/a")],
      [YES],
    );
    assert.ok(settled.kind === "run");
    assert.equal(settled.verdict.paths[0]?.resolved, "/etc/a");
    assert.equal(asked.length, 2);
    assert.match(
      asked[1]?.verdict.reason ?? "",
      /changed since it was asked about and would touch other files/,
    );
  }
});

Deno.test("a call that changes with every question is refused after three", async () => {
  const moving = Array.from({ length: 9 }, (_, at) => verdict("ask", `/w/${at}`));
  const { settled, asked } = await settle(moving, [YES]);
  assert.ok(settled.kind === "deny");
  assert.equal(asked.length, 3);
  assert.match(settled.reason, /another call each time/);
});

Deno.test("a policy that denies by the time of the answer wins over the yes", async () => {
  const { settled, asked } = await settle([verdict("ask", "/w/a"), verdict("deny", "/w/a")], [YES]);
  assert.ok(settled.kind === "deny");
  assert.equal(settled.decided.by, "policy");
  assert.equal(asked.length, 1);
});

Deno.test("an answer that changes the input into something stricter is asked about again; a harmless change runs", async () => {
  const change: PermissionAnswer = { ...YES, updated_input: { path: "b" } };
  const dangerous = verdict("ask", "/w/a", { source: "danger" });
  const again = await settle([verdict("ask", "/w/a"), dangerous], [change, YES]);
  assert.equal(again.asked.length, 2);
  assert.deepEqual(again.asked[1]?.input, { path: "b" });
  const same = await settle([verdict("ask", "/w/a")], [change]);
  assert.ok(same.settled.kind === "run");
  assert.deepEqual(same.settled.input, { path: "b" });
  assert.equal(same.asked.length, 1);
  const invalid = await settle([verdict("ask", "/w/a")], [change], ["path is missing"]);
  assert.deepEqual(invalid.settled, { kind: "invalid", problems: ["path is missing"] });
});

Deno.test("a rule that the answer kept lets the call run without another question", async () => {
  const allowed = verdict("allow", "/w/a", { source: "rule", rule: "Edit(./a)" });
  const { settled, asked } = await settle(
    [verdict("ask", "/w/a"), allowed],
    [{ ...YES, remember: "project", kept: ["Edit(./a)"] }],
  );
  assert.ok(settled.kind === "run");
  assert.deepEqual(settled.decided.kept, ["Edit(./a)"]);
  assert.equal(settled.decided.reason, "about /w/a");
  assert.equal(asked.length, 1);
});

Deno.test("a no and its reason are the decision, and nobody is asked about what is allowed or denied", async () => {
  const no = await settle([verdict("ask", "/w/a")], [{ behavior: "deny", by: "user", message: "not now" }]);
  assert.ok(no.settled.kind === "deny");
  assert.equal(no.settled.reason, "not now");
  assert.equal(no.settled.decided.by, "user");
  for (const behavior of ["allow", "deny"] as const) {
    assert.equal((await settle([verdict(behavior, "/w/a")], [YES])).asked.length, 0);
  }
});
