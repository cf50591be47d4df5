import { LuminaError } from "../base/mod.ts";
import type { PermissionUpdate } from "../cli/mod.ts";
import { addPermissionRules, addSettingsRules } from "../config/mod.ts";
import type { PermissionList } from "../config/mod.ts";
import { folderRefusal, parseRule } from "../permission/mod.ts";
import type { RuleLayer } from "../permission/mod.ts";

/** What an answer may keep, apart from the mode. */
export type KeptUpdate = Exclude<PermissionUpdate, { mode: unknown }>;

/** Where what is kept goes. */
export interface KeptPlaces {
  /** Rules for the project. */
  project_file: string;
  /** The user's settings. */
  settings_file: string;
  /** Real path; `/path` patterns start there. */
  workspace: string;
  home: string;
  /** Real path of Lumina's own folder. */
  app_root: string;
}

/** Rules and folders that a person decided on while the session runs. */
export class KeptRules {
  #places: KeptPlaces;
  #session: Record<PermissionList, string[]> = { allow: [], ask: [], deny: [], additionalDirectories: [] };
  #version = 0;

  constructor(places: KeptPlaces) {
    this.#places = places;
  }

  /** Grows with each update, so that a policy made before it shows. */
  get version(): number {
    return this.#version;
  }

  /** The rules of this session alone. */
  get layer(): RuleLayer {
    return { source: { origin: "session", base_dir: this.#places.workspace }, ...this.#session };
  }

  /**
   * Keeps what was shown, as it was shown, and gives it back in words. Throws `permission.rule` for a rule that cannot be read,
   * `permission.folder` for a folder that no answer may open, or why a file cannot be written.
   */
  async add(update: KeptUpdate): Promise<string[]> {
    const { workspace, project_file, settings_file } = this.#places;
    const [list, entries, kept] = "rules" in update
      ? [
        update.list,
        this.#rules(update.rules),
        (text: string) => update.list === "allow" ? text : `${update.list} ${text}`,
      ] as const
      : [
        "additionalDirectories",
        this.#folders(update.directories),
        (path: string) => `directory ${path}`,
      ] as const;
    if (update.keep === "project") await addPermissionRules(project_file, list, entries);
    else if (update.keep === "user") {
      await addSettingsRules(settings_file, list, entries.map((text) => everywhere(text, workspace)));
    } else this.#session[list].push(...entries);
    this.#version++;
    return entries.map(kept);
  }

  /** Takes a rule of this session alone away; false where there was none. */
  forget(list: PermissionList, rule: string): boolean {
    const at = this.#session[list].indexOf(rule);
    if (at >= 0) this.#session[list].splice(at, 1);
    return at >= 0;
  }

  /** Something changed in one of the places: a policy that was made before it shows. */
  changed(): void {
    this.#version++;
  }

  #rules(rules: readonly string[]): string[] {
    return rules.map((rule) => parseRule(rule, { origin: "session", base_dir: this.#places.workspace }).text);
  }

  #folders(directories: readonly string[]): string[] {
    return directories.map((directory) => {
      const { workspace, home, app_root } = this.#places;
      const path = realDirectory(directory);
      const why = path === undefined
        ? `${directory} is no directory that exists`
        : folderRefusal(path, "write", { home, workspace, added_dirs: [], protected_paths: [app_root] });
      if (path !== undefined && why === undefined) return path;
      throw new LuminaError("permission.folder", `The folder is not opened: ${why}`);
    });
  }
}

/** A rule on paths of one project means the same when it stands in the settings for all of them. */
function everywhere(rule: string, workspace: string): string {
  const [, tool, pattern] = /^(Read|Edit)\((.+)\)$/.exec(rule) ?? [];
  if (tool === undefined || pattern === undefined || /^(\/\/|~)/.test(pattern)) return rule;
  return `${tool}(/${workspace}/${pattern.replace(/^(\.?\/)+/, "")})`;
}

function realDirectory(directory: string): string | undefined {
  try {
    const path = Deno.realPathSync(directory);
    return Deno.statSync(path).isDirectory ? path : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
    throw error;
  }
}
