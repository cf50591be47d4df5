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
