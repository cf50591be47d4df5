import { errorMessage, EXIT, LuminaError } from "../../../base/mod.ts";
import type { ReplayFrom } from "../../../cli/mod.ts";
import { parseRecording } from "../../../model/mod.ts";
import type { Recording } from "../../../model/mod.ts";
import type { SessionStore } from "../session_store.ts";
import { recordSession } from "./record_session.ts";

/** A recording and the name under which a person knows it. */
export interface NamedRecording {
  name: string;
  recording: Recording;
}

/**
 * What `--provider replay` answers from: a saved session (its journal is let go again before this resolves) or a file.
 * Throws `replay.file` (exit 4 when there is none), `replay.empty` when there is nothing to replay, what an unknown or
 * open session gives, and the journal's errors.
 */
export async function replayRecording(
  from: ReplayFrom,
  store: SessionStore,
  warn: (text: string) => void,
): Promise<NamedRecording> {
  const named = "file" in from ? await fromFile(from.file) : await fromSession(from.session, store, warn);
  if (named.recording.records.length === 0) {
    throw new LuminaError(
      "replay.empty",
      `Cannot replay ${named.name}: no request to a model is recorded in it`,
    );
  }
  return named;
}

async function fromSession(
  id: string,
  store: SessionStore,
  warn: (text: string) => void,
): Promise<NamedRecording> {
  const saved = store.find(id);
  const name = `the recording of session ${saved.session_id}`;
  const journal = await store.openJournal(saved);
  try {
    const { recording, warnings } = await recordSession(journal);
    for (const text of warnings) warn(`${name}: ${text}`);
    return { name, recording };
  } finally {
    await journal.close();
  }
}

async function fromFile(file: string): Promise<NamedRecording> {
  try {
    return { name: file, recording: parseRecording(await Deno.readTextFile(file)) };
  } catch (error) {
    const missing = error instanceof Deno.errors.NotFound;
    const why = missing
      ? "there is no such file (lumina session record ID -o FILE makes one)"
      : errorMessage(error);
    throw new LuminaError("replay.file", `Cannot replay ${file}: ${why}`, {
      exit: missing ? EXIT.not_found : EXIT.failed,
      cause: error,
    });
  }
}
