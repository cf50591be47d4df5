import * as z from "zod";

// Read by scripts/tool_manifests.ts alone: nothing that runs imports this file.

/** The input of each tool. */
export const schemas = {
  Agent: z.strictObject({
    description: z.string().min(1).describe("Three to five words"),
    prompt: z.string().min(1).describe("The whole task"),
    subagent_type: z.string().optional().describe("Default general-purpose"),
    model: z.string().optional(),
    run_in_background: z.boolean().optional().describe("Return at once; you are told when it ends"),
    isolation: z.literal("worktree").optional().describe(
      "A git worktree of its own, kept when it has changes",
    ),
    resume: z.string().optional().describe("Id of an earlier sub-agent, which goes on with its context"),
  }),
  AgentOutput: z.strictObject({
    agent_id: z.string().optional(),
    wait: z.boolean().optional().describe("Until it ends"),
    timeout: z.number().positive().max(3600).optional().describe("Seconds to wait, default 600"),
  }),
  AgentStop: z.strictObject({ agent_id: z.string().min(1) }),
};
