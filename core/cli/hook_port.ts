/** One hook as it stands in its place. */
export interface ListedHook {
  event: string;
  /** Null where it waits for every moment of its event. */
  matcher: string | null;
  type: "command" | "http" | "pack";
  /** The whole command, the address, or the pack's id with the handler's name. */
  command: string;
  /** A permission rule that the call must fit. */
  if: string | null;
  timeout_seconds: number;
  async: boolean;
  source: "managed" | "user" | "repo" | "pack";
  /** File or origin of the settings; the folder of a pack. */
  file: string;
  line: number | null;
  /** Of a project's hook: whether a person has trusted it as it is now; the others need no trust here. */
  trusted: boolean;
  /** Why it is not run in a session that starts here; null where it is. */
  off: string | null;
}

/** The hooks of a session that would start here. */
export interface HookListing {
  hooks: ListedHook[];
  /** What is wrong with files, one line each with file and line. */
  problems: string[];
}

/** Hooks, for people. */
export interface HooksPort {
  list(options: { cwd?: string; settings_file?: string }): Promise<HookListing>;
}
