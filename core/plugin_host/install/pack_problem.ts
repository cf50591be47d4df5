import { EXIT } from "../../base/mod.ts";
import type { ExitCode } from "../../base/mod.ts";

/**
 * What is wrong with a pack or with where it comes from, on one line, without the pack's name: whoever installs knows that
 * and makes a `LuminaError` of it.
 */
export class PackProblem extends Error {
  readonly code: string;
  readonly exit: ExitCode;

  constructor(
    message: string,
    { code = "plugin.bad_pack", exit = EXIT.failed, cause }: {
      code?: string;
      exit?: ExitCode;
      cause?: unknown;
    } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.exit = exit;
  }
}

/** A name out of a stranger's pack as it may stand in a message: quoted, escaped, not long. */
export function quoted(name: string): string {
  return JSON.stringify(name.length > 120 ? `${name.slice(0, 120)}…` : name)
    .replace(/[\u007f-\u009f\p{Cf}]/gu, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);
}
