import type { AppPort, SessionRow } from "./app_port.ts";
import type { CliIo } from "./io.ts";

/** `--list`: the saved sessions, newest first, as a table or as JSON. */
export async function printSessions(app: AppPort, io: CliIo, json: boolean): Promise<number> {
  const rows = await app.listSessions((text) => io.err(`lumina: ${text}\n`));
  if (json) await io.out(`${JSON.stringify(rows)}\n`);
  else if (rows.length === 0) await io.out("No sessions yet\n");
  else await io.out(rows.map(rowText).join(""));
  return 0;
}

function rowText(row: SessionRow): string {
  const when = new Date(row.updated_ts).toISOString().slice(0, 16).replace("T", " ");
  const cost = row.cost_usd === null ? "" : `  $${row.cost_usd.toFixed(4)}`;
  return `${row.session_id}  ${when}Z  ${row.status}  ${row.turns} ${
    row.turns === 1 ? "turn" : "turns"
  }  ${row.tokens} tokens${cost}\n` +
    `    ${row.title === "" ? "(no prompt yet)" : row.title}\n    ${row.cwd}\n`;
}
