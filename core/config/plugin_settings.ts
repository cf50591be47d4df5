import { key } from "./setting_definition.ts";
import { names, PLUGIN_LIMITS, pluginLimits, pluginSections, wholeFrom } from "./setting_schemas.ts";

export const PLUGIN_SETTINGS = {
  disabled_tools: key({
    schema: names,
    default: [],
    kind: "list",
    must: "a list of tool names",
    description: "Tools that are never offered or run. Lists of all sources add up.",
    project: "add",
  }),
  disabled_plugins: key({
    schema: names,
    default: [],
    kind: "list",
    must: "a list of plugin ids",
    description: "Plugins that are not loaded. Lists of all sources add up.",
    project: "add",
  }),
  plugins: key({
    schema: pluginSections,
    default: {},
    kind: "object",
    must: "an object with one object for each plugin id",
    description:
      "Settings of plugins, by plugin id: each checks its own section against its schema when it asks for it. Shown without the texts in them, which may be keys.",
    project: "no",
    secret: true,
  }),
  plugin_limits: key({
    schema: pluginLimits,
    default: {},
    kind: "object",
    must: `an object with whole numbers above 0 for any of ${PLUGIN_LIMITS.join(", ")}`,
    description:
      "What each plugin that is not a part of the program may use: calls in one run, bytes of a result and of a message, MiB of memory, seconds of processor time in one call, processes, requests to services in one call. What is not named keeps its usual value. Taken when a session first calls one.",
    project: "no",
  }),
  plugin_model_tokens: key({
    schema: () => wholeFrom(0, 100_000_000),
    default: 20_000,
    kind: "number",
    must: "a whole number of tokens from 0 to 100,000,000",
    description: "Tokens, in and out, that each plugin may use of the model in one run; 0: none.",
    project: "no",
  }),
};
