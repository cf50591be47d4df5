import { isInside } from "../../../files/mod.ts";
import { LuminaError, nearest } from "../../../base/mod.ts";
import { SkillLibrary, skillParts, splitWords, substitute } from "../../../extension/mod.ts";
import type { FoundSkills, Skill } from "../../../extension/mod.ts";
import type { UsedSkill } from "../../../session/mod.ts";
import type { TurnLimits } from "../../../types/mod.ts";
import type { FeatureScope } from "../session_feature.ts";
import { skillListing } from "./skill_listing.ts";
import { skillPlaces } from "./skill_places.ts";

/** Characters of one skill that are told again after a compaction, and of all of them: four count as a token. */
const MOST_KEPT = 20_000;
const MOST_KEPT_ALL = 100_000;

/** The skills of one session. What a look finds holds until the next one; a look costs a listing of each place. */
export class SessionSkills {
  readonly #scope: FeatureScope;
  readonly #library = new SkillLibrary();
  #found: FoundSkills = { skills: [], problems: [] };
  #told = new Set<string>();

  constructor(scope: FeatureScope) {
    this.#scope = scope;
  }

  /** Looks at all places; each problem is told once. */
  async look(): Promise<readonly Skill[]> {
    const { app_root, catalog, files, flags, home, located, watch } = this.#scope.parts;
    const { settings } = watch.current;
    const places = skillPlaces({
      project: located.project.root,
      app_root,
      embedded: files.root,
      home,
      packs: catalog.packs,
      settings,
    });
    // with --bare nothing counts that was not asked for
    const found = await this.#library.look(
      flags.bare ? places.filter(({ source }) => source === "bundled") : places,
    );
    for (const { file, line, message, usable } of found.problems) {
      const place = line === undefined ? file : `${file}:${line}`;
      const text = `${place}: ${message}${usable ? "" : " (this skill is not used)"}`;
      if (this.#told.has(text)) continue;
      this.#told.add(text);
      this.#scope.tell({ type: "warning", text });
    }
    const skills = found.skills.filter(({ name }) => !settings.disabled_skills.includes(name));
    this.#found = { ...found, skills };
    return skills;
  }

