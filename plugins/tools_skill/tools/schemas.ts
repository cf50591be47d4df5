import * as z from "zod";

// Read by scripts/tool_manifests.ts alone: nothing that runs imports this file.

/** The input of each tool. */
export const schemas = {
  Skill: z.strictObject({
    skill: z.string().describe("its name"),
    args: z.string().optional(),
  }),
};
