import type { JsonObject } from "../types/mod.ts";
import type { ToolFacts } from "./tool_match.ts";

/** A path of a call with what the disk says of it. Plain data. */
export interface PathFact {
  given: string;
  /** Absolute, links not followed. */
  link: string;
  /** Absolute, every link followed. */
  resolved: string;
  /** Other absolute paths of it: links on the way, and what `pathAliases` finds. Refusals hold for each. */
  aliases: string[];
  access: "read" | "write";
  is_dir: boolean;
  /**
   * What lies below it and is touched too, as far as a rule on paths names it: the paths, or `unknown` where there is too
   * much to look at.
   */
  below: string[] | "unknown";
  /** The word stands in the line, but whether the program opens it is not known. */
  mention: boolean;
}

/** One simple command of a line, ready to be judged. */
export interface ShellUnit {
  text: string;
  /** Lines that refusing and asking rules are matched against, of the command and of all it hands on. */
  lines: string[];
  /** The same with wildcards of the shell as unknown text. */
  wide_lines: string[];
  /** Lines that an allow rule may match; empty when none can. */
  allow_lines: string[];
  /** Only a rule without `*` may allow it. */
  exact_only: boolean;
  /** Nothing runs but a function of the line or an assignment of its own. */
  inert: boolean;
  /** Why it is not known to only read; absent when it is. */
  writes_because?: string;
  /** It is known to reach the network. */
  network: boolean;
  /** It starts something as another user, which no sandbox can hold. */
  privileged: boolean;
  paths: PathFact[];
  /** Paths that are known only when the line runs, as written. */
  unknown_paths: string[];
}

/** A shell line, ready to be judged. */
export interface ShellFacts {
  /** What cannot be judged; the line asks. */
  problems: string[];
  /** What can run code hidden in data; no rule allows the line. */
  hazards: string[];
  /** It would destroy a critical place. */
  danger?: string;
  /** It may destroy one. */
  possible_danger?: string;
  units: ShellUnit[];
}

/** All that the decision about one call looks at. Plain data. */
export interface CallFacts {
  tool: ToolFacts;
  input: JsonObject;
  /** Of file tools. */
  paths: PathFact[];
  /** A path that cannot be resolved, and why. */
  path_error?: string;
  url?: string;
  shell?: ShellFacts;
}
