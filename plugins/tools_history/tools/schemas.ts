import * as z from "zod";

// Read by scripts/tool_manifests.ts alone: nothing that runs imports this file.

/** The input of each tool. */
export const schemas = {
  session_history_list: z.object({
    query: z.string().default(""),
    limit: z.int().min(1).max(100).default(20),
  }),
  session_history_get: z.object({
    number: z.int().min(1).optional(),
    commit_no: z.int().min(1).optional(),
    include_messages: z.boolean().default(false),
  }),
};
