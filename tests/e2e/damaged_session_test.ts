// deno-lint-ignore-file no-sync-fn-in-async-fn -- small files are damaged one after the other
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { existsSync } from "node:fs";
import { appRootPaths } from "../../core/app_root/mod.ts";
import { AgentProject } from "../support/agent_project.ts";
import type { LuminaResult } from "../support/run_lumina.ts";

const PAGE = 4096;
const LONG = "long ".repeat(6_000);

type Bytes = Uint8Array<ArrayBuffer>;

/** Noise that is no page of any kind. */
const NOISE: Bytes = new Uint8Array(PAGE).map((_, at) => (at * 167 + 91) & 255);

function noisy(bytes: Bytes, page: number): Bytes {
  bytes.set(NOISE.subarray(0, Math.min(PAGE, bytes.length - (page - 1) * PAGE)), (page - 1) * PAGE);
  return bytes;
}

/** Pages whose first byte is `type` and that hold `text`. */
function pageWith(bytes: Bytes, type: number, text: string): number {
  for (let page = 2; page * PAGE <= bytes.length; page++) {
    const part = bytes.subarray((page - 1) * PAGE, page * PAGE);
    if (part[0] === type && new TextDecoder("latin1").decode(part).includes(text)) return page;
  }
  throw new Error(`no page of type ${type} holds ${text}`);
}

function rootOf(path: string, name: string): number {
  const db = new DatabaseSync(path, { readOnly: true });
  const row = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(name);
  db.close();
  return Number(row?.rootpage);
}

interface Damage {
  name: string;
  change(bytes: Bytes, path: string): Bytes;
  /** What the line about it says. */
  says: RegExp;
  /** Whether `show` still has the conversation's last words. */
  readable: boolean;
  /** Whether `repair` brings the session back, and what it must then still have. */
  repairs: boolean;
}

const DAMAGES: Damage[] = [
  {
    name: "a page of the table",
    change: (bytes) => noisy(bytes, pageWith(bytes, 13, "question two")),
    says: /runtime\.sqlite: /,
    readable: true,
    repairs: true,
  },
  {
    name: "a page of the index",
    change: (bytes, path) => noisy(bytes, rootOf(path, "sqlite_autoindex_events_1")),
    says: /runtime\.sqlite: /,
    readable: true,
    repairs: true,
  },
  {
    name: "the header",
    change: (bytes) => bytes.fill(0, 0, 100),
    says: /does not begin as a database does/,
    readable: true,
    repairs: true,
  },
  {
    name: "a truncated file",
    change: (bytes) => bytes.slice(0, bytes.length - 3 * PAGE - 100),
    says: /is cut off: \d+ of \d+ bytes are there/,
    readable: false,
    repairs: true,
  },
  {
    name: "an empty file",
    change: () => new Uint8Array(),
    says: /is empty, 0 bytes/,
    readable: false,
    repairs: false,
  },
  {
    name: "random bytes",
    change: (bytes) => {
      for (let at = 0; at < bytes.length; at += 65_536) {
        crypto.getRandomValues(bytes.subarray(at, at + 65_536));
      }
      return bytes;
    },
    says: /does not begin as a database does/,
    readable: false,
    repairs: false,
  },
  {
    name: "another program's database",
    change: (_, path) => {
      const other = `${path}.other`;
      const db = new DatabaseSync(other);
      db.exec("CREATE TABLE songs (title TEXT)");
      db.close();
      const bytes = Deno.readFileSync(other);
      Deno.removeSync(other);
      return bytes;
    },
    says: /no Lumina journal/,
    readable: false,
    repairs: false,
  },
];

interface Saved {
  project: AgentProject;
  id: string;
  path: string;
  whole: Bytes;
  meta: string;
}

/** A session of three prompts, one with a long answer that lies in a blob. */
async function saved(project: AgentProject): Promise<Saved> {
  const run = await project.converse(["question one", `question two ${"q".repeat(3_000)}`, "question three"]);
  assert.equal(run.code, 0, run.stderr);
  const directory = appRootPaths(project.app_root).sessionDir(run.session_id);
  const path = `${directory}/runtime.sqlite`;
  const whole = Deno.readFileSync(path);
  return { project, id: run.session_id, path, whole, meta: Deno.readTextFileSync(`${directory}/meta.json`) };
}

