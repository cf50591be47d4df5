import type { CliIo } from "./io.ts";
import type { SessionListPort, SessionQuery, SessionRow } from "./session_list_port.ts";

/** Rows of a table that nobody has limited. */
const DEFAULT_LIMIT = 50;

/** `session list` and `--list`: saved sessions as a table by project, or as JSON, which has all unless `limit` says less. */
export async function printSessions(
  sessions: SessionListPort,
  io: CliIo,
  query: SessionQuery & { json: boolean },
): Promise<number> {
  const limit = query.limit ?? (query.json ? undefined : DEFAULT_LIMIT);
  const { rows, more } = await sessions.list(
    { ...query, ...(limit === undefined ? {} : { limit }) },
    (text) => io.err(`lumina: ${text}\n`),
  );
  if (query.json) {
    await io.out(`${JSON.stringify(rows)}\n`);
    return 0;
  }
  if (rows.length === 0) {
    const where = query.all ? "" : " in this directory (--all has every project)";
    await io.out(query.archived ? `No archived sessions${where}\n` : `No sessions yet${where}\n`);
    return 0;
  }
  const projects = Map.groupBy(rows, ({ cwd }) => cwd);
  const parts = [...projects].map(([cwd, own]) => `${folderText(cwd)}\n${own.map(rowText).join("")}`);
  await io.out(parts.join("\n"));
  if (more > 0) await io.out(`\n${more} more: --limit ${rows.length + more} or --json shows them\n`);
  return 0;
}

function rowText(row: SessionRow): string {
  const facts = [
    minuteText(row.updated_ts),
    statusText(row),
    `${row.turns} ${row.turns === 1 ? "turn" : "turns"}`,
    `${row.tokens} tokens`,
    ...(row.cost_usd === null ? [] : [`$${row.cost_usd.toFixed(4)}`]),
    ...(row.pinned ? ["pinned"] : []),
    ...(row.forked_from === null ? [] : [`fork of ${row.forked_from.session_id}`]),
  ];
  return `  ${row.session_id}  ${facts.join("  ")}\n    ${titleText(row.title)}\n`;
}

/** How the session stands, in words. */
export function statusText(row: Pick<SessionRow, "status" | "open" | "archived">): string {
  if (row.archived) return "archived";
  if (row.open) return row.status === "running" ? "running" : "open";
  return row.status === "" ? "new" : row.status;
}

/** Where sessions work; one of an older LuminaCode gets its directory when it is resumed. */
export function folderText(cwd: string): string {
  return cwd === "" ? "(no directory yet)" : cwd;
}

/** The title on one line. */
export function titleText(title: string): string {
  return title === "" ? "(no prompt yet)" : title.replace(/\s+/gu, " ");
}

/** A moment to the minute. */
export function minuteText(ts: number): string {
  return `${new Date(ts).toISOString().slice(0, 16).replace("T", " ")}Z`;
}
