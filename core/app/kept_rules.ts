import { addPermissionRules } from "../config/mod.ts";
import { parseRule } from "../permission/mod.ts";
import type { RuleLayer } from "../permission/mod.ts";
import type { RuleUpdate } from "../cli/mod.ts";

/** Rules that a person decided on while the session runs. */
export class KeptRules {
  #file: string;
  #base_dir: string;
  #session: Record<RuleUpdate["list"], string[]> = { allow: [], ask: [], deny: [] };
  #version = 0;

  /** @param file where rules for the project are kept @param base_dir where `/path` patterns start */
  constructor(file: string, base_dir: string) {
    this.#file = file;
    this.#base_dir = base_dir;
  }

  /** Grows with each update, so that a policy made before it shows. */
  get version(): number {
    return this.#version;
  }

  /** The rules of this session alone. */
  get layer(): RuleLayer {
    return { source: { origin: "session", base_dir: this.#base_dir }, ...this.#session };
  }

  /** Keeps rules. Throws `permission.rule` for one that cannot be read, or why the file cannot be written. */
  async add({ list, rules, keep }: RuleUpdate): Promise<void> {
    for (const rule of rules) parseRule(rule, { origin: "session", base_dir: this.#base_dir });
    if (keep === "project") await addPermissionRules(this.#file, list, rules);
    else this.#session[list].push(...rules);
    this.#version++;
  }
}
