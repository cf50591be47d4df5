/** What an attempt is told; data alone, since it travels to the pack. Paths are real and absolute. */
export interface EscapeInput {
  /** Begins every secret: whatever holds it has been read. */
  canary: string;
  /** Stands in the command line of whatever an attempt starts; a number of seconds too. */
  mark: string;
  /** Folder outside every grant, with `canary.txt`, `canary.json`, `canary.mjs`, `canary.db` and `.env` in it. */
  outside: string;
  /** Folder that the granted pack may read; `link` leads to `canary.txt`, `folder` to `outside`. */
  workspace: string;
  /** The pack's own folder, which it was granted nothing of. */
  data_dir: string;
  /** A variable of the host. */
  env_name: string;
  host_pid: number;
  /** Ports of listeners that nobody may reach, and one that the granted pack may. */
  tcp: number;
  udp: number;
  allowed: number;
  unix: string;
  /** A channel that the host listens to. */
  channel: string;
  exec_path: string;
  library: string;
  /** The one program of the granted pack. */
  program: string;
}

/**
 * One way out. `denied`: it must throw or give nothing. `contained`: it may give something, so long as nothing outside
 * changes and no secret comes back.
 */
export interface Attempt {
  what: string;
  expected: "denied" | "contained";
  /**
   * Runs inside the pack, where its text alone arrives: it may use its input and globals, nothing of its module. What it
   * gives or throws is what was observed.
   */
  run(input: EscapeInput): unknown;
  /** Why the tier or the form named does not hold it; the row is then reported as known. */
  known?: { in: readonly Place[]; why: string };
}

/** Where attempts run. */
export type Place = "worker" | "worker compiled" | "process" | "process compiled";

/** What became of an attempt inside the pack. */
export interface Observed {
  what: string;
  /** Set when it threw: the error's name. */
  refused?: string;
  /** What it gave, as text. */
  value?: string;
}

/** Attempts that are denied. */
export function denied(attempts: Record<string, Attempt["run"]>): Attempt[] {
  return Object.entries(attempts).map(([what, run]) => ({ what, expected: "denied", run }));
}

/** Attempts that may go on and reach nothing. */
export function contained(attempts: Record<string, Attempt["run"]>): Attempt[] {
  return Object.entries(attempts).map(([what, run]) => ({ what, expected: "contained", run }));
}
