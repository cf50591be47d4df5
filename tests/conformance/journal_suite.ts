import assert from "node:assert/strict";
import { join } from "node:path";
import { LuminaError, sha256, systemWorld, type World } from "../../core/base/mod.ts";
import {
  type Journal,
  JOURNAL_STREAM,
  type OpenOptions,
  Projection,
  readEvents,
  REDACTED_EVENT,
  REDACTION_EVENT,
} from "../../core/journal/mod.ts";
import type { Json, NewEvent } from "../../core/types/mod.ts";

/** Opens a journal at a path, one way or another. */
export type OpenForSuite = (path: string, options: OpenOptions & { world: World }) => Promise<Journal>;

const NOW = 1_700_000_000_123;
const world: World = { ...systemWorld, now: () => NOW };

function event(type: string, payload: Json = null): NewEvent {
  return { type, version: 1, payload };
}

/** Expects a rejection with this code and returns the error. */
export async function rejectsWith(promise: Promise<unknown>, code: string): Promise<LuminaError> {
  const error = await promise.then(() => undefined, (reason: unknown) => reason);
  assert.ok(error instanceof LuminaError, `expected ${code}, got ${error}`);
  assert.equal(error.code, code, error.message);
  assert.ok(!error.message.includes("\n"), "an error is one line");
  return error;
}

