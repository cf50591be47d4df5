import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { LuminaError, systemWorld } from "../base/mod.ts";
import { onlyWhere } from "../../tests/support/skip.ts";
import { JournalWorker, openJournal, openJournalWorker } from "./mod.ts";

const world = systemWorld;
const worker_url = new URL("./worker.ts", import.meta.url);

async function withDir(body: (dir: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir({ prefix: "lumina-journal-" });
  try {
    await body(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(() => undefined, (reason: unknown) => reason);
  assert.ok(error instanceof LuminaError, String(error));
  assert.ok(!error.message.includes("\n"));
  return error.code;
}

Deno.test("openJournal() without create says that there is no journal", () =>
  withDir(async (dir) => {
    const path = join(dir, "none.sqlite");
    assert.equal(await codeOf(openJournal(path, { world })), "journal.missing");
    assert.equal(await codeOf(openJournal(path, { world, readonly: true })), "journal.missing");
    assert.equal(
      await codeOf(openJournal(join(dir, "no/folder"), { world, create: true })),
      "journal.missing",
    );
    assert.equal(await codeOf(openJournal(dir, { world })), "journal.missing");
    assert.deepEqual(await Array.fromAsync(Deno.readDir(dir)), [], "looking makes nothing");
  }));

Deno.test("an empty file is no journal, and becomes one with create", () =>
  withDir(async (dir) => {
    const path = join(dir, "runtime.sqlite");
    await Deno.writeFile(path, new Uint8Array());
    assert.equal(await codeOf(openJournal(path, { world })), "journal.missing");
    assert.equal(await codeOf(openJournal(path, { world, readonly: true })), "journal.missing");
    const journal = await openJournal(path, { world, create: true });
    assert.equal(await journal.head(), 0);
    await journal.close();
  }));

Deno.test(
  onlyWhere(
    "a new journal can be read by its owner alone",
    Deno.build.os !== "windows",
    "Windows has no mode bits",
  ),
  () =>
    withDir(async (dir) => {
      const path = join(dir, "runtime.sqlite");
      const journal = await openJournal(path, { world, create: true });
      await journal.append("session", 0, [{ type: "a.b", version: 1, payload: null }]);
      for await (const { name } of Deno.readDir(dir)) {
        assert.equal((await Deno.stat(join(dir, name))).mode! & 0o777, 0o600, name);
      }
      await journal.close();
    }),
);

Deno.test("a file that is no journal is called damaged", () =>
  withDir(async (dir) => {
    const text = join(dir, "text");
    await Deno.writeTextFile(text, "not a database, but long enough to be looked at\n".repeat(200));
    assert.equal(await codeOf(openJournal(text, { world, create: true })), "journal.corrupt");
    assert.equal(await codeOf(openJournal(text, { world, readonly: true })), "journal.corrupt");
    const foreign = join(dir, "foreign.sqlite");
    const db = new DatabaseSync(foreign);
    db.exec("CREATE TABLE other (a)");
    db.close();
    assert.equal(await codeOf(openJournal(foreign, { world, create: true })), "journal.corrupt");
  }));

Deno.test("a journal of a newer schema is refused", () =>
  withDir(async (dir) => {
    const path = join(dir, "runtime.sqlite");
    await (await openJournal(path, { world, create: true })).close();
    const db = new DatabaseSync(path);
    db.exec("UPDATE meta SET value = '3' WHERE key = 'schema_version'");
    db.close();
    for (const readonly of [false, true]) {
      await assert.rejects(
        openJournal(path, { world, readonly }),
        (error: LuminaError) => error.code === "journal.newer_schema" && /update Lumina/.test(error.message),
      );
    }
  }));

Deno.test("a journal opened for reading only reads what a dead owner left and refuses writes", () =>
  withDir(async (dir) => {
    const path = join(dir, "runtime.sqlite");
    const source = join(dir, "source.sqlite");
    const owner = await openJournal(source, { world, create: true });
    await owner.append("session", 0, [{ type: "a.b", version: 1, payload: "left in the log" }]);
    // Copied by another process: closing a descriptor of the file in this one would drop the owner's lock.
    for (const suffix of ["", "-wal"]) {
      const { success } = await new Deno.Command("cp", { args: [source + suffix, path + suffix] }).output();
      assert.ok(success);
    }
    await owner.close();
    const journal = await openJournal(path, { world, readonly: true });
    assert.equal((await journal.read())[0]?.payload, "left in the log");
    const event = { type: "a.b", version: 1, payload: null };
    assert.equal(await codeOf(journal.append("session", 1, [event])), "journal.readonly");
    await journal.close();
  }));

Deno.test("the worker reaches nothing outside its data directory", () =>
  withDir(async (dir) => {
    await Deno.mkdir(join(dir, "data"));
    const worker = new JournalWorker({ world, worker_url, data_dir: join(dir, "data") });
    assert.equal(await codeOf(worker.open(join(dir, "out.sqlite"), { create: true }).head()), "journal.io");
    const inside = worker.open(join(dir, "data", "in.sqlite"), { create: true });
    assert.equal(await inside.head(), 0, "one journal's failure is not another's");
    await worker.close();
    assert.equal(await codeOf(inside.head()), "journal.closed");
  }));

Deno.test("a worker that cannot start is the answer of every call", () =>
  withDir(async (dir) => {
    const missing = new URL("./no_such_worker.ts", import.meta.url);
    const journal = openJournalWorker(join(dir, "a.sqlite"), { world, worker_url: missing, create: true });
    assert.equal(await codeOf(journal.head()), "journal.failed");
    assert.equal(await codeOf(journal.putBlob(new Uint8Array(1))), "journal.failed");
    await journal.close();
  }));

Deno.test("one worker holds several journals", () =>
  withDir(async (dir) => {
    const worker = new JournalWorker({ world, worker_url, data_dir: dir });
    const journals = ["a", "b", "c"].map((name) =>
      worker.open(join(dir, `${name}.sqlite`), { create: true })
    );
    await Promise.all(journals.map(async (journal, index) => {
      for (let count = 0; count <= index; count++) {
        await journal.append("session", count, [{ type: "a.b", version: 1, payload: index }]);
      }
    }));
    assert.deepEqual(await Promise.all(journals.map((journal) => journal.head())), [1, 2, 3]);
    await journals[0]!.close();
    assert.equal(await journals[1]!.head(), 2);
    await worker.close();
  }));
