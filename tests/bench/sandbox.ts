import type { CallContext, ConfinementLevel } from "../../core/plugin_api/mod.ts";
import { emptyGrant } from "../../core/plugin_api/mod.ts";
import { WorkerTier } from "../../core/plugin_host/mod.ts";
import { findSandbox } from "../support/find_sandbox.ts";
import { tempDir } from "../support/temp_dir.ts";
import { atMost, type BenchResult, median, round } from "./measure.ts";

const CALLS = 40;
const BASH = "/usr/bin/bash";
const BWRAP = "/usr/bin/bwrap";
const LEVELS = ["none", "guarded", "closed"] as const;
/** Times that a short command may cost what it costs without a sandbox. */
const LIMITS = { guarded: 3, closed: 6 };

/** A short command through a warm worker: without a sandbox, guarded with a home full of secrets, closed. */
export async function sandboxBench(): Promise<BenchResult> {
  const name = "sandbox";
  const sandbox = await findSandbox(BWRAP);
  if (!("works" in sandbox)) return { name, figures: { without_a_sandbox: 1 }, ratios: [] };
  await using dir = await tempDir("lumina-bench-sandbox-");
  await dir.write("ws/file", "x");
  const secrets: { path: string; dir: boolean }[] = [];
  for (const folder of [".ssh", ".aws", ".gnupg", ".kube", ".docker", ".mozilla"]) {
    await dir.write(`home/${folder}/key`, "x");
    secrets.push({ path: dir.join(`home/${folder}`), dir: true });
  }
  for (const file of [".netrc", ".npmrc", ".bash_history", ".git-credentials"]) {
    secrets.push({ path: await dir.write(`home/${file}`, "x"), dir: false });
  }
  await Deno.mkdir(dir.join("spill"));
  const tier = new WorkerTier(new URL("../../core/app/plugin_worker.ts", import.meta.url));
  const context = (level: ConfinementLevel): CallContext => ({
    call_id: crypto.randomUUID(),
    cwd: dir.join("ws"),
    read_roots: [dir.join("ws"), dir.join("spill")],
    write_roots: [dir.join("ws")],
    deny_read: [],
    deny_write: [],
    seen: {},
    spill_dir: dir.join("spill"),
    confinement: { level, network: level !== "closed", secrets: [] },
    child_env: { PATH: "/usr/bin:/bin", HOME: dir.join("home") },
    config: { bash_path: BASH, bwrap_path: BWRAP, sandbox: { secrets } },
  });
  const command = async (level: ConfinementLevel): Promise<number> => {
    const start = performance.now();
    const outcome = await tier.call({
      plugin: "tools_shell",
      tool: "Bash",
      input: { command: "cat file" },
      context: context(level),
      grant: {
        ...emptyGrant(),
        run: [BASH, BWRAP],
        read: [dir.join("ws"), dir.join("spill")],
        write: [dir.join("spill")],
      },
      once: false,
      timeout_ms: 10_000,
      signal: new AbortController().signal,
      progress() {},
    });
    if (outcome.content !== "x") throw new Error(`${level}: ${outcome.content}`);
    return performance.now() - start;
  };
  try {
    const taken: Record<ConfinementLevel, number[]> = { none: [], guarded: [], closed: [] };
    for (let call = -3; call < CALLS; call++) {
      for (const level of LEVELS) {
        const ms = await command(level);
        if (call >= 0) taken[level].push(ms);
      }
    }
    const ms = (level: ConfinementLevel) => median(taken[level]);
    return {
      name,
      figures: Object.fromEntries(LEVELS.map((level) => [`${level}_p50_ms`, round(ms(level), 2)])),
      ratios: [
        atMost("guarded_to_none_p50", ms("guarded") / ms("none"), LIMITS.guarded),
        atMost("closed_to_none_p50", ms("closed") / ms("none"), LIMITS.closed),
      ],
    };
  } finally {
    await tier.close();
  }
}
