import { join, relative } from "node:path";
import { errorMessage } from "../../base/mod.ts";
import { isInside } from "../../files/mod.ts";
import { parseCommandFile } from "../skills/parse_skill.ts";
import type { SkillFields } from "../skills/skill.ts";
import type { FileProblem } from "./output_style.ts";

/** A folder with command files, or one of a pack's own. */
export interface CommandPlace {
  source: "user" | "project" | "pack";
  /** Absolute. A folder whose subfolders name spaces (`a/b.md` is `a:b`), or with `files` the folder that these stand in. */
  directory: string;
  /** Only these files, relative to the folder, each named by its last part. */
  files?: readonly string[];
  /** The pack that brings them. */
  pack?: string;
  /** Links may lead no further than here; absent: anywhere. */
  within?: string;
}

/** A slash command that a Markdown file says. */
export interface CommandFile extends SkillFields {
  name: string;
  source: CommandPlace["source"];
  pack?: string;
  file: string;
  /** The prompt, with its placeholders. */
  body: string;
}

const MOST_FILES = 500;
const MOST_DEPTH = 8;
const MOST_BYTES = 262_144;
const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u;

/**
 * The command files of some places; of two with the same name that of the earlier place counts. What is broken is told with
 * file and line and left out alone. A place that is missing has none.
 */
export async function findCommandFiles(
  places: readonly CommandPlace[],
): Promise<{ commands: CommandFile[]; problems: FileProblem[] }> {
  const commands = new Map<string, CommandFile>();
  const problems: FileProblem[] = [];
  for (const place of places) {
    const files = place.files?.map((file) => join(place.directory, file)) ??
      listFiles(place.directory, problems);
    for (const file of files) {
      const name = place.files === undefined
        ? relative(place.directory, file).replace(/\.md$/i, "").replaceAll("\\", "/").replaceAll("/", ":")
        : (file.split("/").at(-1) ?? "").replace(/\.md$/i, "");
      const one = await readOne(place, file, name, problems);
      if (one !== undefined && !commands.has(name.toLowerCase())) commands.set(name.toLowerCase(), one);
    }
  }
  return { commands: [...commands.values()], problems };
}

async function readOne(
  { source, within, pack }: CommandPlace,
  file: string,
  name: string,
  problems: FileProblem[],
): Promise<CommandFile | undefined> {
  try {
    if (!name.split(":").every((part) => NAME.test(part))) {
      throw new Error("its name may hold letters, digits, dots, hyphens and underscores: rename it");
    }
    const real = await Deno.realPath(file);
    if (within !== undefined && !isInside(await Deno.realPath(within), real)) {
      throw new Error(`the link leads out of ${within}: it is not used`);
    }
    const { size, isFile } = await Deno.stat(real);
    if (!isFile) throw new Error("it is no file");
    if (size > MOST_BYTES) throw new Error(`it has ${size} bytes, and a command file at most ${MOST_BYTES}`);
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await Deno.readFile(real));
    const parsed = await parseCommandFile(text, file);
    problems.push(...parsed.problems.map(({ usable: _usable, ...problem }) => problem));
    if (parsed.fields === undefined) return undefined;
    return {
      ...parsed.fields,
      name,
      source,
      file,
      body: parsed.body,
      ...(pack === undefined ? {} : { pack }),
    };
  } catch (error) {
    const message = error instanceof TypeError ? "it is not UTF-8 text" : errorMessage(error);
    problems.push({ file, message });
    return undefined;
  }
}

/** The `.md` files of a folder and of those below it, sorted. */
function listFiles(folder: string, problems: FileProblem[]): string[] {
  const files: string[] = [];
  const walk = (directory: string, depth: number) => {
    let entries: Deno.DirEntry[];
    try {
      entries = [...Deno.readDirSync(directory)].sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch (error) {
      const absent = error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
      if (!absent) problems.push({ file: directory, message: errorMessage(error) });
      return;
    }
    for (const { name, isDirectory } of entries) {
      if (name.startsWith(".") || files.length > MOST_FILES) continue;
      const path = join(directory, name);
      if (isDirectory && depth < MOST_DEPTH) walk(path, depth + 1);
      else if (!isDirectory && /\.md$/i.test(name)) files.push(path);
    }
  };
  walk(folder, 1);
  if (files.length <= MOST_FILES) return files;
  problems.push({
    file: folder,
    message: `it holds more than ${MOST_FILES} command files: the first by name are used`,
  });
  return files.slice(0, MOST_FILES);
}
