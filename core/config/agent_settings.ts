import * as z from "zod";
import { key } from "./setting_definition.ts";
import { wholeFrom } from "./setting_schemas.ts";

export const AGENT_SETTINGS = {
  agent_max_depth: key({
    schema: () => wholeFrom(0, 5),
    default: 1,
    kind: "number",
    must: "a whole number from 0 to 5",
    description: "How deep sub-agents may start sub-agents: 1 lets the session's own agent alone, 0 nobody.",
    project: "no",
  }),
  agent_max_turns: key({
    schema: () => wholeFrom(1, 10_000),
    default: 50,
    kind: "number",
    must: "a whole number from 1 to 10,000",
    description: "Model turns of a sub-agent whose type names none.",
    project: "no",
  }),
  agent_max_tokens: key({
    schema: () => wholeFrom(0, 1_000_000_000),
    default: 0,
    kind: "number",
    must: "a whole number of tokens, 0 for no limit",
    description:
      "Tokens that one sub-agent may use, input and output together; it ends as failed. 0: no limit.",
    project: "no",
  }),
  agent_max_budget_usd: key({
    schema: () => z.number().min(0).max(1_000_000),
    default: 0,
    kind: "number",
    must: "a number of US dollars, 0 for no limit",
    description:
      "US dollars that one sub-agent may cost; it ends as failed. Where a price is unknown it has no effect. 0: no limit.",
    project: "no",
  }),
};
