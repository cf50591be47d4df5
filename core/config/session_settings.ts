import * as z from "zod";
import { key } from "./setting_definition.ts";
import { modelName, wholeFrom } from "./setting_schemas.ts";

export const SESSION_SETTINGS = {
  rewind: key({
    schema: () => z.boolean(),
    default: true,
    kind: "boolean",
    must: "true or false",
    description:
      "Capture the workspace before what may change it, so that `lumina session rewind` can restore it. `.git` and ignored folders are left out.",
    project: "no",
  }),
  rewind_max_file_bytes: key({
    schema: () => wholeFrom(0, 500_000_000),
    default: 33_554_432,
    kind: "number",
    must: "a whole number of bytes from 0 to 500,000,000",
    description: "Larger files are not captured, and named in the journal.",
    project: "no",
  }),
  rewind_max_store_bytes: key({
    schema: () => wholeFrom(1_000_000),
    default: 1_073_741_824,
    kind: "number",
    must: "a whole number of bytes, 1,000,000 or more",
    description:
      "What the captures of one project may take on the disk: the oldest go first. A workspace with more is not captured.",
    project: "no",
  }),
  compaction_threshold: key({
    schema: () => z.number().min(0.3).max(0.95),
    default: 0.8,
    kind: "number",
    must: "a number from 0.3 to 0.95",
    description: "Share of the window from which on a conversation is compacted before the next request.",
    project: "replace",
  }),
  compaction_model: key({
    schema: modelName,
    default: undefined,
    kind: "text",
    must: "the name of a model",
    description:
      "Model that sums up what a compaction takes away, at the main model's address. Unset: the main model.",
    project: "no",
  }),
  session_memory_turn_interval: key({
    schema: () => wholeFrom(0, 10_000),
    default: 5,
    kind: "number",
    must: "a whole number from 0 to 10,000",
    description:
      "Prompts after which a session's latest part is summarised for its history, by one small request beside the work (at most 5 seconds after the last answer). 0: never.",
    project: "no",
    env: ["SESSION_MEM_TURN"],
  }),
  session_memory_model: key({
    schema: modelName,
    default: undefined,
    kind: "text",
    must: "the name of a model",
    description: "Model that writes the summaries, at the main model's address. Unset: the main model.",
    project: "no",
  }),
  retention_days: key({
    schema: () => wholeFrom(0, 36_500),
    default: 0,
    kind: "number",
    must: "a whole number of days from 0 to 36,500",
    description:
      "Age in days from which `lumina storage cleanup` takes sessions that were not used; 0 keeps them. Open and pinned ones and those used within 24 hours always stay.",
    project: "no",
  }),
  retention_max_sessions: key({
    schema: () => wholeFrom(0),
    default: 0,
    kind: "number",
    must: "a whole number, 0 or more",
    description: "Most sessions that `lumina storage cleanup` leaves, the newest; 0 is no limit.",
    project: "no",
  }),
  retention_max_bytes: key({
    schema: () => wholeFrom(0),
    default: 0,
    kind: "number",
    must: "a whole number of bytes, 0 or more",
    description:
      "Most bytes that sessions and their tool output may take: `lumina storage cleanup` deletes the oldest beyond them, archived ones too; 0 is no limit.",
    project: "no",
  }),
  retention_archive: key({
    schema: () => z.boolean(),
    default: true,
    kind: "boolean",
    must: "true or false",
    description:
      "What `retention_days` and `retention_max_sessions` do: archive, which can be undone, or with `false` delete, archived sessions too.",
    project: "no",
  }),
};