/** Puts the session back as it was, then damages it. */
function damage({ path, whole, meta }: Saved, change: Damage["change"]): Bytes {
  for (const part of ["-wal", "-shm"]) if (existsSync(path + part)) Deno.removeSync(path + part);
  Deno.writeFileSync(path, whole);
  Deno.writeTextFileSync(path.replace("runtime.sqlite", "meta.json"), meta);
  const bytes = change(whole.slice(), path);
  for (const part of ["-wal", "-shm"]) if (existsSync(path + part)) Deno.removeSync(path + part);
  Deno.writeFileSync(path, bytes);
  return bytes;
}

function oneLine(result: LuminaResult, says: RegExp, id: string): void {
  assert.equal(result.code, 1, result.stderr + result.stdout);
  assert.match(result.stderr, /^lumina: [^\n]*\n$/, "one line");
  assert.match(result.stderr, says);
  assert.ok(result.stderr.includes(`run lumina session repair ${id}`), result.stderr);
}

const SCRIPT = {
  turns: [{ text: "answer one" }, { text: LONG }, { text: "answer three" }, {
    text: "carried on",
    repeat: true,
  }],
};

for (const { name, change, says, readable, repairs } of DAMAGES) {
  Deno.test(`${name} that is damaged is named in one line with the command that helps; what can be read is shown`, async () => {
    await using project = await AgentProject.open(SCRIPT);
    const session = await saved(project);
    const { id, path } = session;
    const bytes = damage(session, change);
    const requests = project.provider.requests.length;
    const resumed = await project.run(["-p", "go on", "--resume", id]);
    oneLine(resumed, says, id);
    const again = await project.run(["-p", "go on", "--resume", id]);
    assert.deepEqual([again.code, again.stderr], [1, resumed.stderr], "starting again says the same");
    assert.equal(project.provider.requests.length, requests, "nothing was sent");

    const shown = await project.run(["session", "show", id]);
    oneLine(shown, says, id);
    assert.equal(shown.stdout.includes("answer three"), readable, shown.stdout.slice(-300));
    const exported = await project.run(["session", "export", id]);
    oneLine(exported, says, id);
    assert.equal(exported.stdout.includes("answer three"), readable);
    const listed = await project.run(["session", "list"]);
    assert.equal(listed.code, 0, listed.stderr);
    assert.ok(listed.stdout.includes(id.slice(0, 8)));
    const verified = await project.run(["session", "verify", id]);
    assert.equal(verified.code, 1);
    assert.match(verified.stdout, new RegExp(`damaged; run lumina session repair ${id}\n$`));
    assert.deepEqual(Deno.readFileSync(path), bytes, "nobody has changed a byte");
    for (const left of ["-wal"]) {
      if (existsSync(path + left)) assert.equal(Deno.statSync(path + left).size, 0);
    }

    const repaired = await project.run(["session", "repair", id]);
    if (!repairs) {
      assert.equal(repaired.code, 1, repaired.stdout);
      assert.match(repaired.stderr, /^lumina: The session \S+ cannot be repaired: [^\n]*\n$/);
      assert.deepEqual(Deno.readFileSync(path), bytes);
      return;
    }
    assert.equal(repaired.code, 0, repaired.stderr);
    const backup = /kept in (\S+)\n$/.exec(repaired.stdout)?.[1] ?? "";
    assert.ok(
      backup.startsWith(`${appRootPaths(project.app_root).dataDir}/sessions/backup/${id}-`),
      repaired.stdout,
    );
    assert.deepEqual(Deno.readFileSync(`${backup}/runtime.sqlite`), bytes);
    assert.equal((await project.run(["session", "verify", id])).code, 0);
    const resumed_at_last = await project.run(["-p", "go on", "--resume", id]);
    assert.deepEqual(
      [resumed_at_last.code, resumed_at_last.stdout],
      [0, "carried on\n"],
      resumed_at_last.stderr,
    );
    assert.equal(resumed_at_last.stderr, "");
    const events = await project.journal(id);
    assert.ok(events.some((event) => event.type === "session.repaired"));
  });
}

