import assert from "node:assert/strict";
import { Command } from "commander";
import { systemWorld } from "../base/mod.ts";
import type { AppPort } from "./app_port.ts";
import type { CliIo } from "./io.ts";
import { addRewindCommands } from "./rewind_commands.ts";
import type { RewindDecision, RewindReport } from "./rewind_port.ts";

const PLAN: RewindReport = {
  session_id: "s-1",
  workspace: "/w",
  to: 3,
  scope: "both",
  outcome: "plan",
  messages: 2,
  last_message: 7,
  changes: [
    { path: "a.txt", action: "write", conflict: false },
    { path: "mine\nor yours", action: "delete", conflict: true },
  ],
  kept: [],
  left: [],
  failed: [],
  skipped: [],
};

/** Runs the command where a person types `typed`; gives what was decided and shown. */
async function at(terminal: boolean, typed: string, conflict: boolean, ...args: string[]) {
  let decision: RewindDecision | undefined;
  let again: RewindDecision | undefined;
  let shown = "";
  let exit = -1;
  const plan = { ...PLAN, changes: PLAN.changes.filter((change) => conflict || !change.conflict) };
  const io: CliIo = {
    out: (text) => Promise.resolve(void (shown += text)),
    flushed: () => Promise.resolve(),
    err: (text) => void (shown += text),
    stdin: new Blob([typed]).stream(),
    stdin_is_terminal: terminal,
  };
  const rewind: AppPort["rewind"] = {
    async rewind(_request, decide) {
      decision = await decide(plan);
      again = await decide(plan); // as when files have changed meanwhile
      return { ...plan, outcome: decision === "cancel" ? "cancelled" : "done" };
    },
  };
  const program = new Command();
  const app = { rewind } as unknown as AppPort; // the command uses no other part
  addRewindCommands(program, { app, io, world: systemWorld, version: "0", name: "lumina" }, (code) => {
    exit = code;
  });
  let error = "";
  try {
    await program.parseAsync(["rewind", "s-1", "--to", "3", ...args], { from: "user" });
  } catch (cause) {
    error = String(cause);
  }
  return { decision, again, shown, exit, error };
}

Deno.test("on a terminal a rewind shows what it does and asks; what a person changed is asked about by name", async () => {
  assert.equal((await at(true, "y\n", false)).decision, "overwrite");
  assert.equal((await at(true, "\n", false)).decision, "cancel");
  assert.equal((await at(true, "", false)).exit, 3, "the end of input is a no");
  assert.equal((await at(true, "o\n", true)).decision, "overwrite");
  const twice = await at(true, "o\nk\n", true);
  assert.deepEqual([twice.decision, twice.again], ["overwrite", "keep"]);
  const kept = await at(true, "keep\n", true);
  assert.equal(kept.decision, "keep");
  assert.match(kept.shown, /^ {2}write {3}a\.txt\n! delete {2}"mine\\nor yours"\n/);
  for (const typed of ["y\n", "\n", ""]) assert.equal((await at(true, typed, true)).decision, "cancel");
});

Deno.test("--yes answers the question, but not the one about what a person changed", async () => {
  assert.equal((await at(true, "", false, "--yes")).decision, "overwrite");
  assert.equal((await at(true, "", true, "--yes")).decision, "cancel");
  assert.equal((await at(false, "", false)).decision, "overwrite");
  const blocked = await at(false, "", true, "--yes");
  assert.equal(blocked.decision, "cancel");
  assert.match(blocked.error, /Nothing was changed: 1 path changed by something other than the agent/);
  assert.equal((await at(false, "", true, "--force")).decision, "overwrite");
  assert.equal((await at(true, "", true, "--keep")).decision, "keep");
});
