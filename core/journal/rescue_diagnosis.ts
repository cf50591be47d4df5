import { DatabaseSync } from "node:sqlite";
import { errorMessage } from "../base/mod.ts";
import { isHalfRepaired } from "./repair_journal.ts";
import { runSql } from "./schema.ts";

const MAGIC = "SQLite format 3\0";

/**
 * What is wrong with a journal that could not be opened or read, in a few words for a person; undefined when nothing
 * shows from outside. No process may own the file.
 */
export function describeDamage(path: string): string | undefined {
  if (isHalfRepaired(path)) return "a repair of it was cut off";
  let head: Uint8Array<ArrayBuffer>;
  let size: number;
  try {
    size = Deno.statSync(path).size;
    head = firstBytes(path, 100);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "runtime.sqlite is missing";
    return `runtime.sqlite cannot be read: ${errorMessage(error)}`;
  }
  if (size === 0) return "runtime.sqlite is empty, 0 bytes";
  if (new TextDecoder("latin1").decode(head.subarray(0, MAGIC.length)) !== MAGIC) {
    return "runtime.sqlite does not begin as a database does";
  }
  return cut(head, size) ?? content(path);
}

/** What SQLite says of the content. */
function content(path: string): string | undefined {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { readOnly: true });
    const tables = runSql(db, "SELECT name FROM sqlite_schema WHERE type = 'table'").map(({ name }) => name);
    if (!tables.includes("events")) return "runtime.sqlite is no Lumina journal";
    const [first] = runSql(db, "PRAGMA quick_check(1)");
    const said =
      String(first?.quick_check ?? "ok").replaceAll("*** in database main ***\n", "").split("\n")[0];
    return said === "ok" ? undefined : `runtime.sqlite: ${said}`;
  } catch (error) {
    return `runtime.sqlite: ${errorMessage(error)}`;
  } finally {
    db?.close();
  }
}

/** Whether the file is shorter than its header says. */
function cut(head: Uint8Array<ArrayBuffer>, size: number): string | undefined {
  if (head.length < 100) return `runtime.sqlite is cut off: only ${size} bytes are there`;
  const view = new DataView(head.buffer);
  const stored = view.getUint16(16);
  const whole = view.getUint32(28) * (stored === 1 ? 65536 : stored);
  return whole > size ? `runtime.sqlite is cut off: ${size} of ${whole} bytes are there` : undefined;
}

function firstBytes(path: string, count: number): Uint8Array<ArrayBuffer> {
  using file = Deno.openSync(path, { read: true });
  const bytes = new Uint8Array(count);
  return bytes.slice(0, file.readSync(bytes) ?? 0);
}
