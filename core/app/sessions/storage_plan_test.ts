import assert from "node:assert/strict";
import fc from "fast-check";
import type { RetentionRules } from "../../cli/mod.ts";
import { planRetention } from "./storage_plan.ts";
import type { KeptSession } from "./storage_plan.ts";

const DAY = 86_400_000;
const NOW = 1_000 * DAY;
const NO_RULES: RetentionRules = {
  retention_days: 0,
  retention_max_sessions: 0,
  retention_max_bytes: 0,
  retention_archive: true,
};

function kept(session_id: string, days_old: number, more: Partial<KeptSession> = {}): KeptSession {
  const plain = { archived: false, open: false, pinned: false, bytes: 100 };
  return { ...plain, session_id, updated_ts: NOW - days_old * DAY, ...more };
}

function plan(sessions: KeptSession[], rules: Partial<RetentionRules>) {
  const { actions, skipped } = planRetention(sessions, { ...NO_RULES, ...rules }, NOW);
  return {
    actions: actions.map(({ session, action }) => `${action} ${session.session_id}`).sort(),
    skipped: skipped.map(({ session_id }) => session_id).sort(),
  };
}

const SESSIONS = [
  kept("old", 90),
  kept("older", 100, { archived: true }),
  kept("pinned", 80, { pinned: true }),
  kept("open", 70, { open: true }),
  kept("young", 10),
  kept("now", 0.5),
];

Deno.test("planRetention() with no rule takes nothing", () => {
  assert.deepEqual(plan(SESSIONS, {}), { actions: [], skipped: [] });
});

Deno.test("age archives and leaves the archive alone, or deletes both; open and pinned sessions stay", () => {
  const skipped = ["open", "pinned"];
  assert.deepEqual(plan(SESSIONS, { retention_days: 30 }), { actions: ["archive old"], skipped });
  assert.deepEqual(plan(SESSIONS, { retention_days: 30, retention_archive: false }), {
    actions: ["delete old", "delete older"],
    skipped,
  });
});

Deno.test("the number of sessions takes the oldest active ones beyond it, and more of those behind a protected one", () => {
  assert.deepEqual(plan(SESSIONS, { retention_max_sessions: 3 }), {
    actions: ["archive old", "archive young"],
    skipped: ["open", "pinned"],
  });
  assert.deepEqual(plan(SESSIONS, { retention_max_sessions: 1 }).skipped, ["now", "open", "pinned"]);
});

Deno.test("the disk budget deletes the oldest, archived or not, until the rest fits", () => {
  assert.deepEqual(plan(SESSIONS, { retention_max_bytes: 600 }).actions, []);
  assert.deepEqual(plan(SESSIONS, { retention_max_bytes: 599 }).actions, ["delete older"]);
  assert.deepEqual(plan(SESSIONS, { retention_max_bytes: 350 }), {
    actions: ["delete old", "delete older", "delete young"],
    skipped: ["open", "pinned"],
  });
  const both = plan(SESSIONS, { retention_days: 30, retention_max_bytes: 400 });
  assert.deepEqual(both.actions, ["delete old", "delete older"], "what was to be archived is deleted");
});

Deno.test("no rules ever take a session that is open, pinned or used within 24 hours", () => {
  const session = fc.record({
    session_id: fc.uuid(),
    archived: fc.boolean(),
    open: fc.boolean(),
    pinned: fc.boolean(),
    updated_ts: fc.integer({ min: NOW - 50 * DAY, max: NOW + DAY }),
    bytes: fc.nat(1000),
  });
  const rules = fc.record({
    retention_days: fc.nat(40),
    retention_max_sessions: fc.nat(5),
    retention_max_bytes: fc.nat(3000),
    retention_archive: fc.boolean(),
  });
  fc.assert(fc.property(fc.array(session), rules, (sessions, chosen) => {
    for (const { session: taken, action } of planRetention(sessions, chosen, NOW).actions) {
      assert.ok(!taken.open && !taken.pinned && NOW - taken.updated_ts >= DAY);
      assert.ok(action === "delete" || (chosen.retention_archive && !taken.archived));
    }
  }));
});
