import * as z from "zod";
import { key } from "./setting_definition.ts";
import { absoluteOrHome, fileName, wholeFrom } from "./setting_schemas.ts";

export const RUN_SETTINGS = {
  max_parent_turns: key({
    schema: () => wholeFrom(1),
    default: 100,
    kind: "number",
    must: "a whole number, 1 or more",
    description: "Model turns of one run.",
    project: "replace",
    flag: "--max-turns",
  }),
  max_consecutive_denials: key({
    schema: () => wholeFrom(1),
    default: 5,
    kind: "number",
    must: "a whole number, 1 or more",
    description: "Refused calls in a row, with no permitted one between, that end a headless run.",
    project: "no",
  }),
  output_style: key({
    schema: () => z.string().min(1).max(100),
    default: "default",
    kind: "text",
    must: "the name of an output style",
    description:
      "How answers are written: `default`, `concise`, `explanatory`, `learning`, or the name of a file in `config/output-styles`, `.Lumina/output-styles` or `.claude/output-styles`. A part of the system prompt, so it begins with the next session.",
    project: "replace",
  }),
  shell_timeout_seconds: key({
    schema: () => z.number().positive().max(1_200),
    default: 120,
    kind: "number",
    must: "a number of seconds above 0, at most 1,200",
    description: "Time limit of a shell command that names none.",
    project: "replace",
  }),
  shell_on_timeout: key({
    schema: () => z.enum(["background", "end"]),
    default: "background",
    kind: "text",
    must: "background or end",
    description:
      "What becomes of a shell command that passes its limit: it goes on in the background, or it is ended.",
    project: "no",
  }),
  max_tool_result_chars: key({
    schema: () => wholeFrom(1_000, 1_000_000),
    default: 50_000,
    kind: "number",
    must: "a whole number from 1,000 to 1,000,000",
    description: "Characters of one tool result that the model sees; the rest is kept in a file.",
    project: "replace",
  }),
  project_doc_filenames: key({
    schema: () => z.array(fileName()),
    default: ["LUMINA.md", "AGENTS.md"],
    kind: "list",
    must: "a list of plain file names",
    description:
      "Files with instructions. In one directory all of them are read, the first named last, so it wins. `CLAUDE.md` brings `.claude/CLAUDE.md` and `CLAUDE.local.md` with it. A `@path` in one imports another file.",
    project: "replace",
  }),
  project_doc_import_dirs: key({
    schema: () => z.array(absoluteOrHome()),
    default: [],
    kind: "list",
    must: "a list of absolute paths or paths that begin with ~/",
    description:
      "Folders outside the project from which its instruction files may import with `@path`. Your own files may import from anywhere.",
    project: "no",
  }),
  project_doc_max_bytes: key({
    schema: () => wholeFrom(0, 1_048_576),
    default: 65_536,
    kind: "number",
    must: "a whole number of bytes from 0 to 1,048,576",
    description: "Bytes of instructions in all; a smaller share of the window may lower it.",
    project: "replace",
  }),
  project_root_markers: key({
    schema: () => z.array(fileName()),
    default: [".git", ".Lumina"],
    kind: "list",
    must: "a list of plain file names",
    description: "Names that mark a parent directory from which instruction files are read.",
    project: "no",
  }),
};
