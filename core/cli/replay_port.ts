import type { RunEvent } from "../types/mod.ts";

/** Something that happened in a session, and when (milliseconds since 1970): a prompt, or what its run told. */
export type PlayedEvent = { ts: number } & ({ prompt: string } | { event: RunEvent });

/** A session that is played. */
export interface PlayedSession {
  session_id: string;
  /** The Lumina that ran it. */
  version: string;
  /** Everything that happened, in order. The journal is held only while a part of it is read. */
  events: AsyncIterable<PlayedEvent[]>;
}

/** What `--provider replay` answers from. */
export type ReplayFrom = { session: string } | { file: string };

/** Playing and recording saved sessions. `warn` is told what cannot be read. */
export interface ReplayPort {
  play(id: string, warn: (text: string) => void): Promise<PlayedSession>;
  /** The session as a file for `--provider replay`. */
  record(id: string, warn: (text: string) => void): Promise<string>;
}
