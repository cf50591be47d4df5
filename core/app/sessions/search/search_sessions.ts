import { join } from "node:path";
import { makePrivateDirectory, projectIdentity, startDirectory } from "../../../app_root/mod.ts";
import { errorMessage, EXIT, LuminaError } from "../../../base/mod.ts";
import type { World } from "../../../base/mod.ts";
import type { SearchPort, SearchQuery, SearchResult } from "../../../cli/mod.ts";
import type { SavedSession, SessionStore } from "../session_store.ts";
import { SearchIndex } from "./search_index.ts";
import type { IndexedSession, SessionNews } from "./search_index.ts";
import { matchExpression } from "./search_terms.ts";
import { sessionNews } from "./session_news.ts";
import { snippetOf } from "./snippet.ts";

/** News that is gathered for one transaction: sessions, and UTF-16 units of their texts. */
const SESSIONS_AT_ONCE = 100;
const UNITS_AT_ONCE = 4 * 1024 * 1024;
/** How often a session that seems to be open is asked again: another reader may just have looked at it. */
const BUSY_TRIES = 3;
/** How often the index is opened: a damaged one is made again, and another process may do that at the same time. */
const INDEX_TRIES = 4;

/** SQLite's primary result codes (https://sqlite.org/rescode.html) that no new index would help against. */
const LASTING = { busy: 5, full: 13, cantopen: 14 } as const;
const READONLY = 8;

export interface SearchOptions {
  store: SessionStore;
  /** A private folder that may be deleted at any time. */
  cache_dir: string;
  world: World;
}

/**
 * Search over all saved sessions. The index is brought up to date first: it reads what journals have said since it last
 * looked, and forgets what was deleted, redacted or taken back. A damaged index is made again without a word.
 */
export function searchSessions(options: SearchOptions): SearchPort {
  return {
    async search(query, warn) {
      const columns = query.tools ? ["title", "text", "tool"] : ["title", "text"];
      const expression = matchExpression(query.text, columns);
      if (expression === undefined) {
        throw new LuminaError(
          "cli.usage",
          `Nothing to look for in ${JSON.stringify(query.text)}: give at least one letter or digit`,
          { exit: EXIT.usage },
        );
      }
      const cwd = query.cwd === undefined ? undefined : projectIdentity(startDirectory(query.cwd)).root;
      makePrivateDirectory(options.cache_dir);
      const file = join(options.cache_dir, "session-search.sqlite");
      return await withIndex(file, async (index) => {
        const open = await bringUpToDate(index, options, warn);
        return { hits: hitsOf(index, expression, cwd, query), open };
      });
    },
  };
}

function hitsOf(
  index: SearchIndex,
  expression: string,
  cwd: string | undefined,
  { text, archived, limit }: SearchQuery,
): SearchResult["hits"] {
  return index.find(expression, { cwd, archived, limit }).map(({ session, seq, text: found, ...entry }) => {
    const { text: snippet, marks } = snippetOf(found, text);
    return { session_id: session, number: seq, ...entry, snippet, marks };
  });
}

/** Opens the index for `use`. What is damaged, or made of something else, is deleted and made again. */
async function withIndex<T>(file: string, use: (index: SearchIndex) => Promise<T>): Promise<T> {
  for (let attempt = 1;; attempt++) {
    let index: SearchIndex | undefined;
    try {
      index = new SearchIndex(file);
      return await use(index);
    } catch (error) {
      if (error instanceof LuminaError) throw error;
      const replaced = index !== undefined && !index.current;
      const code = ((error as { errcode?: unknown }).errcode as number | undefined ?? 1) & 0xff;
      const lasting = (Object.values(LASTING) as number[]).includes(code) ||
        (code === READONLY && !replaced) ||
        error instanceof Deno.errors.PermissionDenied || attempt >= INDEX_TRIES;
      if (lasting) throw indexError(file, error);
      index?.close();
      index = undefined;
      if (!replaced) deleteIndex(file);
    } finally {
      index?.close();
    }
  }
}

function deleteIndex(file: string): void {
  for (const path of [file, `${file}-journal`]) {
    try {
      Deno.removeSync(path);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw indexError(file, error);
    }
  }
}

function indexError(file: string, cause: unknown): LuminaError {
  const message = `Cannot keep the search index ${file}: ${
    errorMessage(cause)
  }; it may be deleted at any time, it is made again`;
  return new LuminaError("search.index", message, { cause });
}

/** Reads what is new in all sessions; gives the ids of those with news that a process keeps to itself. */
async function bringUpToDate(
  index: SearchIndex,
  { store, world }: SearchOptions,
  warn: (text: string) => void,
): Promise<string[]> {
  const known = index.sessions();
  const open: string[] = [];
  const gone = new Set(known.keys());
  let news: SessionNews[] = [];
  let units = 0;
  const flush = () => {
    if (news.length > 0) index.update(news, []);
    news = [];
    units = 0;
  };
  for (const archived of [false, true]) {
    for (const id of store.ids(archived)) {
      const saved = savedSession(store, id, archived);
      if (saved === undefined) continue;
      gone.delete(id);
      const before = known.get(id);
      const place = placeOf(saved);
      if (place === undefined) continue; // no journal yet
      if (place.text === before?.place) continue;
      const item = await newsOf(saved, before, place.inode, store, world);
      if (item === "open") open.push(id);
      else if (typeof item === "string") warn(`The session ${id} cannot be searched: ${item}`);
      else {
        // looking at it may itself have touched the log
        item.session.place = placeOf(saved)?.text ?? place.text;
        news.push(item);
        for (const change of item.changes) if ("text" in change) units += change.text.length;
      }
      if (news.length >= SESSIONS_AT_ONCE || units >= UNITS_AT_ONCE) flush();
    }
  }
  flush();
  if (gone.size > 0) index.update([], [...gone]);
  return open;
}

/** A folder with another name than a session's is none. */
function savedSession(store: SessionStore, id: string, archived: boolean): SavedSession | undefined {
  try {
    return store.at(id, archived);
  } catch (error) {
    if (error instanceof LuminaError) return undefined;
    throw error;
  }
}

/** The news of one session, "open" when a process owns it, or why it cannot be read. */
async function newsOf(
  saved: SavedSession,
  before: IndexedSession | undefined,
  inode: number,
  store: SessionStore,
  world: World,
): Promise<SessionNews | string> {
  const { session_id: id, archived } = saved;
  const known = before ??
    { id, inode, place: "", seq: 0, answer: 0, archived, title: "", titled: false, cwd: "" };
  for (let attempt = 1;; attempt++) {
    try {
      const journal = await store.openJournal(saved);
      try {
        return await sessionNews(journal, { ...known, archived }, inode);
      } finally {
        await journal.close();
      }
    } catch (error) {
      if (!(error instanceof LuminaError)) throw error;
      if (error.code !== "journal.busy") return errorMessage(error);
      if (attempt >= BUSY_TRIES) return "open";
      await world.sleep(5 + world.random() * 20);
    }
  }
}

/** What changes whenever the journal does, and the file's number. */
function placeOf({ journal_file, archived }: SavedSession): { text: string; inode: number } | undefined {
  const main = stat(journal_file);
  if (main === undefined) return undefined;
  const log = stat(`${journal_file}-wal`);
  const parts = [main.ino, main.size, main.mtime?.getTime(), log?.size ?? 0];
  if (log !== undefined && log.size > 0) parts.push(log.mtime?.getTime());
  return { text: `${archived ? "archive" : "active"} ${parts.join(" ")}`, inode: main.ino ?? 0 };
}

function stat(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch {
    return undefined; // not there, or not to be looked at: opening it says why
  }
}
