import * as z from "zod";

// Read by scripts/tool_manifests.ts alone: nothing that runs imports this file.

const option = () => z.object({ label: z.string(), description: z.string().optional() });

/** The input of each tool. */
export const schemas = {
  AskUserQuestion: z.object({
    questions: z.array(z.object({
      question: z.string(),
      header: z.string().optional().describe("One or two words"),
      options: z.array(option()).min(2).max(6),
      multiSelect: z.boolean().default(false),
    })).min(1).max(4),
  }),
  EnterPlanMode: z.object({}),
  ExitPlanMode: z.object({ plan: z.string().describe("Markdown") }),
};
