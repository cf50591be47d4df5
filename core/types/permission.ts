import type { Confinement } from "./confinement.ts";

/** The five permission modes of `ARCHITECTURE.md`, strictest first. */
export const PERMISSION_MODES = ["plan", "ask", "accept-edits", "auto", "yolo"] as const;
export type PermissionMode = (typeof PERMISSION_MODES)[number];

/** What other agents call the modes; accepted wherever a mode is read. */
export const MODE_ALIASES: Readonly<Record<string, PermissionMode>> = {
  default: "ask",
  manual: "ask",
  acceptEdits: "accept-edits",
  "full-auto": "auto",
  bypassPermissions: "yolo",
};

/** Reads a mode or one of its aliases; undefined when it is neither. */
export function parsePermissionMode(text: string): PermissionMode | undefined {
  if ((PERMISSION_MODES as readonly string[]).includes(text)) return text as PermissionMode;
  return Object.hasOwn(MODE_ALIASES, text) ? MODE_ALIASES[text] : undefined;
}

export type Behavior = "allow" | "ask" | "deny";

/** A path that a call touches: as given, and with every link followed. */
export interface TouchedPath {
  given: string;
  resolved: string;
  access: "read" | "write";
}

/** What the permission kernel says of one call. */
export interface Verdict {
  behavior: Behavior;
  /** One sentence for people and for the model: why. */
  reason: string;
  /** The rule that decided, as written, with where it stands; absent when the mode decided. */
  rule?: string;
  /** Where the deciding rule, mode or check lives; "recovery": an earlier call of this kind has an unknown outcome; "changed": the call is another one than was asked about; "hook": a hook asked for the question. */
  source: "rule" | "mode" | "danger" | "parse" | "path" | "recovery" | "changed" | "hook";
  /** The mode that it was judged in. */
  mode?: PermissionMode;
  /** The part of a command line that decided. */
  part?: string;
  /** Paths the call touches, links resolved. */
  paths: TouchedPath[];
  /** What the operating system enforces around the command; absent for calls that start no program. */
  confinement?: Confinement;
  /** Rules that "always allow" would write, e.g. `Bash(git commit *)`. */
  suggestions: string[];
  /** Rules that "yes, and this folder from now on" would write, e.g. `Read(//srv/data/**)`; absent where there are none. */
  folder_suggestions?: string[];
  /** A path that the call reads and that holds secrets, as the call names it. */
  reads_secret?: string;
  /** Nothing but the mode asks, and no secret becomes readable: what a hook of a person may answer. */
  mode_alone?: true;
  /** Of a command: every part of it is known to change nothing. Absent where that is not known. */
  reads_only?: true;
  /** Of a command that is allowed: rules alone would allow every part of it, whatever the mode. */
  ruled?: true;
}
