/** Which workspace, and which rules beside those that always hold there. */
export interface RulePlace {
  cwd?: string;
  /** One more settings file. */
  settings_file?: string;
  allowed_tools: string[];
  disallowed_tools: string[];
  add_dirs: string[];
}

/** What the options of a command and of the program before it say of that. */
export interface PlaceOptions {
  cwd?: string;
  settings?: string;
  allowedTools?: string[];
  disallowedTools?: string[];
  addDir?: string[];
}

/** The place that options name; those of the command stand before those of the program. */
export function rulePlace(options: PlaceOptions, before: PlaceOptions): RulePlace {
  const { cwd = before.cwd, settings = before.settings } = options;
  return {
    ...(cwd === undefined ? {} : { cwd }),
    ...(settings === undefined ? {} : { settings_file: settings }),
    allowed_tools: before.allowedTools ?? [],
    disallowed_tools: before.disallowedTools ?? [],
    add_dirs: before.addDir ?? [],
  };
}
