import { join } from "node:path";
import { LuminaError, type World, writeFileAtomic } from "../base/mod.ts";
import { journalError } from "./journal_error.ts";

/** Where an owner says who it is. */
export interface OwnerPlace {
  dir: string;
  name: string;
}

/** Who has a journal open. The lock alone decides that; a note only says it to people. */
export interface OwnerNote {
  pid: number;
  host: string;
  /** Milliseconds since 1970. */
  since: number;
  /** When the process started, in the system's own count: tells it from a later one with the same number. */
  started?: string;
}

/** The note of this process. */
export function ownNote(world: World): OwnerNote {
  const started = processStart(Deno.pid);
  return {
    pid: Deno.pid,
    host: hostName(),
    since: world.now(),
    ...(typeof started === "string" ? { started } : {}),
  };
}

/** Leaves the note of whoever has just taken the lock. A note that cannot be written keeps nobody from working. */
export function writeOwnerNote(place: OwnerPlace, note: OwnerNote): void {
  try {
    Deno.mkdirSync(place.dir, { recursive: true, mode: 0o700 });
    writeFileAtomic(noteFile(place), `${JSON.stringify(note)}\n`, { durable: false });
  } catch {
    // others then read that the journal is open elsewhere, without by whom
  }
}

/** Takes the note away, before the lock is given back. */
export function removeOwnerNote(place: OwnerPlace): void {
  try {
    Deno.removeSync(noteFile(place));
  } catch {
    // never written, or gone: a note that stays is not believed once its process has ended
  }
}

/** `journal.busy` with the owner's number, host and time when its note can be believed; any other error as it is. */
export function withOwner(error: unknown, path: string, place: OwnerPlace | undefined): unknown {
  if (!(error instanceof LuminaError) || error.code !== "journal.busy" || place === undefined) return error;
  const note = readNote(place);
  if (note === undefined || !isLive(note)) return error;
  const { pid, host, since } = note;
  const who = pid === Deno.pid && host === hostName() ? "this process" : `process ${pid} on ${host}`;
  return journalError(
    "busy",
    `Cannot open the journal ${path}: ${who} has it open since ${
      new Date(since).toISOString()
    }; use that one or end it`,
    { details: { pid, host, since }, cause: error },
  );
}

function noteFile({ dir, name }: OwnerPlace): string {
  return join(dir, `${name}.json`);
}

function readNote(place: OwnerPlace): OwnerNote | undefined {
  try {
    const { pid, host, since, started } = JSON.parse(Deno.readTextFileSync(noteFile(place)));
    if (!Number.isSafeInteger(pid) || typeof host !== "string" || !Number.isSafeInteger(since)) {
      return undefined;
    }
    if (Math.abs(since) > 8.64e15) return undefined; // no date
    return { pid, host: host.slice(0, 255), since, ...(typeof started === "string" ? { started } : {}) };
  } catch {
    return undefined; // none, or none that can be read
  }
}

/** Another host's process cannot be looked at; its note is believed because its lock is there. */
function isLive({ pid, host, started }: OwnerNote): boolean {
  if (host !== hostName()) return true;
  const now = processStart(pid);
  return now !== "none" && (started === undefined || now === undefined || now === started);
}

/** When a process started; "none" when there is no such process, undefined where the system does not tell. */
function processStart(pid: number): string | "none" | undefined {
  if (Deno.build.os !== "linux") return undefined;
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    // The name in brackets may hold anything; field 22 is the 20th after it (proc_pid_stat(5)).
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? "none" : undefined;
  }
}

function hostName(): string {
  try {
    return Deno.hostname();
  } catch {
    return "this host"; // not permitted to ask
  }
}
