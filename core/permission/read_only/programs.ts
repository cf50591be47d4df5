import type { ProgramSpec } from "./program_spec.ts";
import { RG } from "./search_programs.ts";
import { SYSTEM_PROGRAMS } from "./system_programs.ts";
import { TEXT_PROGRAMS } from "./text_programs.ts";

/** All programs that a table describes, by name. */
export const PROGRAMS: Readonly<Record<string, ProgramSpec>> = {
  ...TEXT_PROGRAMS,
  ...SYSTEM_PROGRAMS,
  rg: RG,
};
