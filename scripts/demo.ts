// deno-lint-ignore-file no-console
// The main job, seen: the real command line repairs a small project against a scripted model, over a real socket.
//   deno task demo [--wire anthropic|openai] [--artifact PATH] [--keep]
import { createTwoFilesPatch } from "diff";
import { parseArgs } from "node:util";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { startScriptedProvider } from "../core/model/scripted/mod.ts";
import { RUN_FLAGS } from "./run_flags.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PROJECT = join(ROOT, "resources/demo/project");
const PROMPT = "The test fails (sh test.sh). Find the bug, fix it, and run the test again.";
/** Files of one age are listed by name, in the replay as in the run. */
const COPIED_AT = new Date("2026-01-01T00:00:00Z");
/** What a run may inherit from this process. */
const INHERITED = ["PATH", "HOME", "LANG", "TMPDIR", "DENO_DIR", "XDG_CACHE_HOME", "SYSTEMROOT"];

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

const { values: options } = parseArgs({
  options: {
    wire: { type: "string", default: "anthropic" },
    artifact: { type: "string" },
    keep: { type: "boolean", default: false },
  },
});
Deno.exit(await demo());

async function demo(): Promise<number> {
  const started = performance.now();
  const place = await Deno.realPath(await Deno.makeTempDir({ prefix: "lumina-demo-" }));
  try {
    const project = join(place, "till");
    await copyTree(PROJECT, project);
    console.log(`Project   ${project}`);
    console.log(`Task      ${PROMPT}\n`);
    const before = await runTest(project);
    const run = await runAgent(project, join(place, "app-root"));
    const after = await runTest(project);
    const again = run.code === 0 ? await replayRun(project, join(place, "app-root")) : run;
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    return await report({ place, project, before, run, after, again, seconds });
  } finally {
    if (!options.keep) await Deno.remove(place, { recursive: true });
  }
}

/** Runs the agent as a user would, in the project, against a scripted provider that ends with it. */
async function runAgent(project: string, app_root: string): Promise<Outcome> {
  const script = JSON.parse(await Deno.readTextFile(join(ROOT, "resources/demo/script.json")));
  await using provider = await startScriptedProvider({ ...script, vars: { dir: project } });
  const flags = ["-p", PROMPT, "--output-format", "json", "--permission-mode", "accept-edits"];
  flags.push("--allowed-tools", "Bash(sh test.sh)");
  flags.push("--base-url", options.wire === "openai" ? `${provider.url}/v1` : provider.url);
  flags.push("--api-type", options.wire, "--api-key", "demo", "--model", "demo-model");
  return await lumina(flags, project, app_root);
}

/** Runs the recorded session again on a fresh copy of the project, without any model: each request must be the same. */
async function replayRun(project: string, app_root: string): Promise<Outcome> {
  const [session] = JSON.parse((await lumina(["session", "list", "--json"], project, app_root)).stdout);
  await Deno.remove(project, { recursive: true });
  await copyTree(PROJECT, project);
  const flags = ["-p", "--provider", `replay:${session.session_id}`, "--permission-mode", "accept-edits"];
  return await lumina([...flags, "--allowed-tools", "Bash(sh test.sh)"], project, app_root);
}

async function lumina(flags: string[], project: string, app_root: string): Promise<Outcome> {
  const source = ["run", "--quiet", "--config", join(ROOT, "deno.json"), ...RUN_FLAGS, join(ROOT, "main.ts")];
  return options.artifact === undefined
    ? await run(Deno.execPath(), [...source, ...flags], project, app_root)
    : await run(resolve(options.artifact), flags, project, app_root);
}

async function report(
  seen: {
    place: string;
    project: string;
    before: Outcome;
    run: Outcome;
    after: Outcome;
    again: Outcome;
    seconds: string;
  },
): Promise<number> {
  const { project, before, run, after, again } = seen;
  if (before.code === 0) return fail("the project's test passes before anything was done", before);
  if (run.code !== 0) return fail(`the agent's run ended with exit code ${run.code}`, run);
  const result = JSON.parse(run.stdout);
  if (after.code !== 0) return fail("the test still fails after the run", after);
  if (again.code !== 0) return fail("the recorded session could not be run again", again);
  console.log(`Answer    ${result.result}\n`);
  console.log(await projectDiff(project));
  console.log(`Test      ${after.stdout.trim().split("\n").at(-1)}`);
  console.log(`Session   ${result.session_id} (${result.num_turns} turns)`);
  console.log("Replay    the session ran again from its recording, each request the same");
  console.log(`Journal   ${await journalSize(join(seen.place, "app-root"), result.session_id)}`);
  console.log(`Time      ${seen.seconds} s, ${options.artifact ?? "from source"}, ${options.wire} wire`);
  if (options.keep) console.log(`Kept      ${seen.place}`);
  console.log(`
The model was a script; everything else was real. With a model of your own, in a project of your own:

  export LUMINA_API_MODEL=<model> LUMINA_API_KEY=<key>
  npx -y deno@2.9.6 task start --cwd /path/to/project -p "The test fails. Find the bug and fix it."`);
  return 0;
}

function fail(what: string, outcome: Outcome): number {
  console.error(`The demo failed: ${what}\n${outcome.stdout}${outcome.stderr}`);
  return 1;
}

function runTest(project: string): Promise<Outcome> {
  return run("sh", ["test.sh"], project, project);
}

async function run(program: string, args: string[], cwd: string, app_root: string): Promise<Outcome> {
  const env: Record<string, string> = { LUMINA_APP_ROOT: app_root, NO_COLOR: "1" };
  for (const name of INHERITED) {
    const value = Deno.env.get(name);
    if (value !== undefined) env[name] = value;
  }
  const output = await new Deno.Command(program, { args, cwd, env, clearEnv: true, stdin: "null" }).output();
  const decoder = new TextDecoder();
  return { code: output.code, stdout: decoder.decode(output.stdout), stderr: decoder.decode(output.stderr) };
}

/** What the run changed, as a unified diff of each file that differs. */
async function projectDiff(project: string): Promise<string> {
  const parts: string[] = [];
  for (const path of await filesUnder(project)) {
    const name = relative(project, path);
    const old = await Deno.readTextFile(join(PROJECT, name)).catch(() => ""); // a file that the run has made
    const now = await Deno.readTextFile(path);
    if (old !== now) {
      parts.push(createTwoFilesPatch(`a/${name}`, `b/${name}`, old, now, "", "", { context: 2 }));
    }
  }
  return parts.join("\n").replaceAll(/^=+\n/gm, "");
}

async function journalSize(app_root: string, session_id: string): Promise<string> {
  let bytes = 0;
  for (const path of await filesUnder(app_root)) {
    if (path.includes(session_id) && /runtime\.sqlite(-wal)?$/.test(path)) {
      bytes += (await Deno.stat(path)).size;
    }
  }
  return `${(bytes / 1024).toFixed(0)} KiB in runtime.sqlite`;
}

async function copyTree(from: string, to: string): Promise<void> {
  for (const path of await filesUnder(from)) {
    const target = join(to, relative(from, path));
    await Deno.mkdir(join(target, ".."), { recursive: true });
    await Deno.copyFile(path, target);
    await Deno.utime(target, COPIED_AT, COPIED_AT);
  }
}

async function filesUnder(directory: string): Promise<string[]> {
  const paths: string[] = [];
  for (const entry of await Array.fromAsync(Deno.readDir(directory))) {
    const path = join(directory, entry.name);
    if (entry.isDirectory) paths.push(...await filesUnder(path));
    else if (entry.isFile) paths.push(path);
  }
  return paths.sort();
}
