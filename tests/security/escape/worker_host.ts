// deno-lint-ignore-file no-console -- the parent reads standard output
// A host that worker_tier_escape_test.ts may lose: calls tools of the worker tier with an empty grant, says how each ended.
//   worker_host.ts INPUT [ENDING...]   without endings it makes the quiet attempts
import { emptyGrant } from "../../../core/plugin_api/mod.ts";
import { WorkerTier } from "../../../core/plugin_host/worker_tier.ts";
import type { EscapeInput } from "./attempt.ts";

const [given = "", ...endings] = Deno.args;
const input = { ...JSON.parse(given) as EscapeInput, host_pid: Deno.pid };
const channel = new BroadcastChannel(input.channel);
Deno.addSignalListener("SIGUSR1", () => {}); // heard, not died of
const suffix = import.meta.url.endsWith(".js") ? ".js" : ".ts";
const tier = new WorkerTier(new URL(`./escape_worker${suffix}`, import.meta.url));

async function call(tool: string, more: Record<string, string>, timeout_ms: number): Promise<string> {
  try {
    const { content } = await tier.call({
      plugin: "p",
      tool,
      input: { ...input, ...more },
      context: {
        call_id: "c",
        cwd: "/",
        read_roots: [],
        write_roots: [],
        deny_read: [],
        deny_write: [],
        seen: {},
        spill_dir: "/",
        child_env: {},
        config: {},
      },
      grant: emptyGrant(),
      once: true,
      timeout_ms,
      signal: new AbortController().signal,
      progress: () => {},
    });
    return content;
  } catch (error) {
    return `failed: ${(error as { code?: string }).code}`;
  }
}

if (endings.length === 0) console.log(await call("escape", {}, 60_000));
const ends = await Promise.all(
  endings.map(async (what) => JSON.stringify({ what, end: await call("end", { what }, 700) })),
);
for (const line of ends) console.log(line);
await tier.close();
channel.close();
Deno.exit(0);
