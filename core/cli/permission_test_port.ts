import type { Behavior, PermissionMode } from "../types/mod.ts";
import type { RulePlace } from "./rule_place.ts";

/** What each mode says of one command line. */
export type LineVerdicts = Readonly<Record<PermissionMode, Behavior>>;

/** Judging many command lines at once. */
export interface PermissionTestPort {
  /**
   * A judge of command lines in the workspace of that place: by all rules in force there, or with `bare` by the
   * built-in ones alone and as on a machine with a sandbox. Throws what settings and rules throw that cannot be read.
   */
  lineJudge(
    place: RulePlace,
    bare: boolean,
    warn: (text: string) => void,
  ): Promise<(line: string) => Promise<LineVerdicts>>;
}