/** What every implementation of the journal port must do. */
export function journalSuite(name: string, open: OpenForSuite): void {
  function claim(text: string, body: (journal: Journal, path: string) => Promise<void>): void {
    Deno.test(`${name}: ${text}`, async () => {
      const dir = await Deno.makeTempDir({ prefix: "lumina-journal-" });
      const path = join(dir, "runtime.sqlite");
      const journal = await open(path, { world, create: true });
      try {
        await body(journal, path);
      } finally {
        await journal.close();
        await Deno.remove(dir, { recursive: true });
      }
    });
  }

  claim("append() gives positions without gaps, in the journal and in the stream", async (journal) => {
    assert.deepEqual(await journal.append("session", 0, [event("a.one"), event("a.two")]), {
      first_seq: 1,
      last_seq: 2,
      version: 2,
      replayed: false,
    });
    assert.deepEqual(await journal.append("run/1", 0, [event("b.one")]), {
      first_seq: 3,
      last_seq: 3,
      version: 1,
      replayed: false,
    });
    assert.equal((await journal.append("session", 2, [event("a.three")])).version, 3);
    assert.equal(await journal.version("session"), 3);
    assert.equal(await journal.version("run/1"), 1);
    assert.equal(await journal.version("nobody"), 0);
    assert.equal(await journal.head(), 4);
    assert.deepEqual((await journal.read({ stream_id: "session" })).map((e) => [e.seq, e.stream_seq]), [
      [1, 1],
      [2, 2],
      [4, 3],
    ]);
  });

  claim("read() gives back what was appended, with the time of the given clock", async (journal) => {
    const payload = {
      text: 'ä \u2028 "\\ \u0000 😀 \ud800',
      list: [1, -0.5, 1e21, true, null],
      deep: { b: 1, a: {} },
    };
    await journal.append("session", 0, [
      { type: "a.full", version: 3, payload, run_id: "r", step_id: "s", causation_id: "c" },
      event("a.bare"),
    ]);
    assert.deepEqual(await journal.read(), [
      {
        seq: 1,
        stream_id: "session",
        stream_seq: 1,
        type: "a.full",
        version: 3,
        ts: NOW,
        run_id: "r",
        step_id: "s",
        causation_id: "c",
        payload,
      },
      { seq: 2, stream_id: "session", stream_seq: 2, type: "a.bare", version: 1, ts: NOW, payload: null },
    ]);
  });

  claim("append() with a stale version gives a conflict and stores nothing", async (journal) => {
    await journal.append("session", 0, [event("a.one")]);
    const error = await rejectsWith(journal.append("session", 0, [event("a.two")]), "journal.conflict");
    assert.deepEqual(error.details, { stream_id: "session", expected: 0, actual: 1 });
    assert.equal(error.exit, 5);
    assert.equal(await journal.head(), 1);
    assert.equal((await journal.append("session", "any", [event("a.three")])).last_seq, 2);
  });

  claim("a conflict among waiting appends leaves the others alone", async (journal) => {
    const results = await Promise.allSettled([
      journal.append("session", 0, [event("a.one")]),
      journal.append("session", 0, [event("a.stale")]),
      journal.append("session", 1, [event("a.two")]),
      journal.append("run/1", 0, [event("b.one")]),
    ]);
    assert.deepEqual(results.map((result) => result.status), [
      "fulfilled",
      "rejected",
      "fulfilled",
      "fulfilled",
    ]);
    assert.deepEqual((await journal.read()).map((e) => e.type), ["a.one", "a.two", "b.one"]);
  });

  claim("one writer's appends keep their order among many writers", async (journal) => {
    await Promise.all(Array.from({ length: 10 }, async (_, writer) => {
      for (let index = 0; index < 50; index++) {
        await journal.append(`run/${writer}`, index, [event("a.step", index)]);
      }
    }));
    assert.equal(await journal.head(), 500);
    for (let writer = 0; writer < 10; writer++) {
      const events = await journal.read({ stream_id: `run/${writer}` });
      assert.deepEqual(events.map((e) => e.payload), Array.from({ length: 50 }, (_, index) => index));
    }
    assert.deepEqual(await journal.verify(), { ok: true, events: 500, problems: [] });
  });

  claim("the same key twice appends once and gives the first answer again", async (journal) => {
    const options = { key: "k1", request_hash: "h1", result: { answer: 42 } };
    const first = await journal.append("session", 0, [event("a.one")], options);
    const again = await journal.append("session", 0, [event("a.one")], options);
    assert.deepEqual(first, {
      first_seq: 1,
      last_seq: 1,
      version: 1,
      replayed: false,
      result: { answer: 42 },
    });
    assert.deepEqual(again, { ...first, replayed: true });
    assert.equal(await journal.head(), 1);
    assert.deepEqual(await journal.command("k1"), { request_hash: "h1", result: { answer: 42 } });
    assert.equal(await journal.command("k2"), undefined);
  });

  claim("the same key at the same time appends once", async (journal) => {
    const results = await Promise.all(
      Array.from(
        { length: 5 },
        () => journal.append("session", 0, [event("a.one")], { key: "k", result: 7 }),
      ),
    );
    assert.deepEqual(results.map((result) => result.replayed), [false, true, true, true, true]);
    assert.ok(results.every((result) => result.last_seq === 1 && result.result === 7));
  });

  claim("a key with another request gives a conflict", async (journal) => {
    await journal.append("session", 0, [event("a.one")], { key: "k", request_hash: "h1" });
    await rejectsWith(
      journal.append("session", 1, [event("a.one")], { key: "k", request_hash: "h2" }),
      "journal.conflict",
    );
    await journal.append("session", 1, [event("a.two", 1)], { key: "own" });
    await rejectsWith(journal.append("session", 1, [event("a.two", 2)], { key: "own" }), "journal.conflict");
    assert.equal((await journal.append("session", 1, [event("a.two", 1)], { key: "own" })).replayed, true);
    assert.equal(await journal.head(), 2);
  });

  claim("a refused append does not use up its key", async (journal) => {
    await rejectsWith(journal.append("session", 9, [event("a.one")], { key: "k" }), "journal.conflict");
    assert.equal((await journal.append("session", 0, [event("a.one")], { key: "k" })).replayed, false);
  });

  claim("a command without events is remembered", async (journal) => {
    const first = await journal.append("session", 0, [], { key: "k", result: "nothing to do" });
    assert.deepEqual(first, {
      first_seq: 1,
      last_seq: 0,
      version: 0,
      replayed: false,
      result: "nothing to do",
    });
    assert.deepEqual(await journal.append("session", 0, [], { key: "k" }), { ...first, replayed: true });
  });

  claim("wrong arguments are refused and leave no trace", async (journal) => {
    await rejectsWith(journal.append("", 0, [event("a.one")]), "journal.invalid");
    await rejectsWith(journal.append("session", -1, [event("a.one")]), "journal.invalid");
    await rejectsWith(journal.append("session", 0, []), "journal.invalid");
    await rejectsWith(journal.append("session", 0, [event("a\nb")]), "journal.invalid");
    await rejectsWith(journal.append("session", 0, [event("a.nan", NaN)]), "journal.invalid");
    await rejectsWith(journal.append("session", 0, [{ ...event("a.one"), version: 0 }]), "journal.invalid");
    await rejectsWith(journal.read({ limit: 5001 }), "journal.invalid");
    await rejectsWith(journal.read({ after: -1 }), "journal.invalid");
    assert.equal(await journal.head(), 0);
  });

  claim("a payload may change after append() was called", async (journal) => {
    const payload = { text: "before" };
    const appended = journal.append("session", 0, [event("a.one", payload)]);
    payload.text = "after";
    await appended;
    assert.deepEqual((await journal.read())[0]?.payload, { text: "before" });
  });

  claim("payloads around and over 16 KiB come back whole", async (journal) => {
    const texts = [16_381, 16_382, 16_383, 16_384, 300_000].map((size) => "x".repeat(size));
    texts.push("ä".repeat(8_191), "ä".repeat(8_192), "😀".repeat(100_000));
    await journal.append("session", 0, texts.map((text) => event("a.long", text)));
    assert.deepEqual((await journal.read()).map((e) => e.payload), texts);
    assert.deepEqual(
      (await journal.read({ stream_id: "session", after: 6 })).map((e) => e.payload),
      texts.slice(6),
    );
    const stored = await journal.getBlob(sha256(JSON.stringify(texts[4])));
    assert.equal(stored?.length, 300_002);
    assert.equal(
      await journal.getBlob(sha256(JSON.stringify(texts[0]))),
      undefined,
      "16,383 bytes stay in the row",
    );
    assert.equal((await journal.verify()).ok, true);
  });

  claim("read() pages without gaps or repeats, also when pages are large", async (journal) => {
    const big = "y".repeat(100_000);
    for (let part = 0; part < 3; part++) {
      await journal.append(
        part === 1 ? "other" : "session",
        "any",
        Array.from({ length: 100 }, () => event("a.b", big)),
      );
    }
    const all = await journal.read();
    assert.deepEqual(all.map((e) => e.seq), Array.from({ length: 300 }, (_, index) => index + 1));
    assert.deepEqual((await journal.read({ after: 150, limit: 7 })).map((e) => e.seq), [
      151,
      152,
      153,
      154,
      155,
      156,
      157,
    ]);
    // 150 belongs to the other stream: the page starts at the stream's next event.
    assert.equal((await journal.read({ after: 150, stream_id: "session" }))[0]?.seq, 201);
    assert.equal((await journal.read({ after: 250, stream_id: "session" }))[0]?.seq, 251);
    assert.deepEqual(await journal.read({ after: 300 }), []);
  });

  claim("readEvents() gives every event of a stream once", async (journal) => {
    for (let part = 0; part < 3; part++) {
      await journal.append(
        "session",
        "any",
        Array.from({ length: 4_000 }, (_, index) => event("a.b", index)),
      );
      await journal.append("other", "any", [event("c.d")]);
    }
    const seen: number[] = [];
    for await (const page of readEvents(journal, { stream_id: "session" })) {
      for (const { stream_seq } of page) seen.push(stream_seq);
    }
    assert.deepEqual(seen, Array.from({ length: 12_000 }, (_, index) => index + 1));
  });

  claim("blobs are found by their hash", async (journal) => {
    const bytes = crypto.getRandomValues(new Uint8Array(50_000));
    const hash = await journal.putBlob(bytes);
    assert.equal(hash, sha256(bytes));
    assert.equal(await journal.putBlob(bytes), hash, "putting it again is nothing new");
    assert.deepEqual(await journal.getBlob(hash), bytes);
    assert.equal(await journal.getBlob("0".repeat(64)), undefined);
    assert.deepEqual(await journal.getBlob(await journal.putBlob(new Uint8Array(0))), new Uint8Array(0));
  });

  claim("a checkpoint is replaced by the next of its name and never past the head", async (journal) => {
    await journal.append("session", 0, [event("a.one"), event("a.two")]);
    assert.equal(await journal.checkpoint("fold"), undefined);
    await journal.putCheckpoint({ name: "fold", stream_id: "session", seq: 1, state: { n: 1 } });
    await journal.putCheckpoint({ name: "fold", stream_id: "session", seq: 2, state: { n: 2 } });
    assert.deepEqual(await journal.checkpoint("fold"), {
      name: "fold",
      stream_id: "session",
      seq: 2,
      state: { n: 2 },
    });
    await rejectsWith(
      journal.putCheckpoint({ name: "fold", stream_id: "session", seq: 3, state: null }),
      "journal.invalid",
    );
  });

  claim("redact() takes payloads away, keeps hashes and chain, and says which and why", async (journal) => {
    await journal.append("session", 0, [
      event("a.one", "keep"),
      event("a.two", { text: "secret" }),
      event("a.three"),
    ]);
    assert.deepEqual(await journal.redact({ seqs: [3, 2, 2], reason: "asked for", by: "user" }), {
      redacted: [2, 3],
      seq: 4,
    });
    assert.deepEqual(
      (await journal.read()).map(({ type, payload, stream_id }) => [stream_id, type, payload]),
      [
        ["session", "a.one", "keep"],
        ["session", REDACTED_EVENT, { type: "a.two", version: 1, redacted_by: 4 }],
        ["session", REDACTED_EVENT, { type: "a.three", version: 1, redacted_by: 4 }],
        [JOURNAL_STREAM, REDACTION_EVENT, { seqs: [2, 3], reason: "asked for", by: "user" }],
      ],
    );
    assert.deepEqual(await journal.verify(), { ok: true, events: 4, redacted: 2, problems: [] });
    assert.equal(await journal.version("session"), 3);
    assert.equal((await journal.append("session", 3, [event("a.four")])).last_seq, 5);
  });

  claim("redact() of what is redacted already changes nothing", async (journal) => {
    await journal.append("session", 0, [event("a.one", "secret"), event("a.two")]);
    await journal.redact({ seqs: [1], reason: "r", by: "b" });
    assert.deepEqual(await journal.redact({ seqs: [1], reason: "r", by: "b" }), { redacted: [] });
    assert.equal(await journal.head(), 3);
    assert.deepEqual((await journal.redact({ seqs: [1, 2], reason: "r", by: "b" })).redacted, [2]);
  });

  claim("redact() refuses numbers that no event has, redactions, and to give no reason", async (journal) => {
    await journal.append("session", 0, [event("a.one"), event("a.two")]);
    await rejectsWith(journal.redact({ seqs: [1, 3], reason: "r", by: "b" }), "journal.invalid");
    await rejectsWith(journal.redact({ seqs: [], reason: "r", by: "b" }), "journal.invalid");
    await rejectsWith(journal.redact({ seqs: [1], reason: " ", by: "b" }), "journal.invalid");
    assert.equal(await journal.head(), 2);
    await journal.redact({ seqs: [1], reason: "r", by: "b" });
    await rejectsWith(journal.redact({ seqs: [3], reason: "r", by: "b" }), "journal.invalid");
    assert.deepEqual((await journal.verify()).redacted, 1);
  });

  claim("redact() drops blobs that nothing else names, and all that was derived", async (journal) => {
    const long = "long ".repeat(8_000);
    const shared = "both ".repeat(8_000);
    const attached = await journal.putBlob(new TextEncoder().encode("attached secret"));
    const kept = await journal.putBlob(new TextEncoder().encode("attached twice"));
    await journal.append("session", 0, [
      event("a.long", long),
      event("a.shared", shared),
      event("a.shared", shared),
      event("a.file", { images: [attached, kept] }),
      event("a.file", { images: [kept] }),
    ]);
    await journal.putCheckpoint({ name: "fold", stream_id: "session", seq: 5, state: { long } });
    await journal.putProjection({ name: "list", version: 1, seq: 5, state: { long } });
    await journal.redact({ seqs: [1, 2, 4], reason: "asked for", by: "user" });
    assert.equal(await journal.getBlob(sha256(JSON.stringify(long))), undefined);
    assert.equal(await journal.getBlob(attached), undefined);
    assert.ok(await journal.getBlob(kept), "another event names it");
    assert.equal((await journal.read())[2]?.payload, shared, "another event has the same payload");
    assert.equal(await journal.checkpoint("fold"), undefined);
    assert.equal(await journal.projection("list"), undefined);
    assert.deepEqual(await journal.verify(), { ok: true, events: 6, redacted: 3, problems: [] });
  });

  claim("a key of a redacted append still stands for it, without what it answered", async (journal) => {
    const options = { key: "k", request_hash: "h", result: "the secret answer" };
    await journal.append("session", 0, [event("a.one", "secret")], options);
    await journal.append("session", 1, [event("a.two")], { key: "other", result: "kept" });
    await journal.redact({ seqs: [1], reason: "r", by: "b" });
    const again = await journal.append("session", 0, [event("a.one", "secret")], options);
    assert.deepEqual(again, { first_seq: 1, last_seq: 1, version: 1, replayed: true });
    assert.equal((await journal.command("other"))?.result, "kept");
  });

  claim("a projection is kept with its version and never past the head", async (journal) => {
    await journal.append("session", 0, [event("a.one"), event("a.two")]);
    assert.equal(await journal.projection("list"), undefined);
    const projection = { name: "list", version: 3, seq: 2, state: { n: 2 } };
    await journal.putProjection({ ...projection, seq: 1 });
    await journal.putProjection(projection);
    assert.deepEqual(await journal.projection("list"), projection);
    await rejectsWith(journal.putProjection({ ...projection, seq: 3 }), "journal.invalid");
    await rejectsWith(journal.putProjection({ ...projection, version: 0 }), "journal.invalid");
    assert.equal((await journal.verify()).ok, true);
  });

  claim("a Projection goes on where it was kept and is made again for another version", async (journal) => {
    const folded: number[] = [];
    const options = {
      name: "sum",
      version: 1,
      initial: () => ({ sum: 0 }),
      fold: (state: { sum: number }, { seq, payload }: { seq: number; payload: Json }) => {
        folded.push(seq);
        return { sum: state.sum + Number(payload) };
      },
    };
    await journal.append("session", 0, [event("a.n", 1), event("a.n", 2)]);
    const first = await Projection.open(journal, options);
    assert.deepEqual([first.state, first.seq, first.rebuilt], [{ sum: 3 }, 2, true]);
    await first.save();
    await journal.append("session", 2, [event("a.n", 3)]);
    await first.catchUp();
    assert.deepEqual(first.state, { sum: 6 });
    folded.length = 0;
    const second = await Projection.open(journal, options);
    assert.deepEqual([second.state, second.seq, second.rebuilt, folded], [{ sum: 6 }, 3, false, [3]]);
    const third = await Projection.open(journal, { ...options, version: 2 });
    assert.deepEqual([third.state, third.rebuilt], [{ sum: 6 }, true]);
    const own = await Projection.open(journal, { ...options, name: "own", stream_id: "run/1" });
    assert.deepEqual([own.state, own.seq], [{ sum: 0 }, 3]);
  });

  claim("a consumer's offset goes neither past the head nor back, unless it is reset", async (journal) => {
    await journal.append("session", 0, [event("a.one"), event("a.two")]);
    assert.equal(await journal.offset("sink"), 0);
    await journal.setOffset("sink", 1);
    await journal.setOffset("sink", 2);
    await rejectsWith(journal.setOffset("sink", 1), "journal.invalid");
    await rejectsWith(journal.setOffset("sink", 3), "journal.invalid");
    await rejectsWith(journal.setOffset("sink", -1), "journal.invalid");
    assert.equal(await journal.offset("sink"), 2);
    await journal.setOffset("sink", 0, { reset: true });
    assert.equal(await journal.offset("sink"), 0);
    assert.equal(await journal.offset("other"), 0);
  });

  claim("waiting writes of every kind keep their order in one commit", async (journal) => {
    const [, , , , redacted] = await Promise.all([
      journal.append("session", 0, [event("a.one", "secret")]),
      journal.setOffset("sink", 1),
      journal.putProjection({ name: "p", version: 1, seq: 1, state: null }),
      journal.append("session", 1, [event("a.two")]),
      journal.redact({ seqs: [1, 2], reason: "r", by: "b" }),
      journal.append("session", 2, [event("a.three", "after")]),
    ]);
    assert.deepEqual(redacted, { redacted: [1, 2], seq: 3 });
    assert.equal((await journal.read({ after: 3 }))[0]?.payload, "after");
    assert.deepEqual(await journal.verify(), { ok: true, events: 4, redacted: 2, problems: [] });
  });

  claim("close() waits for waiting appends and leaves one file", async (journal, path) => {
    const appended = Promise.all(
      Array.from({ length: 20 }, (_, index) => journal.append("session", index, [event("a.step", index)])),
    );
    await journal.close();
    assert.equal((await appended).at(-1)?.version, 20);
    await rejectsWith(journal.append("session", 20, [event("a.late")]), "journal.closed");
    await rejectsWith(journal.head(), "journal.closed");
    await journal.close();
    await assert.rejects(Deno.stat(`${path}-wal`), Deno.errors.NotFound);
    const reopened = await open(path, { world });
    try {
      assert.equal(await reopened.head(), 20);
      assert.equal(await reopened.version("session"), 20);
      assert.deepEqual(await reopened.append("session", 20, [event("a.more")]), {
        first_seq: 21,
        last_seq: 21,
        version: 21,
        replayed: false,
      });
      assert.equal((await reopened.verify()).ok, true);
      assert.ok((await reopened.stats()).bytes > 4096);
      assert.equal((await reopened.stats()).events, 21);
    } finally {
      await reopened.close();
    }
  });
}
