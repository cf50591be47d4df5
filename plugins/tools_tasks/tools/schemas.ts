import * as z from "zod";

// Read by scripts/tool_manifests.ts alone: nothing that runs imports this file.

const ids = () => z.array(z.string()).optional();

/** The input of each tool. */
export const schemas = {
  TaskCreate: z.object({
    subject: z.string(),
    description: z.string().optional(),
    activeForm: z.string().optional().describe("Shown while it goes on: Running tests"),
    owner: z.string().optional(),
    blockedBy: ids(),
  }),
  TaskUpdate: z.object({
    taskId: z.string(),
    status: z.enum(["pending", "in_progress", "completed", "deleted"]).optional(),
    subject: z.string().optional(),
    description: z.string().optional(),
    activeForm: z.string().optional(),
    owner: z.string().optional(),
    addBlocks: ids(),
    addBlockedBy: ids(),
  }),
  TaskList: z.object({}),
  TaskGet: z.object({ taskId: z.string() }),
};
