import type { JsonObject, ToolContext, ToolOutcome } from "../../core/plugin_api/mod.ts";
import { keepInBackground, stillRunning, watchLeft } from "./background_shell.ts";
import { type BashInput, readBashInput } from "./bash_input.ts";
import { delay } from "./delay.ts";
import { endTree } from "./end_tree.ts";
import { exitMeaning } from "./exit_meaning.ts";
import { OutputSink } from "./output_sink.ts";
import { ProgressFeed } from "./progress_feed.ts";
import { renderOutput, WINDOW_BYTES } from "./render_output.ts";
import { durationText, endingLine, outputNotes, resultText } from "./result_text.ts";
import { isLocked } from "./locked_command.ts";
import type { PreparedCommand } from "./prepared_command.ts";
import { prepareCommand } from "./shell_command.ts";
import { sandboxConfig } from "./sandbox_config.ts";
import { sandboxHint } from "./sandbox_hint.ts";
import { isLive, type ShellEntry } from "./shell_entry.ts";
import { ShellProcess } from "./shell_process.ts";
import { MAX_LIVE, type ShellRegistry, type ShellSession } from "./shell_registry.ts";
import type { SignalShell } from "./signal_shell.ts";
import { keepDirectory, startDirectory } from "./working_directory.ts";

/** Characters shown of an output: of a success, and of a failure. */
const SUCCESS_CHARS = 30_000;
const FAILURE_CHARS = 10_000;
/** Most bytes a command may write before it is ended; the setting `shell_output_quota` overrides it. */
const QUOTA_BYTES = 1024 ** 3;
/** The same where nothing is written and the output stays in memory. */
const LOCKED_QUOTA_BYTES = 16 * 1024 ** 2;
/** Shown of an output that is kept nowhere else; the host cuts it, and keeps it whole in its journal. */
const LOCKED_CHARS = 1_000_000;
const TIMEOUT_GRACE_MS = 2_000;
/** After an interrupt the whole tree is gone within a second; the rest of it is for looking and for KILL. */
const ABORT_GRACE_MS = 300;

/** Runs Bash. */
export async function runBash(
  registry: ShellRegistry,
  input: JsonObject,
  context: ToolContext,
): Promise<ToolOutcome> {
  const read = readBashInput(input, context.config);
  if (typeof read === "string") return { content: read, is_error: true };
  const shell = registry.signals(context);
  registry.useShell(shell);
  const session = registry.session(context.spill_dir);
  await registry.refresh(session, shell);
  if (read.background && liveShells(session).length >= MAX_LIVE) {
    return {
      content: `${MAX_LIVE} shells are running already; end one with KillShell: ${
        liveShells(session).join(", ")
      }`,
      is_error: true,
    };
  }
  registry.guard(context);
  const start = await startDirectory(session, context);
  const marker = registry.newMarker(context.spill_dir);
  const prepared = await prepareCommand(read.command, start.cwd, marker, context);
  if (start.note) prepared.notes.push(start.note);
  const call = { read, context, session, shell, marker, prepared, cwd: start.cwd };
  return read.background ? await startInBackground(registry, call) : await runInForeground(registry, call);
}

interface BashCall {
  read: BashInput;
  context: ToolContext;
  session: ShellSession;
  shell: SignalShell;
  marker: string;
  prepared: PreparedCommand;
  cwd: string;
}

