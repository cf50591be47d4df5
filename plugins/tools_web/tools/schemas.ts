import * as z from "zod";

// Read by scripts/tool_manifests.ts alone: nothing that runs imports this file.

/** The input of each tool. */
export const schemas = {
  WebFetch: z.object({
    url: z.string().describe("http or https"),
    prompt: z.string().optional().describe("What to look for; of a long page the parts about it are kept"),
    max_chars: z.int().min(500).optional(),
  }),
  WebSearch: z.object({
    query: z.string().min(1),
    num_results: z.int().min(1).max(50).optional(),
    language: z.string().optional().describe("e.g. en, zh-CN"),
    time_range: z.enum(["day", "week", "month", "year"]).optional(),
    categories: z.string().optional().describe("e.g. news, science, it"),
    site: z.string().optional().describe("Only this host"),
  }),
};
