import * as z from "zod";
import { CAPABILITY_KINDS, PLUGIN_API, PLUGIN_KINDS, requestKind } from "../plugin_api/mod.ts";
import type { CapabilityKind, PackLimits, PluginManifest, ToolManifest } from "../plugin_api/mod.ts";
import type { JsonObject } from "../types/mod.ts";
import { capabilityRequest, programName } from "./manifest_schema_capability.ts";
import { contributions } from "./manifest_schema_contributions.ts";
import { packPath, shortText } from "./manifest_schema_texts.ts";

/** As in semver.org's own expression. */
const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

/** Tools of one pack: each costs room in every request. */
const MAX_TOOLS = 64;

const toolName = () =>
  z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,199}$/, "must be letters, digits, _, - and ., at most 200")
    .refine((name) => !name.startsWith("mcp__"), {
      error: "must not begin with mcp__: that is for MCP servers",
    });

const subject = () =>
  z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("path"), param: z.string(), fallback: z.string().exactOptional() }),
    z.strictObject({ kind: z.literal("command"), param: z.string() }),
    z.strictObject({ kind: z.literal("url"), param: z.string() }),
    z.strictObject({ kind: z.literal("patch"), param: z.string() }),
    z.strictObject({ kind: z.literal("none") }),
  ]);

/** A JSON Schema whose root is an object. */
const objectSchema = () => z.looseObject({ type: z.literal("object") }) as unknown as z.ZodType<JsonObject>;

const toolManifest = (): z.ZodType<ToolManifest> =>
  z.strictObject({
    name: toolName(),
    aliases: z.array(toolName()).default([]),
    description: z.string().min(1).max(10_000),
    input_schema: objectSchema(),
    effect: z.enum(["none", "read", "write", "run", "net"]),
    subject: subject().default({ kind: "none" }),
    capabilities: z.array(z.enum(CAPABILITY_KINDS)).default([]),
    programs: z.array(programName()).default([]),
    parallel: z.boolean().default(false),
    destructive: z.boolean().exactOptional(),
    idempotent: z.boolean().exactOptional(),
    repeat: z.enum(["retry", "ask", "mark"]).default("mark"),
    timeout_ms: z.int().positive().max(86_400_000).default(60_000),
  });

const limits = (): z.ZodType<Partial<PackLimits>> => {
  const whole = z.int().positive().exactOptional();
  return z.strictObject({
    calls_per_run: whole,
    result_bytes: whole,
    frame_bytes: whole,
    rss_mib: whole,
    cpu_seconds_per_call: whole,
    processes: whole,
    service_requests_per_call: whole,
  });
};

function makeSchema(): z.ZodType<PluginManifest> {
  return z.strictObject({
    $schema: z.string().exactOptional(),
    id: z.string().regex(
      /^[a-z][a-z0-9_-]{0,63}$/,
      "must be lower-case letters, digits, _ and -, a letter first, at most 64",
    ),
    version: z.string().regex(SEMVER, 'must be a version such as "1.2.0" (semver.org)'),
    api: z.literal(PLUGIN_API),
    title: shortText(200),
    description: z.string().max(4_000).exactOptional(),
    kinds: z.array(z.enum(PLUGIN_KINDS)).min(1),
    entry: packPath().exactOptional(),
    capabilities: z.array(capabilityRequest()).default([]),
    config: objectSchema().exactOptional(),
    limits: limits().exactOptional(),
    integrity: z.record(packPath(), z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in hex"))
      .exactOptional(),
    contributes: contributions(z.array(toolManifest()).max(MAX_TOOLS)),
  }).check(({ value, issues }) => {
    const wrong = (path: (string | number)[], message: string) =>
      issues.push({ code: "custom", input: value, path, message });
    const brought = new Set(
      Object.keys(value.contributes).filter((kind) =>
        kind === "tools"
          ? value.contributes.tools.length > 0
          : kind !== "hooks" || Object.keys(value.contributes.hooks ?? {}).length > 0
      ),
    );
    for (const kind of value.kinds) {
      if (!brought.has(kind)) wrong(["contributes", kind], `is missing, and "kinds" names ${kind}`);
    }
    for (const kind of brought) {
      if (!value.kinds.some((own) => own === kind)) {
        wrong(["kinds"], `must name "${kind}": it is among what the plugin contributes`);
      }
    }
    const asked = new Set(value.capabilities.map(requestKind));
    const requireAsked = (kinds: readonly CapabilityKind[], path: (string | number)[]) => {
      for (const kind of kinds) {
        if (asked.has(kind)) continue;
        const message = `has "${kind}", which the plugin itself does not ask for in "capabilities"`;
        wrong([...path, "capabilities"], message);
      }
    };
    value.contributes.tools.forEach((tool, index) =>
      requireAsked(tool.capabilities, ["contributes", "tools", index])
    );
    for (const [event, hooks] of Object.entries(value.contributes.hooks ?? {})) {
      hooks.forEach(({ capabilities }, index) =>
        requireAsked(capabilities ?? [], ["contributes", "hooks", event, index])
      );
    }
  }) as unknown as z.ZodType<PluginManifest>;
}

let schema: z.ZodType<PluginManifest> | undefined;

/** The schema of `manifest.json`, made when it is first needed; what is left out gets its default. */
export function manifestSchema(): z.ZodType<PluginManifest> {
  return schema ??= makeSchema();
}

/** JSON Schema of `manifest.json`, for editors. */
export function manifestJsonSchema(): JsonObject {
  const json = z.toJSONSchema(manifestSchema(), { io: "input", unrepresentable: "any" });
  return {
    ...JSON.parse(JSON.stringify(json)),
    title: "manifest.json of a Lumina plugin",
  };
}
