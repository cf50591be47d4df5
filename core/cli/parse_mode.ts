import { InvalidArgumentError } from "commander";
import { nearest } from "../base/mod.ts";
import { MODE_ALIASES, parsePermissionMode, PERMISSION_MODES } from "../types/mod.ts";
import type { PermissionMode } from "../types/mod.ts";

/** Reads `--permission-mode`; an unknown mode is refused with the nearest one. */
export function parseMode(text: string): PermissionMode {
  const mode = parsePermissionMode(text);
  if (mode !== undefined) return mode;
  const guess = nearest(text, [...PERMISSION_MODES, ...Object.keys(MODE_ALIASES)]);
  throw new InvalidArgumentError(
    `${guess === undefined ? "" : `Did you mean ${guess}? `}Modes: ${PERMISSION_MODES.join(", ")}.`,
  );
}
