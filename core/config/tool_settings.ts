import * as z from "zod";
import { key } from "./setting_definition.ts";
import { wholeFrom } from "./setting_schemas.ts";

/** What the model or a tool can, where it is not known by itself. */
export const AUTO_ON_OFF = ["auto", "on", "off"] as const;
const AUTO_WORDS = `one of ${AUTO_ON_OFF.join(", ")}`;

export const TOOL_SETTINGS = {
  model_images: key({
    schema: () => z.enum(AUTO_ON_OFF),
    default: "auto",
    kind: "text",
    must: AUTO_WORDS,
    description: "Whether the model is shown images. `auto`: when the catalogue says that it takes them.",
    project: "no",
  }),
  model_pdf: key({
    schema: () => z.enum(AUTO_ON_OFF),
    default: "auto",
    kind: "text",
    must: AUTO_WORDS,
    description:
      "Whether the model is shown whole PDF files. `auto`: when the catalogue says that it takes them.",
    project: "no",
  }),
  apply_patch: key({
    schema: () => z.enum(AUTO_ON_OFF),
    default: "auto",
    kind: "text",
    must: AUTO_WORDS,
    description:
      "Whether the tool apply_patch is offered. `auto`: to models that were trained to change files by patches.",
    project: "replace",
  }),
  read_image_max_bytes: key({
    schema: () => wholeFrom(1_000, 20_000_000),
    default: 3_750_000,
    kind: "number",
    must: "a whole number of bytes from 1,000 to 20,000,000",
    description: "Size of the largest image that Read shows.",
    project: "replace",
  }),
  read_pdf_max_pages: key({
    schema: () => wholeFrom(1, 100),
    default: 20,
    kind: "number",
    must: "a whole number from 1 to 100",
    description: "Pages of a PDF that one Read gives.",
    project: "replace",
  }),
  task_reminder_steps: key({
    schema: () => wholeFrom(0, 1_000),
    default: 12,
    kind: "number",
    must: "a whole number from 0 to 1,000",
    description:
      "Steps without a change of the task list after which the model is reminded of what is open; 0: never.",
    project: "replace",
  }),
  max_tasks: key({
    schema: () => wholeFrom(1, 10_000),
    default: 200,
    kind: "number",
    must: "a whole number from 1 to 10,000",
    description: "Tasks that the list of a session may hold.",
    project: "replace",
  }),
};
