import * as z from "zod";

// Read by scripts/tool_manifests.ts alone: nothing that runs imports this file.

const filePath = () => z.string().describe("Absolute, or relative to the working directory");
const replacement = {
  old_string: z.string(),
  new_string: z.string(),
  replace_all: z.boolean().default(false),
};

/** The input of each tool. */
export const schemas = {
  Read: z.object({
    file_path: filePath(),
    offset: z.int().min(0).optional().describe("First line, 1-based"),
    limit: z.int().min(1).optional().describe("Number of lines"),
    pages: z.string().optional().describe('Pages of a PDF: "3", "2-5"'),
  }),
  Write: z.object({ file_path: filePath(), content: z.string() }),
  Edit: z.object({ file_path: filePath(), ...replacement }),
  MultiEdit: z.object({ file_path: filePath(), edits: z.array(z.object(replacement)).min(1) }),
  NotebookEdit: z.object({
    notebook_path: z.string(),
    cell_id: z.string().optional(),
    new_source: z.string().optional(),
    cell_type: z.enum(["code", "markdown", "raw"]).optional(),
    edit_mode: z.enum(["replace", "insert", "delete"]).default("replace"),
  }),
  apply_patch: z.object({ patch: z.string() }),
  List: z.object({
    path: z.string().default("."),
    depth: z.int().min(1).max(3).default(1),
  }),
};
