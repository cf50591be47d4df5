/**
 * Migrates the journal of its first argument, with a copy in the second one, through made-up steps 2 to 4, and kills itself
 * at the statement whose number is the third one.
 */
import { DatabaseSync } from "node:sqlite";
import { migrate, type Migration } from "../../core/journal/migrate.ts";

const [path, backup_dir, stop] = Deno.args as [string, string, string];
const STEPS: Migration[] = [2, 3, 4].map((to) => ({
  to,
  statements: [
    `SELECT step() -- before ${to}`,
    `CREATE TABLE step_${to} (a)`,
    `SELECT step() -- inside ${to}`,
    `INSERT INTO step_${to} VALUES (${to})`,
    `SELECT step() -- end of ${to}`,
  ],
}));

const db = new DatabaseSync(path);
for (
  const sql of ["PRAGMA locking_mode = EXCLUSIVE", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL"]
) {
  db.prepare(sql).all();
}
let statements = 0;
db.function("step", { directOnly: true }, () => {
  if (++statements === Number(stop)) Deno.kill(Deno.pid, "SIGKILL");
  return statements;
});
const version = Number(db.prepare("SELECT value FROM meta WHERE key = 'schema_version'").get()?.value);
await migrate(db, path, version, backup_dir, STEPS);
db.close();
