import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Json } from "../../../types/mod.ts";
import { legacyMessage } from "./legacy_message.ts";
import type { LegacyMessage } from "./legacy_message.ts";

/** A summary of the old history, with the texts of the messages that it was made from, where the database says so. */
export interface OldSummary {
  title: string;
  summary: string;
  tags: string[];
  texts: string[];
}

/** More rows than any old history had (it was cut to 200 summaries and 4,000 messages). */
const MOST_ROWS = 100_000;

type Row = Record<string, unknown>;

/**
 * Reads the old history database: its tables `commits`, `messages` and `commit_messages`, by whichever of their names the
 * columns have. Works on a copy in a temporary folder, so that a log beside it is taken in and the source stays as it is.
 * Throws what SQLite throws for a file that is no database, and when there is no table `commits`.
 */
export async function readOldHistory(
  file: string,
  log: string | undefined,
): Promise<{ summaries: OldSummary[]; messages: LegacyMessage[] }> {
  const { DatabaseSync } = await import("node:sqlite");
  const folder = await Deno.makeTempDir({ prefix: "lumina-import-" });
  try {
    const copy = join(folder, "session.sqlite");
    await Deno.copyFile(file, copy);
    if (log !== undefined) await Deno.copyFile(log, `${copy}-wal`);
    const db = new DatabaseSync(copy);
    try {
      db.exec("PRAGMA trusted_schema = OFF");
      return read(db);
    } finally {
      db.close();
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function read(db: DatabaseSync): { summaries: OldSummary[]; messages: LegacyMessage[] } {
  const commits = rows(db, "commits");
  if (commits === undefined) throw new Error("it has no table commits, so it is no history of LuminaCode");
  const stored = rows(db, "messages") ?? [];
  const texts = new Map(
    stored.map((row) => [key(pick(row, "id", "hash", "message_id", "rowid")), content(row)]),
  );
  const hashes = new Map(stored.map((row) => [key(pick(row, "hash", "message_hash")), content(row)]));
  const links = Map.groupBy(
    rows(db, "commit_messages") ?? [],
    (row) => key(pick(row, "commit_id", "commit_no", "commit")),
  );
  const summaries = commits.map((row) => {
    const own = [pick(row, "id", "rowid"), pick(row, "commit_no", "no"), pick(row, "hash", "commit_hash")]
      .map(key);
    const linked = own.flatMap((id) => id === "" ? [] : links.get(id) ?? []);
    const ids = linked.map((link) => key(pick(link, "message_id", "message_hash", "hash", "message")));
    const summary = words(pick(row, "summary", "content", "body"));
    return {
      title: words(pick(row, "title", "subject")) || summary.slice(0, 60),
      summary,
      tags: tagsOf(pick(row, "tags")),
      texts: [...new Set(ids)].map((id) => texts.get(id) ?? hashes.get(id) ?? "").filter((text) =>
        text !== ""
      ),
    };
  });
  const messages = stored.flatMap((row) =>
    legacyMessage({ role: words(pick(row, "role", "type")), content: content(row) }, () => {}) ?? []
  );
  return { summaries: summaries.filter(({ summary }) => summary.trim() !== ""), messages };
}

/** All rows of a table in the order in which they were written; undefined when there is no such table. */
function rows(db: DatabaseSync, table: string): Row[] | undefined {
  const known = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table);
  if (known === undefined) return undefined;
  return db.prepare(`SELECT rowid, * FROM "${table}" ORDER BY rowid LIMIT ${MOST_ROWS}`).all();
}

function pick(row: Row, ...names: string[]): unknown {
  return names.map((name) => row[name]).find((value) => value !== undefined && value !== null);
}

function key(value: unknown): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "bigint"
    ? String(value)
    : "";
}

function words(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A message's text; the old program kept a plain text or its JSON. */
function content(row: Row): string {
  return words(pick(row, "content", "text", "body", "preview"));
}

function tagsOf(value: unknown): string[] {
  const text = words(value).trim();
  let list: Json = text.split(/[,，]/);
  try {
    if (text.startsWith("[")) list = JSON.parse(text);
  } catch {
    // a list of words that only looks like JSON
  }
  if (!Array.isArray(list)) return [];
  return list.filter((tag) => typeof tag === "string").map((tag) => tag.trim()).filter((tag) => tag !== "");
}