async function runInForeground(registry: ShellRegistry, call: BashCall): Promise<ToolOutcome> {
  const { read, context, session, shell, marker, prepared } = call;
  if (context.signal.aborted) return { content: "Interrupted before it started", is_error: true };
  const sink = newSink(context);
  const feed = new ProgressFeed((text) => context.progress(text));
  const quota = new AbortController();
  const process = startProcess(call, sink, () => quota.abort(), (chunk) => feed.add(chunk));
  registry.begin(process);
  registry.foreground.set(process.pid, process.ended);
  try {
    const cause = await endOrCause(process, read.timeout_ms, context.signal, quota.signal);
    if (cause === "timeout" && goesOn(context) && liveShells(session).length < MAX_LIVE) {
      return await moveToBackground(registry, call, process, sink, quota.signal);
    }
    if (cause !== undefined) {
      await endTree(shell, {
        groups: [process.pid],
        marker,
        grace_ms: cause === "abort" ? ABORT_GRACE_MS : TIMEOUT_GRACE_MS,
        ended: process.ended,
      });
    }
    const end = await process.ended;
    const ms = performance.now() - process.started;
    const left = cause !== undefined ? [] : await stillRunning(shell, marker, process, end, ms);
    const notes = [...prepared.notes];
    const directory = keepDirectory(session, call.cwd, end.cwd, context);
    if (directory) notes.push(directory);

    const ended_by = cause && causeText(cause, read.timeout_ms, ms, quotaBytes(context));
    const meaning = exitMeaning(read.command, end.code);
    const is_error = ended_by !== undefined || meaning.failed;
    const rendered = renderOutput(
      await sink.read(0, WINDOW_BYTES),
      context.child_env,
      isLocked(context) ? LOCKED_CHARS : is_error ? FAILURE_CHARS : SUCCESS_CHARS,
    );
    const keep_file = rendered.cut || rendered.encodings.length > 0 || left.length > 0;
    if (keep_file) await sink.toFile();
    notes.push(...outputNotes(rendered, sink.total, sink.path));
    const hint = is_error && ended_by === undefined
      ? sandboxHint(rendered.text, context.confinement, sandboxConfig(context))
      : undefined;
    if (hint !== undefined) notes.push(hint);
    const data: JsonObject = {
      exit_code: end.code,
      signal: end.signal,
      ended_by: cause ?? null,
      duration_ms: Math.round(ms),
      output_bytes: sink.total,
      cwd: session.cwd ?? context.cwd,
    };
    if (keep_file && sink.path !== undefined) data["output_file"] = sink.path;
    if (left.length > 0) {
      const parts = { command: read.command, process, sink, marker, end };
      const entry = registry.keep(session, parts, context);
      entry.left = new Map(left.map((row) => [row.pid, row.start]));
      entry.shown = sink.total;
      entry.ended_at = performance.now();
      watchLeft(registry, session, shell, entry, context.child_env);
      const lines = await shell.commandLines(left.map((row) => row.pid));
      const running = left.map((row) => ({ pid: row.pid, command: lines.get(row.pid) ?? row.name }));
      notes.push(leftNote(entry, running));
      data["shell_id"] = entry.id;
      data["left_running"] = running;
    } else {
      await process.stopReading();
      await sink.close(!keep_file);
      registry.gone(process);
    }
    const first = endingLine({ code: end.code, meaning, ended_by });
    return { content: resultText(first, rendered.text, notes), is_error, data };
  } catch (error) {
    // Reading or storing the output failed: nothing of the command may stay behind unseen.
    await endTree(shell, { groups: [process.pid], marker, grace_ms: 0, ended: process.ended });
    await process.stopReading();
    await sink.close(false);
    registry.gone(process);
    throw error;
  } finally {
    feed.stop();
    registry.foreground.delete(process.pid);
  }
}

async function startInBackground(registry: ShellRegistry, call: BashCall): Promise<ToolOutcome> {
  const { read: { command }, context, session, shell, marker, prepared } = call;
  const sink = newSink(context);
  await sink.toFile();
  const quota = new AbortController();
  const process = startProcess(call, sink, () => quota.abort());
  registry.begin(process);
  const start = { command, process, sink, marker, quota: quota.signal, quota_bytes: quotaBytes(context) };
  const entry = keepInBackground(registry, session, shell, start, context);
  return {
    content: resultText(
      `Started ${entry.id} in the background (pid ${process.pid}). Read it with BashOutput, end it with KillShell.`,
      "",
      sink.path === undefined ? prepared.notes : [...prepared.notes, `output: ${sink.path}`],
    ),
    data: {
      shell_id: entry.id,
      pid: process.pid,
      ...(sink.path === undefined ? {} : { output_file: sink.path }),
    },
  };
}

