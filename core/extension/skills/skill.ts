/** Where a skill comes from; the first place that has a name wins, in this order. */
export type SkillSource = "project" | "user" | "pack" | "bundled";

/** A folder that holds skills, one folder each. */
export interface SkillPlace {
  source: SkillSource;
  /** Absolute. */
  directory: string;
  /** A link may lead no further than this folder; absent: anywhere. */
  within?: string;
  /** The pack that brings the skill. */
  pack?: string;
  /** The directory is itself one skill. */
  single?: true;
}

/** What a skill's front matter says. The body is read when it is used. */
export interface SkillFields {
  /** What it does, and when; for the model and for lists. */
  description: string;
  when_to_use?: string;
  /** What may follow the name, such as `[file]`. */
  argument_hint: string;
  /** Names of the arguments by their position. */
  arguments: string[];
  /** Rules such as `Read` or `Bash(git *)`; absent where none are given. */
  allowed_tools?: string[];
  /** Absent: the session's. */
  model?: string;
  /** Absent: the session's. */
  effort?: "low" | "medium" | "high" | "max";
  /** A sub-agent does it, which sees nothing of the conversation. */
  fork: boolean;
  /** The type of that sub-agent. */
  agent?: string;
  /** What runs its inline commands. */
  shell: SkillShell;
  /** Gitignore-like patterns: it is listed when one of these files is worked with. */
  paths?: string[];
  /** A person may call it as `/name`. */
  user_invocable: boolean;
  /** The model may use it. */
  model_invocable: boolean;
}

export const SKILL_SHELLS = ["bash", "sh", "zsh"] as const;
export type SkillShell = (typeof SKILL_SHELLS)[number];

/** One skill that can be used. */
export interface Skill extends SkillFields {
  /** The name of its folder. */
  name: string;
  source: SkillSource;
  pack?: string;
  /** Absolute path of its folder, links resolved. */
  directory: string;
  /** Absolute path of its `SKILL.md`. */
  file: string;
}

/** Something wrong with a skill's file. */
export interface SkillProblem {
  file: string;
  /** From 1. */
  line?: number;
  message: string;
  /** True when the skill works all the same. */
  usable: boolean;
}
