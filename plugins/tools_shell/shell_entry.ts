import type { OutputSink } from "./output_sink.ts";
import type { ShellEnd, ShellProcess } from "./shell_process.ts";

/** A command that outlives the call that started it. */
export interface ShellEntry {
  /** `sh_<n>`, counted per session. */
  id: string;
  command: string;
  process: ShellProcess;
  sink: OutputSink;
  /** Text that its processes alone carry in their environment. */
  marker: string;
  /** How the shell ended; undefined while it runs. */
  end?: ShellEnd;
  /** Why we ended it, in words; undefined when it ended by itself. */
  ended_by?: string;
  /** What reading its output failed with. */
  failure?: string;
  /** When it ended, monotonic milliseconds. */
  ended_at?: number;
  /** Processes that live on after the shell, pid to start. */
  left: Map<number, string>;
  /** Its end has been told: to the session, and to the model by an answer to it. */
  told?: { session?: true; model?: true };
  /** How far its output has been shown, bytes. */
  shown: number;
}

/** True while something of it runs. */
export function isLive(entry: ShellEntry): boolean {
  return (entry.end === undefined && entry.failure === undefined) || entry.left.size > 0;
}
