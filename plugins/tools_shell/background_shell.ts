import type { ToolContext } from "../../core/plugin_api/mod.ts";
import { endTree } from "./end_tree.ts";
import { delay } from "./delay.ts";
import type { OutputSink } from "./output_sink.ts";
import type { ProcessRow } from "./process_table.ts";
import { renderOutput } from "./render_output.ts";
import type { ShellEntry } from "./shell_entry.ts";
import type { ShellEnd, ShellProcess } from "./shell_process.ts";
import { finish, leftOver, type ShellRegistry, type ShellSession } from "./shell_registry.ts";
import type { SignalShell } from "./signal_shell.ts";

/** A look at all processes costs about as much as a short command, whose closed pipe tells nearly as much. */
export const LOOK_AFTER_MS = 50;
const SETTLE_MS = 40;
/** What is told of the end of an output. */
const LAST_BYTES = 2_000;
const LAST_LINES = 15;
const LAST_CHARS = 1_000;

/** A command that goes on after its call. */
export interface BackgroundStart {
  command: string;
  process: ShellProcess;
  sink: OutputSink;
  marker: string;
  /** Aborts when its output has passed the quota. */
  quota: AbortSignal;
  quota_bytes: number;
}

/** Keeps a command beyond its call, watches it to its end and tells the session of both. */
export function keepInBackground(
  registry: ShellRegistry,
  session: ShellSession,
  shell: SignalShell,
  start: BackgroundStart,
  context: ToolContext,
): ShellEntry {
  const { process, marker, quota, quota_bytes } = start;
  const { command, sink } = start;
  const entry = registry.keep(session, { command, process, sink, marker }, context);
  const full = () => {
    entry.ended_by ??= `Output passed ${quota_bytes} bytes`;
    const ending = endTree(shell, { groups: [process.pid], marker, grace_ms: 0, ended: process.ended });
    ending.catch((error) => entry.failure ??= String(error));
  };
  if (quota.aborted) full();
  else quota.addEventListener("abort", full, { once: true });
  process.ended.then(async (end) => {
    entry.ended_at = performance.now();
    const rows = entry.ended_by === undefined
      ? await stillRunning(shell, marker, process, end, LOOK_AFTER_MS)
      : [];
    entry.left = new Map(rows.map((row) => [row.pid, row.start]));
    entry.end = end;
    if (rows.length > 0) watchLeft(registry, session, shell, entry, context.child_env);
    else await over(registry, entry, context.child_env);
  }).catch(async (error) => {
    entry.failure = error instanceof Error ? error.message : String(error);
    await over(registry, entry, context.child_env);
  });
  return entry;
}

/** Tells the session when what a command left running has let go of its output and is gone. */
export function watchLeft(
  registry: ShellRegistry,
  session: ShellSession,
  shell: SignalShell,
  entry: ShellEntry,
  env: Readonly<Record<string, string>>,
): void {
  entry.process.closed.then(async () => {
    await registry.refresh(session, shell);
    if (entry.left.size === 0) await over(registry, entry, env);
  }).catch((error) => entry.failure ??= error instanceof Error ? error.message : String(error));
}

/** What of the command lives on after its shell; short-lived rests get a moment to end. */
export async function stillRunning(
  shell: SignalShell,
  marker: string,
  process: ShellProcess,
  end: ShellEnd,
  ms: number,
): Promise<ProcessRow[]> {
  if (!end.held && ms < LOOK_AFTER_MS) return [];
  const first = await leftOver(shell, marker, process.pid);
  if (first.length === 0) return [];
  await delay(SETTLE_MS);
  return await leftOver(shell, marker, process.pid, new Map(first.map((row) => [row.pid, row.start])));
}

/** Nothing of it runs: the session is told, with its last lines. */
async function over(
  registry: ShellRegistry,
  entry: ShellEntry,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const { head, tail } = await entry.sink.read(Math.max(0, entry.sink.total - LAST_BYTES), LAST_BYTES);
  const { text } = renderOutput({ head: tail ?? head, left_out: 0 }, env, LAST_BYTES);
  await finish(entry);
  registry.tellEnd(entry, text.trimEnd().split("\n").slice(-LAST_LINES).join("\n").slice(-LAST_CHARS));
}
