import { errorMessage } from "../../base/mod.ts";
import { isInside } from "../../files/mod.ts";
import { FrontMatterError, readFrontMatter } from "../front_matter.ts";

/** How answers are written: a text for the system prompt. */
export interface OutputStyle {
  name: string;
  description: string;
  text: string;
  file: string;
}

/** A file that cannot be used: it is left out, alone. */
export interface FileProblem {
  file: string;
  /** From 1. */
  line?: number;
  message: string;
}

/** A folder with output styles. */
export interface StyleFolder {
  /** Absolute. */
  directory: string;
  /** Links may lead no further than here; absent: anywhere. */
  within?: string;
}

const MOST_BYTES = 65_536;

/**
 * The output styles of some folders, each a Markdown file with the front matter `name` and `description` (both optional);
 * of two with the same name the one in the earlier folder counts. A folder that is missing has none.
 */
export async function findOutputStyles(
  folders: readonly StyleFolder[],
): Promise<{ styles: OutputStyle[]; problems: FileProblem[] }> {
  const styles = new Map<string, OutputStyle>();
  const problems: FileProblem[] = [];
  for (const folder of folders) {
    for (const entry of listFolder(folder.directory, problems)) {
      const file = `${folder.directory}/${entry}`;
      const style = await readStyle(folder, file, entry.replace(/\.md$/i, ""), problems);
      if (style !== undefined && !styles.has(style.name.toLowerCase())) {
        styles.set(style.name.toLowerCase(), style);
      }
    }
  }
  return { styles: [...styles.values()], problems };
}

async function readStyle(
  { within }: StyleFolder,
  file: string,
  base: string,
  problems: FileProblem[],
): Promise<OutputStyle | undefined> {
  try {
    const real = await Deno.realPath(file);
    // what a repository links to elsewhere is not the repository's to hand out
    if (within !== undefined && !isInside(await Deno.realPath(within), real)) {
      throw new Error(`the link leads out of ${within}: it is not used`);
    }
    const { isFile, size } = await Deno.stat(real);
    if (!isFile) throw new Error("it is no plain file");
    if (size > MOST_BYTES) throw new Error(`it has ${size} bytes, and an output style at most ${MOST_BYTES}`);
    const { fields, body } = await readFrontMatter(await Deno.readTextFile(real), file);
    const { name = base, description = "" } = fields;
    if (typeof name !== "string" || name.trim() === "") throw new Error('"name" must be a text');
    if (typeof description !== "string") throw new Error('"description" must be a text');
    if (body.trim() === "") throw new Error("it has no text");
    return { name: name.trim(), description: description.trim(), text: body.trim(), file };
  } catch (error) {
    problems.push(problemOf(file, error));
    return undefined;
  }
}

/** What is wrong with a file, with the line where that is known. */
export function problemOf(file: string, error: unknown): FileProblem {
  return error instanceof FrontMatterError
    ? { file, line: error.line, message: error.reason }
    : { file, message: errorMessage(error) };
}

function listFolder(folder: string, problems: FileProblem[]): string[] {
  try {
    return [...Deno.readDirSync(folder)].filter(({ name, isDirectory }) =>
      !isDirectory && /\.md$/i.test(name)
    )
      .map(({ name }) => name).sort();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound) && !(error instanceof Deno.errors.NotADirectory)) {
      problems.push(problemOf(folder, error));
    }
    return [];
  }
}
