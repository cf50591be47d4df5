import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { systemWorld } from "../../core/base/mod.ts";
import { openJournal } from "../../core/journal/mod.ts";
import type { Skip } from "../support/shared_tool.ts";
import { testWith } from "../support/skip.ts";
import { tempDir } from "../support/temp_dir.ts";

const world = systemWorld;
const CHILD = fileURLToPath(new URL("./journal_syscall_child.ts", import.meta.url));

/** Runs the child with the `nth` call of `syscall` on the journal's log going wrong, and every one after it. */
async function runWithFault(path: string, syscall: string, fault: string, nth: number): Promise<string[]> {
  const { stdout, stderr, success } = await new Deno.Command("strace", {
    args: [
      ...["-f", "-qq", "-o", "/dev/null", "-P", `${path}-wal`],
      ...["-e", `trace=${syscall}`, "-e", `inject=${syscall}:${fault}:when=${nth}+`],
      ...[Deno.execPath(), "run", "-A", "--no-check", CHILD, path],
    ],
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).trim().split("\n");
}

async function canTrace(): Promise<{ tracer: true } | Skip> {
  try {
    const { success } = await new Deno.Command("strace", {
      args: ["-qq", "-o", "/dev/null", "true"],
      stderr: "null",
    })
      .output();
    return success ? { tracer: true } : { skip: "strace may not trace here" };
  } catch {
    return { skip: "strace is not there to make system calls fail" };
  }
}

/** A write that stores less than it was given; strace can only make it store nothing. */
const SHORT = "retval=0";

/** `step`: every how many calls the fault begins, from the first to where it begins too late to be met. */
const FAULTS: [syscall: string, fault: string, code: string, step: number][] = [
  ["fsync,fdatasync", "error=EIO", "journal.io", 2],
  ["pwrite64", "error=ENOSPC", "journal.full", 5],
  ["pwrite64", "error=EIO", "journal.io", 7],
  ["pwrite64", SHORT, "journal.full", 7],
];
/** No run makes so many calls. */
const MOST_CALLS = 300;

for (const [syscall, fault, code, step] of FAULTS) {
  testWith(
    `a journal whose ${
      syscall.split(",")[0]
    } goes wrong (${fault}) acknowledges nothing more and reopens whole, whichever call it begins with`,
    await canTrace(),
    async () => {
      let met = 0;
      for (let nth = 1; nth < MOST_CALLS; nth += step) {
        await using dir = await tempDir();
        const path = dir.join("runtime.sqlite");
        const lines = await runWithFault(path, syscall, fault, nth);
        if (lines.at(-1) === "no error") break; // it begins after the last call
        met++;
        const acks = lines.filter((line) => line.startsWith("ack "));
        const rest = lines.slice(acks.length);
        // The opening itself may meet the fault; an append that met it is followed by a refusal.
        assert.equal(rest[0], code, `call ${nth}: ${lines.join(", ")}`);
        assert.ok(rest.length === 1 || rest[1] === "journal.failed", `call ${nth}: ${lines.join(", ")}`);
        const journal = await openJournal(path, { world, create: true });
        const events = await journal.read();
        assert.ok(
          events.length >= acks.length,
          `call ${nth}: ${acks.length} acknowledged, ${events.length} found`,
        );
        assert.ok(events.every((event) => event.type === "a.step"));
        assert.deepEqual((await journal.verify()).problems, []);
        await journal.append("session", "any", [{ type: "a.after", version: 1, payload: null }]);
        await journal.close();
      }
      assert.ok(met >= 3, `only ${met} calls were met`);
    },
  );
}

/** Kills the child at its `nth` write into the file itself, which only a checkpoint makes; true when it came so far. */
async function killedInCheckpoint(path: string, nth: number): Promise<{ acks: number; killed: boolean }> {
  const { stdout } = await new Deno.Command("strace", {
    args: [
      ...["-f", "-qq", "-o", "/dev/null", "-P", path],
      ...["-e", "trace=pwrite64", "-e", `inject=pwrite64:signal=KILL:when=${nth}`],
      ...[Deno.execPath(), "run", "-A", "--no-check", CHILD, path, "close"],
    ],
  }).output();
  const lines = new TextDecoder().decode(stdout).trim().split("\n");
  const acks = lines.filter((line) => line.startsWith("ack ")).length;
  return { acks, killed: !lines.includes("closed") };
}

testWith(
  "a journal whose owner is killed in the middle of a checkpoint keeps everything",
  await canTrace(),
  async () => {
    let met = 0;
    for (let nth = 1; nth < MOST_CALLS; nth += 3) {
      await using dir = await tempDir();
      const path = dir.join("runtime.sqlite");
      const { acks, killed } = await killedInCheckpoint(path, nth);
      if (!killed) break;
      met++;
      const journal = await openJournal(path, { world, create: true });
      assert.ok(await journal.head() >= acks, `write ${nth}`);
      assert.deepEqual((await journal.verify()).problems, [], `write ${nth}`);
      await journal.append("session", "any", [{ type: "a.after", version: 1, payload: null }]);
      await journal.close();
    }
    assert.ok(met >= 2, `only ${met} writes of a checkpoint were met`);
  },
);
