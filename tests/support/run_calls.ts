import assert from "node:assert/strict";
import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import type { RecordedRequest } from "../../core/model/scripted/mod.ts";
import type { JsonObject } from "../../core/types/mod.ts";
import { resultOf, sentResults, toolResults, userLine } from "./agent_project.ts";
import type { Line } from "./agent_project.ts";
import { startLumina } from "./run_lumina.ts";
import { tempDir } from "./temp_dir.ts";

/** What the scripted model calls: a tool with its input; a text alone is a command for Bash. */
export type ScriptedCall = string | [name: string, input: JsonObject];

export interface CallOptions {
  args?: readonly string[];
  /** Goes into a `--settings` file. A run of refusals does not end the run unless it says so. */
  settings?: JsonObject;
  env?: Record<string, string>;
  /** AppRoot that outlives the run; by default a temporary one. */
  app_root?: string;
  /** Answers the question before a call; without it nobody can be asked. */
  consent?: (question: Line) => boolean;
  /** Called at each request of the model, from 0: before the call of that number. `pid` is the program's. */
  before?: (call: number, request: RecordedRequest, pid: number) => void;
}

/** What the model was told of one call. */
export interface CallResult {
  content: string;
  is_error: boolean;
}

export interface CallsRun {
  results: CallResult[];
  /** The questions that were put, in order. */
  questions: Line[];
  lines: Line[];
  result: Line;
  stderr: string;
  code: number;
}

/**
 * Runs calls through the real program in `workspace`, one call a turn in one process, and gives what stood in the model's
 * next request about each. The run must end well, and print the same results that it sent.
 */
export async function runCalls(
  workspace: string,
  calls: readonly ScriptedCall[],
  options: CallOptions = {},
): Promise<CallsRun> {
  let asked = 0;
  let pid = 0;
  await using provider = await startScriptedProvider({
    turns: [
      ...calls.map((call) => {
        const [name, input] = typeof call === "string" ? ["Bash", { command: call }] as const : call;
        return { tool_calls: [{ name, input }] };
      }),
      { text: "done" },
    ],
  }, { onRequest: (request) => options.before?.(asked++, request, pid) });
  await using own_root = await tempDir("lumina-root-");
  const settings = { max_consecutive_denials: 10_000, ...options.settings };
  const file = await own_root.write("extra.json", JSON.stringify(settings));
  const args = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--settings", file];
  args.push(
    "--model",
    "m",
    "--api-key",
    "k",
    "--api-type",
    "anthropic",
    "--base-url",
    provider.url,
    "--max-turns",
    "1000",
  );
  if (options.consent !== undefined) args.push("--permission-prompt", "stdio");
  await using run = await startLumina([...args, ...options.args ?? []], {
    cwd: workspace,
    app_root: options.app_root ?? own_root.path,
    ...(options.env === undefined ? {} : { env: options.env }),
  });
  pid = run.pid;
  await run.write(`${JSON.stringify(userLine("go"))}\n`);
  const lines: Line[] = [];
  const questions: Line[] = [];
  for await (const text of run.lines()) {
    const line: Line = JSON.parse(text);
    lines.push(line);
    if (line["type"] === "result") await run.closeInput();
    if (line["request"]?.subtype !== "can_use_tool") continue;
    questions.push(line["request"]);
    const response = options.consent?.(line["request"]) === true
      ? { behavior: "allow" }
      : { behavior: "deny", message: "no" };
    const answer = { subtype: "success", request_id: line["request_id"], response };
    await run.write(`${JSON.stringify({ type: "control_response", response: answer })}\n`);
  }
  const { code, stderr } = await run.finished;
  assert.equal(code, 0, stderr + JSON.stringify(lines.at(-1)));
  const sent = provider.requests.slice(1).flatMap((request) => sentResults(request));
  assert.equal(sent.length, calls.length, "one result for each call");
  assert.deepEqual(sent, toolResults(lines).map(({ content, is_error }) => ({ content, is_error })));
  return { results: sent, questions, lines, result: resultOf(lines), stderr, code };
}

/** The result of a call that must have gone well. */
export function succeeded(result: CallResult | undefined): string {
  assert.equal(result?.is_error, false, result?.content);
  return result.content;
}

/** The result of a call that must have failed. */
export function failed(result: CallResult | undefined): string {
  assert.equal(result?.is_error, true, result?.content);
  return result.content;
}

/** Processes whose command line holds the text, but those that are only waiting to be collected. */
export function processesWith(text: string): number[] {
  const pids: number[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const line = Deno.readTextFileSync(`/proc/${name}/cmdline`);
      if (line.includes(text) && !/\) [ZX] /.test(Deno.readTextFileSync(`/proc/${name}/stat`))) {
        pids.push(Number(name));
      }
    } catch {
      // ended while we looked
    }
  }
  return pids;
}
