import assert from "node:assert/strict";
import { parseTable, ProcessTable, tableOfPs } from "./process_table.ts";
import { programCommand } from "./program_command.ts";
import { RUN_FLAGS } from "../../../scripts/run_flags.ts";

const linux = Deno.build.os === "linux";

Deno.test("parseTable() is not misled by what a process is called", () => {
  const numbers = "1 7 7 0 -1 4194560 1 1 0 0 250 50 100 0 20 0 1 0 12345 99 256 18446744073709551615 1 1";
  const row = {
    parent: 1,
    group: 7,
    session: 7,
    started: 12345,
    memory_mib: 1,
    cpu_seconds: 4,
    ended: false,
  };
  const names = ["sleep", "a) S 1 1 1\n", "\n9 (x) Z 1 1", "((", "))", ""];
  const text = names.map((name, at) => `${at + 40} (${name}) S ${numbers}\n`).join("");
  assert.deepEqual(parseTable(text, 4096), names.map((_name, at) => ({ pid: at + 40, ...row })));
  assert.deepEqual(parseTable(`41 (cut) S 1 2\n42 (whole) S ${numbers}\n`, 4096), [{ pid: 42, ...row }]);
  assert.deepEqual(parseTable("", 4096), []);
});

Deno.test({
  name: "ProcessTable and ps show this process, and a table whose shell was ended starts another one",
  ignore: !linux,
  async fn() {
    const table = new ProcessTable();
    const own = (await table.look([Deno.pid, 0]))?.[0];
    assert.equal(own?.pid, Deno.pid);
    assert.equal(own?.parent, Deno.ppid);
    assert.ok(own.memory_mib > 10 && own.memory_mib < 10_000);
    const all = await table.look("all");
    const shell = all?.find(({ pid }) => pid === table.shell);
    assert.equal(shell?.parent, Deno.pid);
    assert.equal(shell.group, shell.pid);
    assert.ok(all?.some(({ pid }) => pid === Deno.pid));
    Deno.kill(shell.pid, "SIGKILL");
    assert.equal(await table.look([Deno.pid]), undefined);
    assert.equal((await table.look([Deno.pid]))?.length, 1);
    await table.close();
    const same = (await tableOfPs([Deno.pid]))?.[0];
    assert.equal(same?.parent, own.parent);
    assert.equal(same?.group, own.group);
    assert.ok(Math.abs((same?.memory_mib ?? 0) / own.memory_mib - 1) < 0.5);
  },
});

Deno.test("a pack's process starts with the permissions of the product", () => {
  const { args } = programCommand();
  assert.deepEqual(RUN_FLAGS.filter((flag) => !args.includes(flag)), []);
});
