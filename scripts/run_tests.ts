// deno-lint-ignore-file no-console
// Runs the tests, as many processes at a time as there are cores: `deno task test [PATH…]`. Each file below tests/ has a
// process of its own, so that no test sees another's environment, children or working folder; unit tests share one per folder.
// The program itself runs bundled, as it ships: it starts three times as fast, and a test starts it often.
import { join } from "node:path";
import { bundleProgram } from "./bundle_program.ts";
import { stageAssets } from "./stage_assets.ts";

const FLAGS = ["test", "-A", "--unstable-worker-options"];
/** Begun first, so that none of them is what the others wait for at the end. */
const LONG = [
  "tests/e2e/crash_kill_test.ts",
  "tests/security/fuzz/fuzz_test.ts",
  "tests/e2e/damaged_session_test.ts",
  "tests/e2e/known_shell_test.ts",
  "tests/e2e/lockdown_test.ts",
  "tests/e2e/legacy_import_test.ts",
  "tests/fault/journal_kill_test.ts",
];

/** Characters of what a failed process said that are repeated at the end. */
const SAID = 700;

interface Counts {
  passed: number;
  failed: number;
  ignored: number;
}

/** The files of each process. */
async function groups(root: string): Promise<string[][]> {
  const units = new Map<string, string[]>();
  const alone: string[] = [];
  for await (const file of testFiles(root, "")) {
    if (file.startsWith("tests/")) {
      alone.push(file);
      continue;
    }
    const folder = file.split("/").slice(0, 2).join("/");
    units.set(folder, [...units.get(folder) ?? [], file]);
  }
  const rank = (file: string) => (LONG.includes(file) ? LONG.indexOf(file) : LONG.length);
  alone.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  const long = alone.filter((file) => LONG.includes(file));
  const rest = alone.slice(long.length);
  return [...long.map((file) => [file]), ...units.values(), ...rest.map((file) => [file])];
}

async function* testFiles(root: string, folder: string): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(join(root, folder))) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (/^(node_modules|dist|resources|\..*)$/.test(entry.name)) continue;
    if (entry.isDirectory) yield* testFiles(root, path);
    else if (entry.isFile && entry.name.endsWith("_test.ts")) yield path;
  }
}

/** Runs one process to its end and shows what it printed in one piece. */
async function runGroup(
  root: string,
  files: string[],
  env: Record<string, string>,
  signal: AbortSignal,
): Promise<Counts & { said: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...FLAGS, "--no-check", ...files],
    cwd: root,
    env,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    signal,
  }).output();
  const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  console.log(text.trimEnd());
  const plain = withoutColours(text);
  return {
    ...count(plain, code),
    said: /\n ERRORS \n([\s\S]*?)\n FAILURES \n/.exec(plain)?.[1] ?? plain.slice(-SAID),
  };
}

function withoutColours(text: string): string {
  // deno-lint-ignore no-control-regex -- colours
  return text.replace(/\x1b\[[0-9;]*m/g, "");
}

/** What the last line of a run says; a run that broke before it counts as one failure. */
function count(plain: string, code: number): Counts {
  const line = plain.match(/^(?:ok|FAILED) \| .*$/gm)?.at(-1) ?? "";
  const of = (what: string) => Number(new RegExp(`(\\d+) ${what}`).exec(line)?.[1] ?? 0);
  const failed = of("failed");
  return { passed: of("passed"), failed: code === 0 ? failed : Math.max(1, failed), ignored: of("ignored") };
}

async function runAll(root: string): Promise<boolean> {
  const started = performance.now();
  const checked = await new Deno.Command(Deno.execPath(), { args: ["check"], cwd: root, stdin: "null" })
    .spawn()
    .status;
  if (!checked.success) return false;
  const stage = await Deno.makeTempDir({ prefix: "lumina-tests-" });
  await bundleProgram(root, stage, join(stage, "maps"));
  await stageAssets(root, stage);
  const env = { LUMINA_TEST_PROGRAM: join(stage, "main.js") };
  const stopped = new AbortController();
  const stop = () => stopped.abort();
  for (const name of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(name, stop);
  const queue = await groups(root);
  const total: Counts = { passed: 0, failed: 0, ignored: 0 };
  const broken: string[] = [];
  const lane = async () => {
    for (let files = queue.shift(); files !== undefined; files = queue.shift()) {
      if (stopped.signal.aborted) return;
      const counts = await runGroup(root, files, env, stopped.signal);
      for (const key of ["passed", "failed", "ignored"] as const) total[key] += counts[key];
      if (counts.failed > 0) {
        broken.push(`FAILED in ${files.join(" ")}\n${counts.said.trim().slice(0, SAID)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, navigator.hardwareConcurrency) }, lane));
  await Deno.remove(stage, { recursive: true });
  for (const failure of broken) console.log(`\n${failure}`);
  const { passed, failed, ignored } = total;
  const good = failed === 0 && passed > 0 && !stopped.signal.aborted;
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(
    `\n${good ? "ok" : "FAILED"} | ${passed} passed | ${failed} failed | ${ignored} ignored (${seconds}s)`,
  );
  return good;
}

const root = join(import.meta.dirname ?? ".", "..");
if (Deno.args.length === 0) Deno.exit(await runAll(root) ? 0 : 1);
// some tests alone: as they are
const { code } = await new Deno.Command(Deno.execPath(), { args: [...FLAGS, ...Deno.args], stdin: "null" })
  .spawn()
  .status;
Deno.exit(code);
