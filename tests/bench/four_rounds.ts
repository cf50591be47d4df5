import { type RecordedRequest, startScriptedProvider } from "../../core/model/scripted/mod.ts";
import { type LuminaProcess, startLumina } from "../support/run_lumina.ts";
import { tempDir } from "../support/temp_dir.ts";
import { atMost, type BenchResult, findSubject, median, modelFlags, type Ratio, round } from "./measure.ts";
import { TreeMemory } from "./tree_memory.ts";

const RUNS = 7;
/** Bytes of system prompt and tool schemas that a first request may carry. */
const FIRST_REQUEST_BYTES = 20_000;
const WIRES = ["openai_compatible", "anthropic"] as const;

interface Run {
  wall_ms: number;
  /** From the end of each answer to the next request. */
  rounds_ms: number[];
  rss_bytes: number;
  requests: readonly RecordedRequest[];
}

/**
 * A whole headless run of four rounds: read, edit, `true`, answer. Wall time, memory of the process tree, time of each
 * round, size of the first request, and whether each request extends the one before byte for byte.
 */
export async function fourRounds(): Promise<BenchResult> {
  const subject = await findSubject();
  const figures: Record<string, number> = {};
  const ratios: Ratio[] = [];
  for (const wire of WIRES) {
    const runs: Run[] = [];
    for (let index = 0; index <= RUNS; index++) runs.push(await oneRun(wire, subject, false));
    runs.shift(); // warms the disk cache
    const measured = await oneRun(wire, subject, true);
    const name = `${subject.kind}_${wire}`;
    figures[`${name}_wall_ms`] = round(median(runs.map((run) => run.wall_ms)));
    figures[`${name}_tree_rss_mib`] = round(measured.rss_bytes / 2 ** 20);
    for (const [index, tool] of ["read", "edit", "bash"].entries()) {
      figures[`${name}_round_${tool}_ms`] = round(median(runs.map((run) => run.rounds_ms[index] ?? NaN)));
    }
    const fixed = fixedBytes(measured.requests[0]);
    figures[`${name}_first_request_bytes`] = measured.requests[0]?.raw.length ?? NaN;
    figures[`${name}_prompt_and_tools_bytes`] = fixed;
    ratios.push(atMost(`${name}_prompt_and_tools_to_20_kB`, fixed / FIRST_REQUEST_BYTES, 1));
    const broken = measured.requests.filter((request, index) => {
      const before = measured.requests[index - 1];
      return before !== undefined && !extendsRequest(before, request);
    });
    ratios.push(atMost(`${name}_requests_that_rewrite_history`, broken.length, 0));
  }
  return { name: "four_rounds", figures, ratios };
}

async function oneRun(
  wire: typeof WIRES[number],
  subject: { artifact?: string },
  memory: boolean,
): Promise<Run> {
  await using dir = await tempDir("lumina-bench-rounds-");
  const file = await dir.write("work/greeting.txt", "hello world\n");
  await using provider = await startScriptedProvider({
    turns: [
      { tool_calls: [{ name: "Read", input: { file_path: file } }] },
      { tool_calls: [{ name: "Edit", input: { file_path: file, old_string: "world", new_string: "moon" } }] },
      { tool_calls: [{ name: "Bash", input: { command: "true" } }] },
      { text: "done" },
    ],
  });
  const ends: number[] = [];
  const watching = (async () => {
    for (let n = 1; n <= 4; n++) {
      await provider.waitForEnd(n);
      ends.push(performance.now());
    }
  })();
  watching.catch(() => {}); // awaited below, unless the run has failed before
  const flags = ["--permission-mode", "accept-edits", "--allowed-tools", "Bash(true)"];
  const start = performance.now();
  await using run = await startLumina(["-p", "greet the moon", ...flags, ...modelFlags(provider.url, wire)], {
    ...subject,
    cwd: dir.join("work"),
    app_root: dir.join("root"),
  });
  const rss_bytes = await followRun(run, memory);
  const ended = await run.finished;
  const wall_ms = performance.now() - start;
  if (ended.code !== 0 || await dir.read("work/greeting.txt") !== "hello moon\n") {
    throw new Error(`The run of four rounds ended with ${ended.code}: ${ended.stdout}${ended.stderr}`);
  }
  await watching;
  const rounds_ms = [1, 2, 3].map((n) => (provider.requests[n]?.at_ms ?? NaN) - (ends[n - 1] ?? NaN));
  return { wall_ms, rounds_ms, rss_bytes, requests: [...provider.requests] };
}

/** Lets the run go on to its end; its highest memory when that is wanted, else 0. */
async function followRun(run: LuminaProcess, memory: boolean): Promise<number> {
  await run.closeInput();
  if (!memory) return 0;
  const tree = new TreeMemory(run.pid);
  await run.finished;
  return await tree.stop();
}

/** Bytes of the request without its conversation. */
function fixedBytes(request: RecordedRequest | undefined): number {
  if (request === undefined) return NaN;
  const messages = request.body["messages"];
  const conversation = (Array.isArray(messages) ? messages : []).filter((message) =>
    !(typeof message === "object" && message !== null && "role" in message && message.role === "system")
  );
  const bytes = (text: string) => new TextEncoder().encode(text).length;
  return bytes(request.raw) - bytes(JSON.stringify(conversation));
}

/** True when the conversation of `before` is a prefix of `after`'s, byte for byte, and all else is the same bytes. */
function extendsRequest(before: RecordedRequest, after: RecordedRequest): boolean {
  const [a, b] = [before, after].map((request) => {
    const conversation = JSON.stringify(request.body["messages"]);
    const parts = request.raw.split(conversation);
    return parts.length === 2 ? { conversation, head: parts[0], tail: parts[1] } : undefined;
  });
  return a !== undefined && b !== undefined && a.head === b.head && a.tail === b.tail &&
    b.conversation.startsWith(a.conversation.slice(0, -1));
}
