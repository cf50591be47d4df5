// deno-lint-ignore-file no-console
// Searches a tree in a process of its own: prints what it held before and at most, in bytes, and the milliseconds.
//   deno run -A search_memory_child.ts Grep|Glob ROOT
import { withoutHost } from "../../core/plugin_api/mod.ts";
import type { CallContext, JsonObject } from "../../core/plugin_api/mod.ts";
import plugin from "../../plugins/tools_search/mod.ts";

const [tool = "", root = ""] = Deno.args;
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

/** A line of `/proc/self/status`, in bytes. */
function held(name: "VmRSS" | "VmHWM"): number {
  const status = Deno.readTextFileSync("/proc/self/status");
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) * 1024;
}

async function search(tool: "Glob" | "Grep", input: JsonObject, expected: string): Promise<number> {
  const started = performance.now();
  const signal = new AbortController().signal;
  const { content } = await plugin.tools[tool]!(input, { ...context, ...withoutHost(signal) });
  if (!content.includes(expected)) throw new Error(`${tool} answered ${content.slice(0, 300)}`);
  return performance.now() - started;
}

const idle = held("VmRSS");
const ms = tool === "Grep"
  ? await search("Grep", { pattern: "needle_here", follow: true }, "d0/")
  : await search("Glob", { pattern: "**/*.txt", follow: true }, " of 250000 files");
console.log(JSON.stringify({ idle, most: held("VmHWM"), ms }));
