import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { systemWorld, type World } from "../../core/base/mod.ts";
import { openJournal } from "../../core/journal/mod.ts";
import { Session } from "../../core/session/mod.ts";
import { rejectsWith } from "../conformance/journal_suite.ts";
import { onlyWhere } from "../support/skip.ts";
import { tempDir } from "../support/temp_dir.ts";

const HOUR = 3_600_000;
const OWNER = fileURLToPath(new URL("./journal_owner_child.ts", import.meta.url));

Deno.test("when the wall clock jumps an hour either way, order is the order of the numbers and a session folds the same", async () => {
  await using dir = await tempDir();
  const path = dir.join("runtime.sqlite");
  let now = 1_700_000_000_000;
  const world: World = { ...systemWorld, now: () => now };
  const journal = await openJournal(path, { world, create: true });
  const session = await Session.open(journal, world.now);
  await session.execute({
    type: "create",
    system: "s",
    session_id: "one",
    project_id: "p",
    cwd: "/",
    lumina_version: "0",
    origin: "headless",
  });
  for (const [at, jump] of [0, -HOUR, 2 * HOUR, -HOUR].entries()) {
    now += jump;
    await session.execute({ type: "set_title", title: `title ${at}`, by: "user" });
  }
  await journal.close();
  const again = await openJournal(path, { world });
  const events = await again.read();
  assert.deepEqual(events.map(({ seq }) => seq), events.map((_, at) => at + 1));
  assert.ok(events.some(({ ts }, at) => at > 0 && ts < events[at - 1]!.ts), "the clock went back");
  assert.equal(
    (await Session.open(again, world.now)).state.title,
    "title 3",
    "the last word is the last number",
  );
  assert.deepEqual((await again.verify()).problems, []);
  await again.close();
});

Deno.test({
  ...onlyWhere(
    "an owner that is stopped still owns its journal; when it is dead the next one works",
    Deno.build.os !== "windows",
    "Windows has no SIGSTOP",
  ),
  async fn() {
    await using dir = await tempDir();
    const path = dir.join("runtime.sqlite");
    const owner = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", OWNER, path, dir.join("notes")],
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const reader = owner.stdout.pipeThrough(new TextDecoderStream()).getReader();
    assert.equal((await reader.read()).value?.trim(), "open");
    owner.kill("SIGSTOP");
    for (let attempt = 0; attempt < 3; attempt++) {
      await rejectsWith(openJournal(path, { world: systemWorld }), "journal.busy");
    }
    owner.kill("SIGKILL");
    await owner.status;
    await owner.stdin.abort().catch(() => {}); // the pipe is broken
    while (!(await reader.read()).done);
    const journal = await openJournal(path, { world: systemWorld });
    assert.equal(await journal.head(), 0);
    await journal.close();
  },
});
