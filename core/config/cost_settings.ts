import { key } from "./setting_definition.ts";
import { dollars, priceList } from "./setting_schemas.ts";

export const COST_SETTINGS = {
  max_budget_usd: key({
    schema: dollars,
    default: undefined,
    kind: "number",
    must: "a number of US dollars above 0",
    description:
      "What a session may cost from its start or resumption on, sub-agents and compaction included. Checked before each request; a run whose model has no known price does not begin. Unset: no limit.",
    project: "no",
    flag: "--max-budget-usd",
  }),
  prices: key({
    schema: priceList,
    default: {},
    kind: "object",
    must: "an object with a list of 2 to 4 numbers, 0 or more, for each model",
    description:
      "Prices in US dollars for a million tokens, by a model's name or its beginning with `*`: `[input, output, cache read, cache write]`. They stand before those that Lumina knows.",
    project: "no",
  }),
};
