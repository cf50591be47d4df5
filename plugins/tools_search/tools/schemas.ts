import * as z from "zod";

// Read by scripts/tool_manifests.ts alone: nothing that runs imports this file.

const flag = (about: string) => z.boolean().optional().describe(about);
const count = () => z.int().min(0).optional();

/** The input of each tool. */
export const schemas = {
  Glob: z.strictObject({
    pattern: z.string().describe("Glob such as **/*.ts or src/**/*.{js,ts}"),
    path: z.string().optional().describe("Directory to search (default: the workspace)"),
    follow: flag("Follow links"),
    include_ignored: flag("false leaves out what .gitignore excludes"),
  }),
  Grep: z.strictObject({
    pattern: z.string().describe("Regular expression, matched line by line"),
    path: z.string().optional().describe("File or directory (default: the workspace)"),
    glob: z.string().optional().describe(
      "Only these files, e.g. *.ts or src/**/*.{js,ts}; ! in front excludes",
    ),
    type: z.string().optional().describe("Only this file type, e.g. ts, py, rust"),
    output_mode: z.enum(["files_with_matches", "content", "count"]).optional().describe(
      "Default files_with_matches; content shows path:line:text",
    ),
    case_insensitive: z.boolean().optional(),
    "-i": flag("Same as case_insensitive"),
    context: count().describe("Lines around each match (content)"),
    before: count(),
    after: count(),
    "-A": count(),
    "-B": count(),
    "-C": count(),
    head_limit: count().describe("Most lines or files shown, default 250, 0 = all"),
    offset: count().describe("Skip this many first"),
    multiline: flag("Let matches span lines; . matches line ends"),
    follow: flag("Follow links"),
  }),
};