/** A command has passed its limit and may go on: what it has printed so far, and how to reach it. */
async function moveToBackground(
  registry: ShellRegistry,
  { read, context, session, shell, marker, prepared }: BashCall,
  process: ShellProcess,
  sink: OutputSink,
  quota: AbortSignal,
): Promise<ToolOutcome> {
  await sink.toFile();
  const start = {
    command: read.command,
    process,
    sink,
    marker,
    quota,
    quota_bytes: quotaBytes(context),
  };
  const entry = keepInBackground(registry, session, shell, start, context);
  const raw = await sink.read(0, WINDOW_BYTES);
  const rendered = renderOutput(raw, context.child_env, isLocked(context) ? LOCKED_CHARS : SUCCESS_CHARS);
  entry.shown = raw.head.length + raw.left_out + (raw.tail?.length ?? 0);
  const notes = [...prepared.notes, ...outputNotes(rendered, sink.total, sink.path)];
  if (sink.path !== undefined && !rendered.cut) notes.push(`output: ${sink.path}`);
  const first = `Still running after ${durationText(read.timeout_ms)}: it goes on in the background as ` +
    `${entry.id} (pid ${process.pid}). Read it with BashOutput, end it with KillShell. So far it has printed:`;
  return {
    content: resultText(first, rendered.text === "" ? "(nothing)" : rendered.text, notes),
    data: {
      shell_id: entry.id,
      pid: process.pid,
      exit_code: null,
      moved_to_background: true,
      duration_ms: Math.round(performance.now() - process.started),
      output_bytes: entry.shown,
      ...(sink.path === undefined ? {} : { output_file: sink.path }),
    },
  };
}

function newSink(context: ToolContext): OutputSink {
  if (isLocked(context)) return new OutputSink(undefined);
  return new OutputSink(`${context.spill_dir}/bash-${context.call_id.replace(/[^\w-]/g, "_")}.txt`);
}

function startProcess(
  call: BashCall,
  sink: OutputSink,
  onFull: () => void,
  onChunk?: (chunk: Uint8Array) => void,
): ShellProcess {
  const { program, args, env } = call.prepared;
  try {
    return new ShellProcess({
      program,
      args,
      cwd: call.cwd,
      env,
      sink,
      quota_bytes: quotaBytes(call.context),
      onFull,
      ...(onChunk ? { onChunk } : {}),
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot start ${program} in ${call.cwd}: ${why}`, { cause: error });
  }
}

type Cause = "timeout" | "abort" | "quota";

/** Waits for the shell's end; what came first instead is the cause to end it. */
async function endOrCause(
  process: ShellProcess,
  timeout_ms: number,
  abort: AbortSignal,
  quota: AbortSignal,
): Promise<Cause | undefined> {
  const settled = new AbortController();
  const stop = AbortSignal.any([settled.signal, abort, quota]);
  const ended = process.ended.then(() => settled.abort(), () => settled.abort());
  // `delay` never rejects; it returns early when one of the signals fires
  await Promise.race([ended, delay(timeout_ms, stop)]);
  if (settled.signal.aborted) return undefined;
  if (abort.aborted) return "abort";
  return quota.aborted ? "quota" : "timeout";
}

function causeText(cause: Cause, timeout_ms: number, ms: number, quota: number): string {
  if (cause === "timeout") return `Timed out after ${durationText(timeout_ms)}`;
  if (cause === "abort") return `Interrupted after ${durationText(ms)}`;
  return `Output passed ${quota} bytes`;
}

function leftNote(entry: ShellEntry, running: { pid: number; command: string }[]): string {
  const list = running.map(({ pid, command }) => `${pid} ${command.slice(0, 120)}`).join(", ");
  return `still running after the shell ended: ${list}; as ${entry.id} BashOutput reads it and KillShell ends it; ` +
    `output: ${entry.sink.path ?? "in memory"}`;
}

/** Ids of the shells that run. */
function liveShells(session: ShellSession): string[] {
  return [...session.entries.values()].filter(isLive).map((entry) => entry.id);
}

/** What passes its limit is not ended but goes on in the background. */
function goesOn(context: ToolContext): boolean {
  return context.config["shell_on_timeout"] === "background";
}

function quotaBytes(context: ToolContext): number {
  if (isLocked(context)) return LOCKED_QUOTA_BYTES;
  const setting = context.config["shell_output_quota"];
  return typeof setting === "number" && setting > 0 ? setting : QUOTA_BYTES;
}
