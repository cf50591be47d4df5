import assert from "node:assert/strict";
import { parseTable, selectTree } from "./process_table.ts";

const stat = (pid: number, name: string, state: string, parent: number, group: number, session: number) =>
  `${pid} (${name}) ${state} ${parent} ${group} ${session} ${"0 ".repeat(15)}${pid * 10} 0 0`;

Deno.test("parseTable() reads odd names, drops dead processes and knows the marked ones", () => {
  const table = parseTable(
    [stat(10, "a) S (b", "S", 1, 10, 10), stat(11, "dead", "Z", 10, 10, 10), "", "/proc/12/environ", ""].join(
      "\n",
    ),
  );
  assert.deepEqual(table.rows, [{
    pid: 10,
    parent: 1,
    group: 10,
    session: 10,
    name: "a) S (b",
    start: "100",
  }]);
  assert.deepEqual([...table.marked], [12]);
});

Deno.test("parseTable() reads ps where there is no /proc", () => {
  const table = parseTable("  10 Ss      1    10 /bin/bash\n  11 Z     10    10 (x)\n");
  assert.deepEqual(table.rows, [{ pid: 10, parent: 1, group: 10, session: 0, name: "/bin/bash", start: "" }]);
});

Deno.test("selectTree() finds group, session, marked, known and all descendants, and spares the others", () => {
  const table = parseTable(
    [
      stat(10, "leader", "S", 5, 10, 10),
      stat(11, "group", "S", 10, 10, 10),
      stat(12, "session", "S", 1, 12, 10),
      stat(13, "child", "S", 12, 13, 13),
      stat(14, "grandchild", "S", 13, 13, 13),
      stat(20, "marked", "S", 1, 20, 20),
      stat(30, "known", "S", 1, 30, 30),
      stat(31, "pid used again", "S", 1, 31, 31),
      stat(5, "host", "S", 1, 5, 5),
      stat(40, "other", "S", 5, 40, 40),
      "/proc/20/environ",
      "/proc/5/environ",
    ].join("\n"),
  );
  const known = new Map([[30, "300"], [31, "999"]]);
  const pids = selectTree(table, [10], known, [5]).map((row) => row.pid).sort((a, b) => a - b);
  assert.deepEqual(pids, [10, 11, 12, 13, 14, 20, 30]);
});
