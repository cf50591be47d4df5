import assert from "node:assert/strict";
import { LuminaError, systemWorld } from "../base/mod.ts";
import { openJournal } from "../journal/mod.ts";
import type { Journal } from "../journal/mod.ts";
import { Session } from "./session.ts";

const RUN = { step_id: "1", prompt: "hello", context: "", model: "m", mode: "ask", tools: [] };

Deno.test("the capture of what a run leaves is a part of its end; one that new work follows is not", async () => {
  const dir = await Deno.makeTempDir({ prefix: "lumina-session-" });
  try {
    const journal = await openJournal(`${dir}/runtime.sqlite`, { create: true, world: systemWorld });
    let low = false;
    const watched = new Proxy(journal, {
      get(target, name: keyof Journal) {
        const value: unknown = target[name];
        if (name !== "append") return typeof value === "function" ? value.bind(target) : value;
        const append: Journal["append"] = (stream, expected, events, options) =>
          low && options?.reserve !== "use"
            ? Promise.reject(new LuminaError("journal.full", "the disk is nearly full"))
            : target.append(stream, expected, events, options);
        return append;
      },
    });
    const session = await Session.open(watched, () => 0);
    const ids = { session_id: "s", project_id: "p", cwd: "/", lumina_version: "0" };
    await session.execute({ type: "create", system: "", ...ids, origin: "headless" });
    await session.execute({ type: "start_run", run_id: "r1", ...RUN });
    low = true;
    const capture = { type: "note_capture" as const, snapshot: "x", skipped: [] };
    for (const moment of ["write", "command", "rewind"] as const) {
      await assert.rejects(session.execute({ ...capture, moment }), { code: "journal.full" });
    }
    await session.execute({ ...capture, moment: "end" }, {
      type: "finish_run",
      status: "success",
      denials: 0,
      duration_ms: 1,
    });
    assert.equal(session.state.last_status, "success");
    await journal.close();
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

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
