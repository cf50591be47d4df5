import { DatabaseSync } from "node:sqlite";
import { statSync } from "node:fs";
import { join } from "node:path";
import { matchExpression } from "../../core/app/sessions/search/search_terms.ts";
import { searchSessions } from "../../core/app/sessions/search/search_sessions.ts";
import { SessionStore } from "../../core/app/sessions/session_store.ts";
import { appRootPaths } from "../../core/app_root/mod.ts";
import type { AppRootPaths } from "../../core/app_root/mod.ts";
import { systemWorld } from "../../core/base/mod.ts";
import { openJournal } from "../../core/journal/mod.ts";
import { sessionEvents } from "../../core/session/mod.ts";
import type { NewEvent } from "../../core/types/mod.ts";
import { atMost, median, percentile, round } from "./measure.ts";
import type { BenchResult } from "./measure.ts";

const SESSIONS = 1000;
/** Sessions that are written; the others are copies of them. */
const WRITTEN = 40;
const PROMPTS = 10;
const ROUNDS = 15;
/** A search brings the index up to date, so it costs this many bare queries with a bare look at every session at most. */
const LIMIT = 4;
const QUERIES = [
  "kettle",
  "recovery journal",
  '"every session"',
  "検索",
  "的",
  "한국어",
  "Deno 中文",
  "nothingofthekind",
  "retr",
  "compaction window token",
];

const WORDS =
  "the of and to in is that it was for on are with as be at one have this from by hot word but what some we can out other were all there when up use your how said an each she which do their time if will way about many then them write would like so these her long make thing see him two has look more day could go come did number sound no most people my over know water than call first who may down side been now find any new work part take get place made live where after back little only round man year came show every good me give our under name very through just form sentence great think say help low line differ turn cause much mean before move right boy old too same tell does set three want air well also play small end put home read hand port large spell add even land here must big high such follow act why ask men change went light kind off need house picture try us again animal point mother world near build self earth father kettle recovery journal session compaction window token retry"
    .split(" ");
const UNSPACED = ["全文検索は日本語でも動きます", "用中文搜索所有的会话", "한국어 문장을 검색합니다"];

/** Texts that are the same in every run. */
class Texts {
  #state = 12345;

  next(most: number): number {
    this.#state = (this.#state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return this.#state % most;
  }

  text(words: number): string {
    const text = Array.from({ length: words }, () => WORDS[this.next(WORDS.length)]).join(" ");
    return this.next(4) === 0 ? `${text} ${UNSPACED[this.next(UNSPACED.length)]} every session` : text;
  }
}

async function writeSessions(paths: AppRootPaths): Promise<void> {
  const texts = new Texts();
  for (let index = 0; index < SESSIONS; index++) {
    const file = join(paths.sessionDir(`session-${index}`), "runtime.sqlite");
    await Deno.mkdir(paths.sessionDir(`session-${index}`), { recursive: true });
    if (index >= WRITTEN) {
      await Deno.copyFile(join(paths.sessionDir(`session-${index % WRITTEN}`), "runtime.sqlite"), file);
      continue;
    }
    const journal = await openJournal(file, { create: true, world: systemWorld });
    await journal.append("session", "any", conversation(texts));
    await journal.close();
  }
}

function conversation(texts: Texts): NewEvent[] {
  const events = [sessionEvents.encode("session.created", {
    session_id: "s",
    project_id: "p",
    cwd: "/ws",
    lumina_version: "0",
    origin: "headless",
  })];
  for (let prompt = 0; prompt < PROMPTS; prompt++) {
    const ids = { run_id: `run-${prompt}` };
    const message = {
      role: "assistant" as const,
      content: [{ type: "text" as const, text: texts.text(120) }],
    };
    events.push(
      sessionEvents.encode("run.started", {
        prompt: texts.text(25),
        context: "",
        model: "m",
        mode: "ask",
        tools: [],
      }, ids),
      sessionEvents.encode("model.answered", { model: "m", message_id: "i", stop: "end_turn", message }, ids),
      sessionEvents.encode("run.finished", { status: "success", denials: 0, duration_ms: 1 }, ids),
    );
  }
  return events;
}

/** What no search can do without: whether any journal or log has changed. */
function lookAtAll(paths: AppRootPaths): void {
  for (const { name } of Deno.readDirSync(paths.sessionsDir)) {
    const file = join(paths.sessionDir(name), "runtime.sqlite");
    statSync(file, { throwIfNoEntry: false });
    statSync(`${file}-wal`, { throwIfNoEntry: false });
  }
}

/**
 * A search over 1,000 sessions in one process: the first, which makes the index, then warm ones, which find that nothing
 * is new, against a bare look at the two files of every session with the bare FTS5 query on the same file through an
 * open statement. Interleaved; ratio of medians.
 */
export async function searchSessionsBench(): Promise<BenchResult> {
  const root = await Deno.makeTempDir({ prefix: "lumina-bench-search-" });
  try {
    const paths = appRootPaths(root);
    await writeSessions(paths);
    const store = new SessionStore(paths, systemWorld);
    const search = searchSessions({ store, cache_dir: paths.cacheDir, world: systemWorld });
    const warn = (text: string) => {
      throw new Error(text);
    };
    const run = async (text: string): Promise<number> => {
      const started = performance.now();
      await search.search({ text, archived: false, tools: false, limit: 20 }, warn);
      return performance.now() - started;
    };
    const first = await run(QUERIES[0]!);
    const db = new DatabaseSync(join(paths.cacheDir, "session-search.sqlite"), { readOnly: true });
    const warm: number[] = [];
    const bare: number[] = [];
    const least: number[] = [];
    try {
      const statement = db.prepare(
        "SELECT rowid FROM terms WHERE terms MATCH ? ORDER BY bm25(terms, 3.0, 1.0, 0.5) LIMIT 20",
      );
      for (let count = 0; count < ROUNDS; count++) {
        for (const query of QUERIES) {
          warm.push(await run(query));
          const expression = matchExpression(query, ["title", "text"])!;
          const started = performance.now();
          statement.all(expression);
          bare.push(performance.now() - started);
          lookAtAll(paths);
          least.push(performance.now() - started);
        }
      }
    } finally {
      db.close();
    }
    const { size } = await Deno.stat(join(paths.cacheDir, "session-search.sqlite"));
    return {
      name: "search_sessions",
      figures: {
        first_index_ms: round(first, 0),
        index_mb: round(size / 1e6),
        warm_p50_ms: round(median(warm)),
        warm_p95_ms: round(percentile(warm, 0.95)),
        bare_p50_ms: round(median(bare), 2),
        bare_p95_ms: round(percentile(bare, 0.95), 2),
        bare_with_look_p50_ms: round(median(least), 2),
      },
      ratios: [atMost("search_to_bare_query_and_look", median(warm) / median(least), LIMIT)],
    };
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}
