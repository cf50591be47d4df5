// Grep and Glob on a tree of 50,000 files, in a worker with the permissions of the reading tools, against ripgrep.
import { join } from "node:path";
import type { CallContext, JsonObject } from "../../core/plugin_api/mod.ts";
import { findRg } from "../../plugins/tools_search/search_testing.ts";
import type { SearchCall } from "./search_worker.ts";

const DIRECTORIES = 2500;
const FILES_EACH = 20;
const ROUNDS = 5;

/**
 * Milliseconds of searches without and with ripgrep as helper, and of ripgrep alone, median of five rounds that take
 * turns. The limits hold the built-in search to a small multiple of ripgrep, which is compiled and has every core.
 */
export async function searchTree(): Promise<{
  name: "search";
  figures: Record<string, number>;
  ratios: { name: string; value: number; limit: number; ok: boolean }[];
}> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "lumina-bench-search-" }));
  const rg = findRg();
  const permissions = {
    read: [root],
    write: [],
    net: [],
    env: [],
    run: rg === undefined ? [] : [rg],
    sys: [],
    ffi: [],
    import: [],
  };
  const worker = new Worker(new URL("./search_worker.ts", import.meta.url), {
    type: "module",
    deno: { permissions },
  } as WorkerOptions);
  try {
    await plantTree(root);
    const context: CallContext = {
      call_id: "bench",
      cwd: root,
      read_roots: [root],
      write_roots: [],
      deny_read: [],
      deny_write: [],
      seen: {},
      spill_dir: root,
      child_env: {},
      config: {},
    };
    const withRg = rg === undefined ? context : { ...context, config: { rg_path: rg } };
    const rare: JsonObject = { pattern: "needle_here" };
    const regex: JsonObject = { pattern: "(needle|absent)_h[a-z]+", output_mode: "content" };
    const runs: Record<string, () => Promise<number>> = {
      grep_ms: () => timedCall(worker, { tool: "Grep", input: rare, context }, "a0/"),
      grep_regex_ms: () => timedCall(worker, { tool: "Grep", input: regex, context }, "a0/"),
      glob_ms: () =>
        timedCall(worker, { tool: "Glob", input: { pattern: "**/file1.ts" }, context }, " of 2500 files"),
      glob_all_ms: () =>
        timedCall(worker, { tool: "Glob", input: { pattern: "**/*" }, context }, " of 50000 files"),
    };
    if (rg !== undefined) {
      const common = ["--no-config", "--hidden", "--no-require-git"];
      runs.grep_with_rg_ms = () => timedCall(worker, { tool: "Grep", input: rare, context: withRg }, "a0/");
      runs.rg_grep_ms = () => timedRg(rg, root, [...common, "-l", "needle_here", "."]);
      runs.rg_grep_regex_ms = () => timedRg(rg, root, [...common, "-n", "(needle|absent)_h[a-z]+", "."]);
      runs.rg_glob_ms = () =>
        timedRg(rg, root, ["--files", ...common, "-g", "**/file1.ts", "--sortr", "modified", "."]);
      runs.rg_glob_all_ms = () => timedRg(rg, root, ["--files", ...common, "--sortr", "modified", "."]);
    }
    const times: Record<string, number[]> = {};
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [name, run] of Object.entries(runs)) {
        const ms = await run();
        if (round > 0) (times[name] ??= []).push(ms); // the first round warms caches
      }
    }
    const figures: Record<string, number> = { files: DIRECTORIES * FILES_EACH };
    for (const [name, list] of Object.entries(times)) {
      figures[name] = Number(list.sort((a, b) => a - b)[Math.floor(list.length / 2)]!.toFixed(1));
    }
    const ratio = (name: string, own: string, other: string, limit: number) => {
      const value = Number((figures[own]! / figures[other]!).toFixed(2));
      return { name, value, limit, ok: value <= limit };
    };
    const ratios = rg === undefined ? [] : [
      ratio("grep built in / rg", "grep_ms", "rg_grep_ms", 8),
      ratio("grep regex built in / rg", "grep_regex_ms", "rg_grep_regex_ms", 8),
      ratio("grep with rg / rg", "grep_with_rg_ms", "rg_grep_ms", 3),
      ratio("glob / rg", "glob_ms", "rg_glob_ms", 3),
      ratio("glob of everything / rg", "glob_all_ms", "rg_glob_all_ms", 3),
    ];
    return { name: "search", figures, ratios };
  } finally {
    worker.terminate();
    await Deno.remove(root, { recursive: true });
  }
}

async function plantTree(root: string): Promise<void> {
  for (let directory = 0; directory < DIRECTORIES; directory++) {
    const folder = join(
      root,
      `a${directory % 25}`,
      `b${Math.floor(directory / 25) % 10}`,
      `c${Math.floor(directory / 250)}`,
    );
    await Deno.mkdir(folder, { recursive: true });
    for (let file = 0; file < FILES_EACH; file++) {
      const number = directory * FILES_EACH + file;
      let text = "";
      for (let line = 0; line < 60; line++) {
        text += `export const value_${number}_${line} = compute(${line});\n`;
      }
      if (number % 500 === 0) text += "the needle_here is hidden\n";
      await Deno.writeTextFile(join(folder, `file${file}.ts`), text);
    }
  }
  await Deno.writeTextFile(join(root, ".gitignore"), "node_modules/\n*.log\n/dist\n!keep.log\n");
  await Deno.remove(join(root, "a0/b0/c0/file0.ts")); // the ignore file takes its place in the count
  await Deno.writeTextFile(join(root, "a0/b0/c0/file1.ts"), "the needle_here is hidden\n");
}

/** Runs one call in the worker; its answer must contain `expected`. */
async function timedCall(worker: Worker, call: SearchCall, expected: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<{ ms: number; content: string }>();
  worker.onmessage = ({ data }: MessageEvent<{ ms: number; content: string } | { error: string }>) => {
    if ("error" in data) reject(new Error(data.error));
    else resolve(data);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    reject(new Error(event.message));
  };
  worker.postMessage(call);
  const { ms, content } = await promise;
  if (!content.includes(expected)) {
    throw new Error(`${call.tool} answered ${JSON.stringify(content.slice(0, 200))}, expected ${expected}`);
  }
  return ms;
}

async function timedRg(rg: string, cwd: string, args: string[]): Promise<number> {
  const started = performance.now();
  const { success, stdout } = await new Deno.Command(rg, { args, cwd, stdin: "null" }).output();
  const ms = performance.now() - started;
  if (!success || stdout.length === 0) throw new Error(`rg ${args.join(" ")} found nothing`);
  return ms;
}

if (import.meta.main) {
  // deno-lint-ignore no-console
  console.log(JSON.stringify(await searchTree(), null, 2));
}
