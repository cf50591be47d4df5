import * as z from "zod";
import { CAPABILITY_KINDS, PLUGIN_KINDS } from "../plugin_api/mod.ts";
import type { PluginManifest, ToolManifest } from "../plugin_api/mod.ts";
import type { JsonObject } from "../types/mod.ts";

const identifier = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, "must be lower-case letters, digits and _");
const toolName = z.string().regex(
  /^[A-Za-z][A-Za-z0-9_-]{0,63}$/,
  "must be letters, digits, _ and -, at most 64",
);

const programName = z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/, "must be a program's plain name");

const subject = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("path"), param: z.string(), fallback: z.string().exactOptional() }),
  z.strictObject({ kind: z.literal("command"), param: z.string() }),
  z.strictObject({ kind: z.literal("url"), param: z.string() }),
  z.strictObject({ kind: z.literal("none") }),
]);

const toolManifest: z.ZodType<ToolManifest> = z.strictObject({
  name: toolName,
  aliases: z.array(toolName).default([]),
  description: z.string().min(1),
  input_schema: z.custom<JsonObject>(
    (value) => typeof value === "object" && value !== null,
    "must be a JSON Schema",
  ),
  effect: z.enum(["none", "read", "write", "run", "net"]),
  subject: subject.default({ kind: "none" }),
  capabilities: z.array(z.enum(CAPABILITY_KINDS)).default([]),
  programs: z.array(programName).default([]),
  parallel: z.boolean().default(false),
  repeat: z.enum(["retry", "ask", "mark"]).default("mark"),
  timeout_ms: z.int().positive().default(60_000),
});

/** Checks `manifest.json`; what is left out gets its default. */
export const pluginManifest: z.ZodType<PluginManifest> = z.strictObject({
  id: identifier,
  version: z.string(),
  api: z.literal(1),
  title: z.string(),
  kinds: z.array(z.enum(PLUGIN_KINDS)).min(1),
  entry: z.string().exactOptional(),
  capabilities: z.array(z.enum(CAPABILITY_KINDS)).default([]),
  contributes: z.strictObject({ tools: z.array(toolManifest).default([]) }).default({ tools: [] }),
});
