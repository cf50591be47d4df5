import type { Builtin } from "./command.ts";

/** `/cost`: what this session and today's others have used and cost. */
export const COST_COMMAND: Builtin = {
  info: {
    name: "cost",
    aliases: ["usage"],
    argument_hint: "",
    description: "Show what this session has cost, by model and by what asked, and what today has.",
  },
  async run(context) {
    const { costReport } = await import("./cost_report.ts");
    return await costReport(context);
  },
};
