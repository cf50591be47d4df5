import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { systemWorld } from "../../core/base/mod.ts";
import { openJournal } from "../../core/journal/mod.ts";
import type { Skip } from "../support/shared_tool.ts";
import { testWith } from "../support/skip.ts";
import { tempDir } from "../support/temp_dir.ts";

const world = systemWorld;
const CHILD = fileURLToPath(new URL("./journal_syscall_child.ts", import.meta.url));

/** Runs the child with the `nth` call of `syscall` on the journal's log failing, and every one after it. */
async function runWithFault(path: string, syscall: string, error: string, nth: number): Promise<string[]> {
  const { stdout, stderr, success } = await new Deno.Command("strace", {
    args: [
      ...["-f", "-qq", "-o", "/dev/null", "-P", `${path}-wal`],
      ...["-e", `trace=${syscall}`, "-e", `inject=${syscall}:error=${error}:when=${nth}+`],
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

const FAULTS: [syscall: string, error: string, code: string, nths: number[]][] = [
  ["fsync,fdatasync", "EIO", "journal.io", [1, 2, 3, 7]],
  ["pwrite64", "ENOSPC", "journal.full", [1, 2, 3, 10, 20]],
  ["pwrite64", "EIO", "journal.io", [1, 4, 11]],
];

for (const [syscall, error, code, nths] of FAULTS) {
  testWith(
    `a journal whose ${
      syscall.split(",")[0]
    } fails with ${error} acknowledges nothing more and reopens whole`,
    await canTrace(),
    async () => {
      for (const nth of nths) {
        await using dir = await tempDir();
        const path = dir.join("runtime.sqlite");
        const lines = await runWithFault(path, syscall, error, nth);
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
    },
  );
}