  /** What the model is told of skills; empty where there is none. */
  async listing(): Promise<string> {
    const skills = await this.#atWork(this.#found.skills);
    return skillListing(skills, this.#scope.session.model.window);
  }

  /** True when files that are worked with decide about some skill. */
  get by_paths(): boolean {
    return this.#found.skills.some(({ paths }) => paths !== undefined);
  }

  /** Throws `skill.unknown`. */
  find(given: string): Skill {
    const wanted = given.trim().replace(/^\//, "");
    const name = wanted.slice(wanted.lastIndexOf(":") + 1).toLowerCase();
    const skill = this.#found.skills.find((each) => each.name === name);
    if (skill !== undefined) return skill;
    const names = this.#found.skills.map((each) => each.name);
    const guess = nearest(name, names);
    throw new LuminaError(
      "skill.unknown",
      `There is no skill ${JSON.stringify(given.slice(0, 80))}; ${
        guess === undefined ? `the skills are: ${names.join(", ") || "none"}` : `did you mean ${guess}?`
      }`,
      { exit: 2 },
    );
  }

  /** A skill's text with its arguments and the output of its commands. Throws `skill.…` and the signal's reason. */
  async text(skill: Skill, args: string, signal: AbortSignal): Promise<string> {
    const { parts, session } = this.#scope;
    const body = await this.#library.body(skill);
    const given = {
      text: args,
      words: splitWords(args),
      names: skill.arguments,
      variables: variables(skill.directory, session.session_id, parts.located.project.root),
    };
    let placed = false;
    const pieces = skillParts(body).map((part) => ({
      command: part.kind === "command",
      text: substitute(part.kind === "command" ? part.command : part.text, given, () => placed = true),
    }));
    const commands = pieces.filter(({ command }) => command).map(({ text }) => text);
    const outputs = commands.length === 0 ? [] : await this.#run(commands, skill, signal);
    const made = pieces.map(({ command, text }) => command ? outputs.shift() ?? "" : text).join("").trim();
    const rest = placed || args.trim() === "" ? "" : `\n\nARGUMENTS: ${args.trim()}`;
    return head(skill) + made + rest;
  }

  /**
   * What a skill says of the rest of the run. A file of the person's own may allow, and one of the program when a person
   * calls it; everybody else's only leaves less.
   */
  limits({ source, allowed_tools, model, effort }: Skill, by: "person" | "model"): TurnLimits {
    const { catalog } = this.#scope.parts;
    if (source === "bundled" && by === "model") return {};
    const own = source === "user" || source === "bundled";
    const named = (rule: string) => catalog.find((rule.split("(", 1)[0] ?? "").trim()) !== undefined;
    return {
      ...(allowed_tools === undefined
        ? {}
        : own
        ? { allow: allowed_tools.filter(named) }
        : { allowed_tools: [...allowed_tools] }),
      ...(model === undefined ? {} : { model }),
      ...(effort === undefined ? {} : { effort }),
    };
  }

  /** The folder whose files a used skill may show; undefined where that would open more than the skill. */
  folder({ directory, source }: Skill): string | undefined {
    const { home, located } = this.#scope.parts;
    if (source === "project" || isInside(directory, home) || isInside(directory, located.project.root)) {
      return undefined;
    }
    return directory;
  }

  /** The texts of skills that were used, as far as they fit, the last ones first. */
  kept(skills: readonly UsedSkill[]): string[] {
    const texts: string[] = [];
    let left = MOST_KEPT_ALL;
    for (const { name, text } of skills.toReversed()) {
      const cut = text.length <= MOST_KEPT
        ? text
        : `${text.slice(0, MOST_KEPT)}\n[cut; load the skill again for the rest]`;
      if (cut.length > left) break;
      left -= cut.length;
      texts.push(`<skill name="${name}">\nLoaded earlier in this session:\n${cut}\n</skill>`);
    }
    return texts;
  }

  async #run(commands: readonly string[], skill: Skill, signal: AbortSignal): Promise<string[]> {
    const { parts, session } = this.#scope;
    const { settings } = parts.watch.current;
    if (!settings.skill_commands) {
      throw new LuminaError(
        "skill.command_refused",
        `The skill ${skill.name} was not loaded: it runs commands, and the setting skill_commands is false`,
        { exit: 3 },
      );
    }
    const { runSkillCommands } = await import("./skill_commands.ts");
    return await runSkillCommands(commands, skill, await session.callPorts(signal), {
      session: parts.session,
      world: parts.world,
      max_chars: settings.skill_command_max_chars,
      signal,
    });
  }

  /** Those that are for all files, or for one that this session has worked with. */
  async #atWork(skills: readonly Skill[]): Promise<readonly Skill[]> {
    if (!skills.some(({ paths }) => paths !== undefined)) return skills;
    const { located, session } = this.#scope.parts;
    const { root } = located.project;
    const seen = [...session.state.seen.keys()].filter((path) => path !== root && isInside(root, path))
      .map((path) => path.slice(root.length + 1));
    const { pathFilter } = await import("./path_filter.ts");
    return skills.filter(({ paths }) => {
      if (paths === undefined) return true;
      return seen.some(pathFilter(paths));
    });
  }
}

/** Where the skill is, for the files it speaks of; what is a part of the program has no others. */
function head({ name, source, directory }: Skill): string {
  return source === "bundled"
    ? `Skill: ${name}\n\n`
    : `Skill: ${name}\nBase directory for this skill: ${directory}\n\n`;
}

function variables(directory: string, session_id: string, project: string): Record<string, string> {
  const values = { SKILL_DIR: directory, SESSION_ID: session_id, PROJECT_DIR: project };
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => [[`LUMINA_${name}`, value], [`CLAUDE_${name}`, value]]),
  );
}
