import type { JsonObject } from "../types/mod.ts";
import { withoutFlags } from "./without_flags.ts";

/** When trying again can help. */
export type Retry = "never" | "after_reload" | "backoff";

/** Exit codes, the same for every command. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  blocked: 3,
  not_found: 4,
  conflict: 5,
  protocol: 6,
  interrupted: 130,
  terminated: 143,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export interface LuminaErrorOptions {
  retry?: Retry;
  exit?: ExitCode;
  details?: JsonObject;
  cause?: unknown;
}

/**
 * An error that a person may read. `code` is `module.name` from that module's closed set; the message says what was
 * tried, with what, and what to do, in one line without a final period.
 */
export class LuminaError extends Error {
  override readonly name: string = "LuminaError";
  readonly code: string;
  readonly retry: Retry;
  readonly exit: ExitCode;
  readonly details: JsonObject;

  constructor(code: string, message: string, options: LuminaErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retry = options.retry ?? "never";
    this.exit = options.exit ?? EXIT.failed;
    this.details = options.details ?? {};
  }
}

/** The message of anything that was thrown, on one line, without flags of the runtime that its reader cannot set. */
export function errorMessage(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return withoutFlags(text).replace(/\s*\n\s*/g, " ").trim();
}
