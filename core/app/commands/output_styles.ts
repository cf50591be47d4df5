import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { findOutputStyles } from "../../extension/mod.ts";
import type { FileProblem, OutputStyle } from "../../extension/mod.ts";
import type { AppRoot } from "../../app_root/mod.ts";
import { nearest } from "../../base/mod.ts";
import type { RunFlags } from "../../cli/mod.ts";
import type { ProgramFiles } from "../open_options.ts";

/** The style that adds nothing to the system prompt. */
export const DEFAULT_STYLE = "default";

/** Where output styles may stand. */
export interface StylePlaces {
  app_root: AppRoot;
  files: ProgramFiles;
  flags: Pick<RunFlags, "bare">;
  located: { project: { root: string } };
}

/** The output styles of the project, the user and the program, in this order. */
export async function outputStyles(
  { app_root, files, flags, located: { project } }: StylePlaces,
): Promise<{ styles: OutputStyle[]; problems: FileProblem[] }> {
  const own = flags.bare ? [] : [
    ...[".Lumina", ".claude"].map((folder) => ({
      directory: join(project.root, folder, "output-styles"),
      within: project.root,
    })),
    { directory: join(app_root.configDir, "output-styles") },
  ];
  const bundled = fileURLToPath(new URL("resources/output_styles", files.root));
  const { styles, problems } = await findOutputStyles([...own, { directory: bundled }]);
  // a part of the program stands in no file that a person could open
  const shown = styles.map((style) => style.file.startsWith(bundled) ? { ...style, file: "" } : style);
  return { styles: shown, problems };
}

/** The names of all styles, `default` first. */
export async function styleNames(places: StylePlaces): Promise<string[]> {
  const { styles } = await outputStyles(places);
  return [DEFAULT_STYLE, ...styles.map(({ name }) => name).filter((name) => name !== DEFAULT_STYLE)];
}

/** What a style adds to the system prompt; a name that no style has is told and adds nothing. */
export async function styleText(
  name: string,
  places: StylePlaces,
  warn: (text: string) => void,
): Promise<string> {
  if (name.toLowerCase() === DEFAULT_STYLE) return "";
  const { styles, problems } = await outputStyles(places);
  const style = styles.find((each) => each.name.toLowerCase() === name.toLowerCase());
  if (style !== undefined) return `# Output style: ${style.name}\n${style.text}`;
  const guess = nearest(name, styles.map((each) => each.name));
  const broken = problems.find(({ file }) => file.toLowerCase().endsWith(`/${name.toLowerCase()}.md`));
  const why = broken !== undefined
    ? `: ${broken.file}${broken.line === undefined ? "" : `:${broken.line}`}: ${broken.message}`
    : guess === undefined
    ? "; /output-style lists them"
    : `; did you mean ${guess}?`;
  warn(`There is no output style ${JSON.stringify(name)}${why}`);
  return "";
}
