import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { systemWorld } from "../base/mod.ts";
import type { NewEvent } from "../types/mod.ts";
import { type Journal, REDACTED_EVENT } from "./journal.ts";
import { openJournal } from "./open_journal.ts";

const world = systemWorld;

async function withFile(body: (path: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir({ prefix: "lumina-redact-" });
  try {
    await body(`${dir}/runtime.sqlite`);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

function event(payload: string): NewEvent {
  return { type: "a.said", version: 1, payload };
}

/** Which of the words are in the files of an open journal. Another process looks: see `openDatabase`. */
async function found(path: string, words: string[]): Promise<string[]> {
  const hits: string[] = [];
  for (const word of words) {
    const { code } = await new Deno.Command("grep", {
      args: ["-q", "-F", "-a", word, path, `${path}-wal`],
      stderr: "null",
    }).output();
    if (code === 0) hits.push(word);
  }
  return hits;
}

/** Words of which no part is in another one. */
function canaries(count: number): string[] {
  return Array.from({ length: count }, () => crypto.randomUUID());
}

/** A journal whose events hold one word each, in rows and in blobs, of many sizes. */
async function fill(journal: Journal, words: string[]): Promise<void> {
  for (const [index, word] of words.entries()) {
    const filler = ". ".repeat([10, 150, 2_000, 12_000][index % 4]!);
    await journal.append("session", index, [event(`${word}${filler}${word}`)], {
      key: `key ${index}`,
      result: word,
    });
    if (index % 5 === 0) {
      await journal.putCheckpoint({
        name: "fold",
        stream_id: "session",
        seq: index + 1,
        state: words.slice(0, index + 1),
      });
      await journal.putProjection({
        name: "list",
        version: 1,
        seq: index + 1,
        state: words.slice(0, index + 1),
      });
    }
  }
}

Deno.test("redacted text is gone from the file and its log at once, also what rows moved by earlier redactions left", () =>
  withFile(async (path) => {
    const words = canaries(60);
    const journal = await openJournal(path, { world, create: true });
    await fill(journal, words);
    assert.deepEqual(await found(path, words), words);
    const gone = new Set<number>();
    for (const seqs of [[3, 4, 9, 30, 31], [8, 10, 32, 33, 34], [1, 2, 5, 6, 60], [59]]) {
      await journal.redact({ seqs, reason: "test", by: "test" });
      for (const seq of seqs) gone.add(seq);
      const kept = words.filter((_, index) => !gone.has(index + 1));
      assert.deepEqual(await found(path, words), kept);
    }
    assert.deepEqual((await journal.verify()).problems, []);
    await journal.close();
    const again = await openJournal(path, { world });
    const events = await again.read({ limit: 60 });
    assert.equal(events.filter(({ type }) => type === REDACTED_EVENT).length, gone.size);
    await again.close();
  }));

Deno.test("text that an earlier version freed without overwriting it is gone after any redaction", () =>
  withFile(async (path) => {
    const [word] = canaries(1) as [string];
    await (await openJournal(path, { world, create: true })).close();
    const db = new DatabaseSync(path);
    db.exec("PRAGMA secure_delete = OFF");
    db.prepare("INSERT INTO checkpoints (name, stream_id, seq, state, hash) VALUES ('x', 's', 0, ?, '')")
      .run(`${word} `.repeat(2_000));
    db.exec("DELETE FROM checkpoints");
    db.close();
    const journal = await openJournal(path, { world });
    await journal.append("session", 0, [event("other")]);
    assert.deepEqual(await found(path, [word]), [word]);
    await journal.redact({ seqs: [1], reason: "test", by: "test" });
    assert.deepEqual(await found(path, [word]), []);
    await journal.close();
  }));

Deno.test("verify() names a payload that is gone without a redaction that says so", () =>
  withFile(async (path) => {
    const journal = await openJournal(path, { world, create: true });
    await journal.append("session", 0, [event("one"), event("two")]);
    await journal.redact({ seqs: [1], reason: "test", by: "test" });
    await journal.close();
    const db = new DatabaseSync(path);
    db.exec("UPDATE events SET payload = NULL, redacted_by = 3 WHERE seq = 2");
    db.close();
    const tampered = await openJournal(path, { world });
    const { ok, problems } = await tampered.verify();
    assert.deepEqual([ok, problems], [false, ["event 2: the payload is gone, and event 3 does not say why"]]);
    await tampered.close();
  }));
