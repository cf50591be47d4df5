import { join } from "node:path";
import { errorMessage } from "../../base/mod.ts";
import { isInside } from "../../files/mod.ts";
import { parseSkill } from "./parse_skill.ts";
import type { ParsedSkill } from "./parse_skill.ts";
import type { Skill, SkillPlace, SkillProblem } from "./skill.ts";

/** The file that makes a folder a skill. */
const SKILL_FILE = "SKILL.md";
/** Folders of one place that are looked at; what comes after is named. */
const MOST_SKILLS = 500;
const MOST_BYTES = 1_048_576;

/** What a look at all places found. */
export interface FoundSkills {
  /** By name; the first place that has one wins. Places come in order, names sorted within each. */
  skills: Skill[];
  problems: SkillProblem[];
}

/**
 * The skills of some places, looked at as often as one likes: a look lists each place once and reads only the files that
 * have changed since the last one. A skill that cannot be used is told and left out alone.
 */
export class SkillLibrary {
  #parsed = new Map<string, { stamp: string; parsed: ParsedSkill }>();
  #last: FoundSkills = { skills: [], problems: [] };

  /** What the last look found; nothing before the first. */
  get found(): FoundSkills {
    return this.#last;
  }

  async look(places: readonly SkillPlace[]): Promise<FoundSkills> {
    const per_place = await Promise.all(places.map((place) => this.#look(place)));
    const found: FoundSkills = { skills: [], problems: [] };
    const names = new Set<string>();
    const folders = new Set<string>();
    for (const { skills, problems } of per_place) {
      found.problems.push(...problems);
      for (const skill of skills) {
        if (names.has(skill.name) || folders.has(skill.directory)) continue;
        names.add(skill.name);
        folders.add(skill.directory);
        found.skills.push(skill);
      }
    }
    this.#last = found;
    return found;
  }

  /** The text of a skill behind its front matter, as the file is now. Throws what reading throws. */
  async body(skill: Skill): Promise<string> {
    const { parsed } = await this.#read(skill.file, skill.name);
    return parsed.body;
  }

  async #look(place: SkillPlace): Promise<FoundSkills> {
    const found: FoundSkills = { skills: [], problems: [] };
    const names = place.single === true ? [""] : await this.#folders(place, found.problems);
    await Promise.all(names.map(async (name, index) => {
      const directory = join(place.directory, name);
      const one = await this.#one(place, directory);
      if (one === undefined) return;
      found.problems.push(...one.problems);
      if (one.skill !== undefined) found.skills[index] = one.skill;
    }));
    found.skills = found.skills.filter((skill) => skill !== undefined);
    found.problems.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0));
    return found;
  }

  async #folders({ directory }: SkillPlace, problems: SkillProblem[]): Promise<string[]> {
    const names: string[] = [];
    try {
      for await (const entry of Deno.readDir(directory)) {
        if (!entry.isFile && !entry.name.startsWith(".")) names.push(entry.name);
      }
    } catch (error) {
      const absent = error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
      if (!absent) {
        problems.push({
          file: directory,
          message: `cannot be listed: ${errorMessage(error)}`,
          usable: false,
        });
      }
      return [];
    }
    names.sort();
    if (names.length > MOST_SKILLS) {
      const message = `holds ${names.length} folders; the first ${MOST_SKILLS} by name are looked at`;
      problems.push({ file: directory, message, usable: true });
    }
    return names.slice(0, MOST_SKILLS);
  }

  /** Undefined where there is no skill at all. */
  async #one(
    place: SkillPlace,
    directory: string,
  ): Promise<{ skill?: Skill; problems: SkillProblem[] } | undefined> {
    const shown = join(directory, SKILL_FILE);
    const broken = (message: string) => ({ problems: [{ file: shown, message, usable: false }] });
    let file: string;
    try {
      file = await Deno.realPath(shown);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
        return await isLink(shown) ? broken("the link leads nowhere") : undefined;
      }
      return broken(`cannot be read: ${errorMessage(error)}`);
    }
    try {
      const real = await Deno.realPath(directory);
      if (place.within !== undefined) {
        const within = await Deno.realPath(place.within);
        // what a repository links to elsewhere is not the repository's to hand out
        if (!isInside(within, file) || !isInside(within, real)) {
          return broken(`a link leads out of ${place.within}: it is not used`);
        }
      }
      const name = directory.slice(directory.lastIndexOf("/") + 1);
      const { stamp, parsed } = await this.#read(file, name, shown);
      this.#parsed.set(file, { stamp, parsed });
      const { fields, problems } = parsed;
      if (fields === undefined) return { problems };
      const skill: Skill = { ...fields, name, source: place.source, directory: real, file };
      if (place.pack !== undefined) skill.pack = place.pack;
      return { skill, problems };
    } catch (error) {
      return broken(`cannot be read: ${errorMessage(error)}`);
    }
  }

  async #read(
    file: string,
    name: string,
    shown = file,
  ): Promise<{ stamp: string; parsed: ParsedSkill }> {
    const info = await Deno.stat(file);
    const stamp = [info.ino, info.size, info.mtime?.getTime(), info.ctime?.getTime(), name].join(":");
    const known = this.#parsed.get(file);
    if (known?.stamp === stamp) return known;
    if (!info.isFile) throw new Error("it is no plain file");
    if (info.size > MOST_BYTES) throw new Error(`it is larger than ${MOST_BYTES} bytes`);
    const parsed = await parseSkill(await Deno.readTextFile(file), name, shown);
    return { stamp, parsed };
  }
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await Deno.lstat(path)).isSymlink;
  } catch {
    return false; // there is nothing at all
  }
}
