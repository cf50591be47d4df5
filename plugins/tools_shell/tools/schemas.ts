import * as z from "zod";

// Read by scripts/tool_manifests.ts alone: nothing that runs imports this file.

/** The input of each tool. */
export const schemas = {
  Bash: z.strictObject({
    command: z.string(),
    timeout: z.number().optional().describe("ms, default 120000, max 1200000"),
    description: z.string().optional().describe("what it does, 5-10 words"),
    run_in_background: z.boolean().optional().describe(
      "return at once with a shell id for BashOutput and KillShell",
    ),
    escalate: z.enum(["network", "outside"]).optional().describe(
      "only after the sandbox refused it: asks a person to run it with network or without sandbox",
    ),
  }),
  BashOutput: z.strictObject({
    shell_id: z.string().optional().describe("without it: a list of all"),
    filter: z.string().optional().describe("regex; other lines are dropped"),
  }),
  KillShell: z.strictObject({ shell_id: z.string() }),
};
