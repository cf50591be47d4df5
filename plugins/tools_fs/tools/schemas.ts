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
  }),
  Write: z.object({ file_path: filePath(), content: z.string() }),
  Edit: z.object({ file_path: filePath(), ...replacement }),
  MultiEdit: z.object({ file_path: filePath(), edits: z.array(z.object(replacement)).min(1) }),
  List: z.object({
    path: z.string().default("."),
    depth: z.int().min(1).max(3).default(1),
  }),
};