Deno.test("a blob that is damaged costs the message that needs it; the session goes on and says so", async () => {
  await using project = await AgentProject.open(SCRIPT);
  const session = await saved(project);
  const { id, path } = session;
  damage(session, (_, file) => {
    const db = new DatabaseSync(file);
    db.exec("UPDATE blobs SET bytes = x'00'");
    db.close();
    return Deno.readFileSync(file);
  });
  const resumed = await project.run(["-p", "go on", "--resume", id]);
  assert.deepEqual([resumed.code, resumed.stdout], [0, "carried on\n"], resumed.stderr);
  assert.match(
    resumed.stderr,
    /goes on without \d+ events? that cannot be read, .*blob .* damaged .*session verify/,
  );
  assert.equal((await project.run(["session", "verify", id])).code, 1);
  const json = await project.run(["session", "repair", id, "--json"]);
  assert.equal(json.code, 0, json.stderr);
  assert.match(
    JSON.parse(json.stdout).lost.join(),
    /the blob [0-9a-f]{64} of its payload is missing or damaged/,
  );
  const after = await project.run(["-p", "go on", "--resume", id]);
  assert.deepEqual([after.code, after.stderr], [0, ""]);
  assert.ok(existsSync(path));
});

Deno.test("a journal that ends before what meta.json knows is refused, and one whose process never wrote is no session", async () => {
  await using project = await AgentProject.open(SCRIPT);
  const session = await saved(project);
  const { id, path } = session;
  damage(session, (_, file) => {
    const db = new DatabaseSync(file);
    const { n } = db.prepare("SELECT max(seq) AS n FROM events").get() as { n: number };
    const { chain } = db.prepare("SELECT chain FROM events WHERE seq = ?").get(n - 2) as { chain: string };
    db.exec(`DELETE FROM events WHERE seq > ${n - 2}; DELETE FROM projections; DELETE FROM checkpoints`);
    db.prepare("UPDATE meta SET value = ? WHERE key = 'head'").run(`${n - 2} ${chain}`);
    db.close();
    return Deno.readFileSync(file);
  });
  oneLine(await project.run(["-p", "go on", "--resume", id]), /the last events are missing/, id);
  assert.match((await project.run(["session", "repair", id])).stdout, /lost: events \d+ to \d+: /);
  assert.equal((await project.run(["-p", "go on", "--resume", id])).code, 0);

  Deno.writeFileSync(path, new Uint8Array());
  Deno.removeSync(path.replace("runtime.sqlite", "meta.json"));
  const gone = await project.run(["-p", "go on", "--resume", id]);
  assert.equal(gone.code, 4, gone.stderr);
  assert.match(gone.stderr, /^lumina: There is no session [^\n]*\n$/);
});

Deno.test("verify --all tells of every session; a wrong summary is made anew; an open session is left alone", async () => {
  await using project = await AgentProject.open({
    turns: [{ text: "one" }, { text: ["a", "b"], hold: { name: "never", after_frames: 4 } }],
  });
  const first = await project.stream("go");
  const { sessionDir } = appRootPaths(project.app_root);
  const meta = `${sessionDir(first.session_id)}/meta.json`;
  Deno.writeTextFileSync(meta, Deno.readTextFileSync(meta).replace('"turns": 1', '"turns": 7'));
  const wrong = await project.run(["session", "verify", first.session_id, "--json"]);
  assert.equal(wrong.code, 1);
  assert.deepEqual(JSON.parse(wrong.stdout).problems, ["meta.json: turns is 7, in the journal 1"]);
  const mended = await project.run(["session", "repair", first.session_id]);
  assert.match(mended.stdout, /repaired, all \d+ events are there\nnote: meta\.json is made anew/);
  const sound = await project.run(["session", "repair", first.session_id]);
  assert.match(sound.stdout, /nothing to repair, \d+ events/);

  const id = crypto.randomUUID();
  const run = await project.start(["-p", "go", "--session-id", id]);
  await using _run = run;
  await run.closeInput();
  await project.provider.waitForRequest(2);
  const busy = await project.run(["session", "repair", id]);
  assert.equal(busy.code, 5, busy.stderr);
  const all = await project.run(["session", "verify", "--all"]);
  assert.equal(all.code, 0, all.stdout);
  assert.match(all.stdout, new RegExp(`^${id}: open in another process, not checked$`, "m"));
  assert.match(all.stdout, new RegExp(`^${first.session_id}: ok, \\d+ events$`, "m"));
  const neither = await project.run(["session", "verify"]);
  assert.equal(neither.code, 2);
});
