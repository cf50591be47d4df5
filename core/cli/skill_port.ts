/** One skill as it stands in its place. */
export interface ListedSkill {
  name: string;
  source: "project" | "user" | "pack" | "bundled";
  /** The pack that brings it. */
  pack: string | null;
  description: string;
  argument_hint: string;
  file: string;
  /** A person may call it as `/name`. */
  user_invocable: boolean;
  /** The model may use it. */
  model_invocable: boolean;
  /** A sub-agent does it. */
  fork: boolean;
  /** Why it is not used; null where it is. */
  off: string | null;
}

/** The skills of a session that would start here. */
export interface SkillListing {
  skills: ListedSkill[];
  /** What is wrong with files, one line each with file and line. */
  problems: string[];
}

/** Skills, for people. */
export interface SkillsPort {
  list(options: { cwd?: string; settings_file?: string }): Promise<SkillListing>;
}
