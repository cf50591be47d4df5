import * as z from "zod";
import { WORKFLOW_HOOKS } from "../plugin_api/mod.ts";
import type { WorkflowManifest } from "../plugin_api/mod.ts";
import type { JsonObject } from "../types/mod.ts";

/** `pack-manifest/v1` of the All in Luna workflow packs. */
export function workflowManifest(): z.ZodType<WorkflowManifest> {
  const semver = () =>
    z.string().regex(/^[0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?$/, 'must be a version such as "1.2.0"');
  const schemaRef = () => z.string().regex(/^https?:\/\/\S+$/, "must be an http or https URL");
  const contractRefs = () =>
    z.array(z.string().regex(/^(?:https?:\/\/|contract:\/\/)\S+$/, "must be an http, https or contract URL"));
  const packId = () =>
    z.string().regex(/^[a-z][a-z0-9.-]{0,63}$/, "must be lower-case letters, digits, . and -, at most 64");
  const hook = z.strictObject({
    entrypoint: z.string().regex(
      /^[A-Za-z_][A-Za-z0-9_.:-]*$/,
      "must be a name of letters, digits, _, ., : and -",
    ),
    input_schema_ref: schemaRef(),
    output_schema_ref: schemaRef(),
    optional: z.boolean().exactOptional(),
  });
  const data = () => z.record(z.string(), z.json()) as z.ZodType<JsonObject>;
  return z.strictObject({
    kind: z.literal("pack-manifest"),
    schema_version: z.literal("1.0"),
    protocol: z.literal("pack-manifest/v1"),
    pack_id: packId(),
    version: semver(),
    api_version: z.literal(1),
    display_name: z.string().min(1).max(200),
    core_compatibility: z.strictObject({ min: semver(), max: semver() }),
    hooks: z.record(z.enum(WORKFLOW_HOOKS), hook),
    contracts: z.strictObject({ imports: contractRefs(), exports: contractRefs() }),
    store_access: z.literal("core-api-only"),
    capabilities: z.array(z.strictObject({
      id: z.string().regex(/^[a-z][a-z0-9._:-]{1,127}$/, "must be lower-case letters, digits, ., _, : and -"),
      kind: z.enum(["tool", "skill", "plugin", "mcp", "host", "workspace"]),
      required: z.boolean(),
      permissions: z.array(z.string().min(1)).exactOptional(),
    })),
    external_action_policy: z.enum(["ask", "deny", "allow"]),
    dependencies: z.array(z.strictObject({ pack_ref: packId(), version_range: z.string().min(1) }))
      .exactOptional(),
    config_schema_ref: schemaRef().exactOptional(),
    source: z.strictObject({
      kind: z.enum(["repository", "artifact", "builtin"]),
      ref: z.string().min(1),
      digest: z.string().regex(/^[0-9a-fA-F]{64}$/, "must be a SHA-256 in hex").exactOptional(),
    }).exactOptional(),
    metadata: data().exactOptional(),
    created_at: z.iso.datetime({ offset: true }),
    extensions: data().exactOptional(),
  });
}
