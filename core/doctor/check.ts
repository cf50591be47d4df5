/** One thing that was looked at. Plain data. */
export interface Check {
  /** What it belongs to: settings, key, app root, worker tier, sandbox … */
  layer: string;
  /** What was looked at or tried. */
  what: string;
  /** It is as it should be; worth knowing; it is not as it should be; it could not be looked at here. */
  status: "ok" | "note" | "failed" | "skipped";
  /** What was found, one line. */
  found: string;
  /** What to do about it; absent where there is nothing to do. */
  fix?: string;
}

/** Something that was tried and must not have worked. */
export interface Attempt {
  what: string;
  /** What the one who tried it saw, one line; the attempt failed where `held` is true. */
  held: boolean;
  found: string;
}

/** Attempts as checks of one layer; `fix` is told where one has worked. */
export function attemptChecks(layer: string, attempts: readonly Attempt[], fix: string): Check[] {
  return attempts.map(({ what, held, found }) => ({
    layer,
    what,
    status: held ? "ok" : "failed",
    found,
    ...(held ? {} : { fix }),
  }));
}
