import { errorMessage, LuminaError } from "../base/mod.ts";
import { CompactionError } from "./compaction/compaction_error.ts";
import { ModelError } from "../model/mod.ts";
import type { SessionCommand } from "../session/mod.ts";
import type { Json, RunStatus } from "../types/mod.ts";
import type { CaptureNote, CapturePort } from "./ports.ts";
import type { AgentDeps } from "./run_options.ts";

/** How long an interrupted run may look at what it leaves. */
const LAST_LOOK_MS = 500;

/** How a run ends. */
export interface Ending {
  status: RunStatus;
  error?: { code: string; message: string };
  structured?: Json;
}

/** The run ended by an exception: an abort, the model's failure, or the journal's. Closes what can be closed. */
export async function abandonRun(
  { session, capture }: AgentDeps,
  error: unknown,
  signal: AbortSignal,
  spent: { denials: number; duration_ms(): number },
): Promise<Ending> {
  const aborted = signal.aborted;
  const failure = {
    code: aborted ? "agent.interrupted" : error instanceof LuminaError ? error.code : "agent.internal",
    message: errorMessage(aborted ? signal.reason : error),
  };
  const status = aborted ? "interrupted" : "failed";
  if (session.state.run === null) return { status, error: failure };
  const left = noteCapture(await leftBehind(capture));
  try {
    if (error instanceof ModelError && (!aborted || error.partial !== null)) {
      await session.execute({
        type: "record_model_failure",
        code: error.code,
        message: failure.message,
        partial: error.partial,
      });
    }
    const budget = error instanceof LuminaError && error.code === "agent.budget";
    if ((error instanceof ModelError || error instanceof CompactionError || budget) && !aborted) {
      await session.execute(...left, {
        type: "finish_run",
        status,
        error: failure,
        denials: spent.denials,
        duration_ms: spent.duration_ms(),
      });
    } else {
      await session.execute(...left, { type: "interrupt_run", reason: failure.message });
    }
  } catch (second) {
    // the journal itself is failing: the next open closes the run; both failures are told
    return {
      status: "failed",
      error: {
        code: failure.code,
        message: `${failure.message}; the run could not be closed: ${errorMessage(second)}`,
      },
    };
  }
  return { status, error: failure };
}

/** What a run leaves, as a command. */
export function noteCapture(note: CaptureNote | undefined): SessionCommand[] {
  return note === undefined ? [] : [{ type: "note_capture", ...note }];
}

/** What an interrupted run leaves, where that can be told at once: nobody waits long for the end of an interruption. */
async function leftBehind(capture: CapturePort | undefined): Promise<CaptureNote | undefined> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error("the run was interrupted")), LAST_LOOK_MS);
  try {
    return await capture?.end(limit.signal);
  } catch {
    return undefined; // took too long: a rewind then asks about every path that has changed
  } finally {
    clearTimeout(timer);
  }
}
