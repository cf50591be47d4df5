import type * as z from "zod";

/** What a project's file may do with a key: nothing, replace the user's value, or add to the user's list. */
export type ProjectRule = "no" | "replace" | "add";

/** One setting. The schema is made when the key is first used: a start pays only for keys that are set. */
export interface SettingDefinition<S extends z.ZodType, D extends z.output<S> | undefined> {
  readonly schema: () => S;
  readonly default: D;
  /** How text from a variable or flag is read, and which file values are looked at again: `path` and `${VAR}`. */
  readonly kind: "text" | "command" | "path" | "number" | "boolean" | "list" | "object" | "permissions";
  /** The allowed values in words: what an error says the value must be. */
  readonly must: string;
  readonly description: string;
  readonly project: ProjectRule;
  /** Values of the user's own sources add up: a stronger one cannot take away what a weaker one says. */
  readonly adds?: true;
  readonly secret?: true;
  /** Variables that set it, strongest first, after `LUMINA_<KEY>`. */
  readonly env?: readonly string[];
  /** The command line flag that sets it. */
  readonly flag?: string;
}

/** Keeps the exact types of a definition. */
export function key<S extends z.ZodType, D extends z.output<S> | undefined>(
  definition: SettingDefinition<S, D>,
): SettingDefinition<S, D> {
  return definition;
}
