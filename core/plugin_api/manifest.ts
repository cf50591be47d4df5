import { z } from "zod";
import type { JsonObject } from "../types/mod.ts";
import { CAPABILITY_KINDS } from "./capability.ts";

const identifier = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, "lower-case letters, digits and _");
const toolName = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, "letters, digits, _ and -, at most 64");

const subject = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("path"), param: z.string(), fallback: z.string().optional() }),
  z.strictObject({ kind: z.literal("command"), param: z.string() }),
  z.strictObject({ kind: z.literal("url"), param: z.string() }),
  z.strictObject({ kind: z.literal("none") }),
]);

/** One tool of a plugin. */
export const toolManifest = z.strictObject({
  name: toolName,
  /** Other names the model, rules and old files may use. */
  aliases: z.array(toolName).default([]),
  /** What the model reads. */
  description: z.string().min(1),
  /** JSON Schema 2020-12 of the input, root type object. */
  input_schema: z.custom<JsonObject>((value) => typeof value === "object" && value !== null),
  effect: z.enum(["none", "read", "write", "run", "net"]),
  subject: subject.default({ kind: "none" }),
  /** Capabilities of the worker that runs it. */
  capabilities: z.array(z.enum(CAPABILITY_KINDS)).default([]),
  /** True when calls of one turn may run side by side. */
  parallel: z.boolean().default(false),
  /** What a crash between intent and outcome means. */
  repeat: z.enum(["retry", "ask", "mark"]).default("mark"),
  /** Hard limit of one call, milliseconds; a tool with a shorter limit of its own keeps it. */
  timeout_ms: z.int().positive().default(60_000),
});

/** `manifest.json` of a plugin. */
export const pluginManifest = z.strictObject({
  id: identifier,
  version: z.string(),
  api: z.literal(1),
  title: z.string(),
  kinds: z.array(
    z.enum(["tools", "mcp", "memory", "team", "workflow", "host", "skills", "commands", "hooks"]),
  ).min(1),
  entry: z.string().optional(),
  capabilities: z.array(z.enum(CAPABILITY_KINDS)).default([]),
  contributes: z.strictObject({ tools: z.array(toolManifest).default([]) }).default({ tools: [] }),
});

export type ToolManifest = z.infer<typeof toolManifest>;
export type PluginManifest = z.infer<typeof pluginManifest>;
