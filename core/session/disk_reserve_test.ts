import assert from "node:assert/strict";
import { LuminaError, systemWorld } from "../base/mod.ts";
import { openJournal } from "../journal/mod.ts";
import { Session } from "./session.ts";

const RUN = { step_id: "1", prompt: "hello", context: "", model: "m", mode: "ask", tools: [] };

Deno.test("on a nearly full disk a run can be ended and no other begun", async () => {
  const dir = await Deno.makeTempDir({ prefix: "lumina-session-" });
  const path = `${dir}/runtime.sqlite`;
  const open = async (reserve_bytes: number) => {
    const journal = await openJournal(path, { create: true, world: systemWorld, reserve_bytes });
    return { journal, session: await Session.open(journal, () => 0) };
  };
  try {
    const first = await open(0);
    await first.session.execute({
      type: "create",
      system: "",
      session_id: "s",
      project_id: "p",
      cwd: "/",
      lumina_version: "0",
      origin: "headless",
    });
    await first.session.execute({ type: "start_run", run_id: "r1", ...RUN });
    await first.journal.close();
    const full = await open(Number.MAX_SAFE_INTEGER);
    assert.equal(full.session.state.run, null, "what was left open was ended");
    await assert.rejects(
      full.session.execute({ type: "start_run", run_id: "r2", ...RUN }),
      (error) => error instanceof LuminaError && error.code === "journal.full",
    );
    await full.journal.close();
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
