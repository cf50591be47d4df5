import { LuminaError, nearest } from "../../base/mod.ts";
import { CAPABILITY_KINDS, PLUGIN_API } from "../../plugin_api/mod.ts";
import type { CapabilityKind, PluginKind, PluginManifest, ToolManifest } from "../../plugin_api/mod.ts";
import { isJsonObject } from "../../types/mod.ts";
import type { Json, JsonObject } from "../../types/mod.ts";
import { manifestSchema } from "../manifest_schema.ts";
import { manifestFault } from "../manifest_schema_error.ts";
import { objectSchema } from "../object_schema.ts";
import { isReservedTool } from "../reserved_tools.ts";
import { schemaFault } from "../schema_fault.ts";
import { packHooks } from "./pack_hook.ts";

/** The kinds that something in this program runs. */
export const ENGINES: readonly PluginKind[] = ["tools", "hooks", "skills", "commands"];
/** Those whose packs have a module; the others are text alone. */
export const CODE_KINDS: readonly PluginKind[] = ["tools", "hooks"];

/**
 * Checks the text of a `manifest.json` against the schema, and whether this Lumina can run the pack. `name` is what an error
 * calls the pack until its id is known. Each error is one line that names the pack, the field and what is allowed: throws
 * `plugin.manifest`, `plugin.api` for a pack of another API version, `plugin.no_engine` for a kind that nothing runs yet. A
 * schema of its settings that could not be used is refused here: when a pack is built, checked, installed or approved; one
 * of a tool only where `strict` says so, for its author: elsewhere that tool alone is not offered.
 */
export function parseManifest(
  text: string,
  name: string,
  { strict = false }: { strict?: boolean } = {},
): PluginManifest {
  const manifest = readManifest(text, name, { strict });
  assertRunnable(manifest);
  assertSchemas(manifest, strict);
  return manifest;
}

function assertSchemas({ id, config, contributes }: PluginManifest, strict: boolean): void {
  const schemas: [place: string, schema: JsonObject][] = [
    ...(config === undefined ? [] : [["config", config] as [string, JsonObject]]),
    ...(!strict ? [] : contributes.tools).map(({ input_schema }, index): [string, JsonObject] => [
      `contributes.tools[${index}].input_schema`,
      input_schema,
    ]),
  ];
  for (const [place, schema] of schemas) {
    const wrong = schemaFault(schema);
    if (wrong === undefined) continue;
    const space = /^(?:has|cannot) /.test(wrong) ? " " : ".";
    throw fault("plugin.manifest", id, `manifest.json: ${place}${space}${wrong}`);
  }
}

/**
 * The same without asking whether this Lumina can run it: for what only looks at manifests. Unless `strict`, a tool whose
 * schema is none of an object takes no input.
 */
export function readManifest(
  text: string,
  name: string,
  { strict = false }: { strict?: boolean } = {},
): PluginManifest {
  let json: Json;
  try {
    json = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    throw fault("plugin.manifest", name, "manifest.json is not valid JSON"); // the parser's words name no place
  }
  if (!isJsonObject(json)) throw fault("plugin.manifest", name, "manifest.json must hold an object");
  const id = typeof json["id"] === "string" && /^[\w-]{1,64}$/.test(json["id"]) ? json["id"] : name;
  const api = json["api"];
  if (typeof api === "number" && api !== PLUGIN_API) {
    const todo = api > PLUGIN_API ? "a newer Lumina runs it" : "it needs a newer version of the pack";
    throw fault("plugin.api", id, `it is made for plugin API ${api}, this Lumina has ${PLUGIN_API}: ${todo}`);
  }
  if (api !== PLUGIN_API) throw fault("plugin.manifest", id, `api must be the number ${PLUGIN_API}`);
  const asked: Json[] = Array.isArray(json["capabilities"]) ? json["capabilities"] : [];
  for (const request of asked) {
    const kind = isJsonObject(request) ? request["kind"] : request;
    if (typeof kind !== "string" || CAPABILITY_KINDS.some((known) => known === kind)) continue;
    const near = nearest(kind, CAPABILITY_KINDS);
    const hint = near === undefined ? "" : `; did you mean "${near}"?`;
    throw fault(
      "plugin.manifest",
      id,
      `capabilities: there is no capability ${JSON.stringify(kind.slice(0, 60))}${hint} (there are ${
        CAPABILITY_KINDS.join(", ")
      })`,
    );
  }
  const { data, error } = manifestSchema().safeParse(strict ? json : withObjectSchemas(json));
  if (data === undefined) throw fault("plugin.manifest", id, manifestFault(error.issues, json));
  return data;
}

/** A copy whose tools all have schemas of an object. */
function withObjectSchemas(json: JsonObject): JsonObject {
  const { contributes } = json;
  if (contributes === undefined || !isJsonObject(contributes) || !Array.isArray(contributes["tools"])) {
    return json;
  }
  const tools = contributes["tools"].map((tool) =>
    isJsonObject(tool) ? { ...tool, input_schema: objectSchema(tool["input_schema"]) } : tool
  );
  return { ...json, contributes: { ...contributes, tools } };
}

function fault(code: string, name: string, message: string): LuminaError {
  return new LuminaError(code, `Pack "${name}": ${message}`);
}

/** Throws when the process tier cannot run a pack whose manifest is valid. */
export function assertRunnable(manifest: PluginManifest): void {
  const { id, kinds, entry, contributes } = manifest;
  const missing = kinds.find((kind) => !ENGINES.includes(kind));
  if (missing !== undefined) {
    throw fault(
      "plugin.no_engine",
      id,
      `it contributes "${missing}", and this Lumina has no engine for that kind yet (there is one for ${`${
        ENGINES.slice(0, -1).join(", ")
      } and ${ENGINES.at(-1)}`})`,
    );
  }
  const needs_code = kinds.some((kind) => CODE_KINDS.includes(kind));
  if (entry === undefined && needs_code) {
    throw fault(
      "plugin.manifest",
      id,
      'entry is missing: it must name one JavaScript module, such as "mod.js"',
    );
  }
  if (entry !== undefined && !/\.m?js$/.test(entry)) {
    throw fault(
      "plugin.manifest",
      id,
      `entry must be a JavaScript module (.js or .mjs), and it is ${
        JSON.stringify(entry)
      }: lumina plugin build makes one`,
    );
  }
  const names = contributes.tools.flatMap(({ name, aliases }) => [name, ...aliases]);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) {
    throw fault("plugin.manifest", id, `contributes.tools has the name or alias ${twice} twice`);
  }
  contributes.tools.forEach((tool, index) => {
    const problem = toolProblem(manifest, tool);
    if (problem !== undefined) {
      throw fault("plugin.manifest", id, `contributes.tools[${index}].${problem}`);
    }
  });
  for (const { event, handler, capabilities, programs } of packHooks(manifest)) {
    const problem = programsProblem(manifest, handler, capabilities, programs);
    if (problem !== undefined) {
      throw fault("plugin.manifest", id, `contributes.hooks.${event}: ${problem}`);
    }
  }
}

/** What a tool says of itself must fit what it may do: the rules of the session judge it by that. */
function toolProblem(manifest: PluginManifest, tool: ToolManifest): string | undefined {
  const has = (kind: string) => tool.capabilities.some((own) => own === kind);
  const { effect } = tool;
  const reserved = [tool.name, ...tool.aliases].find(isReservedTool);
  if (reserved !== undefined) {
    return `name must not be ${reserved}, nor an alias: permissions are asked and judged under that name`;
  }
  if (has("run") && effect !== "run") return `effect must be run: ${tool.name} may start programs`;
  if (has("run") && tool.subject.kind === "command") {
    // a harmless line would let the call pass, and nothing binds the pack to start that very line
    return `subject must not be a command: ${tool.name} starts programs itself, so each call is asked about`;
  }
  const by_path = tool.subject.kind === "path" || tool.subject.kind === "patch";
  if (has("net") && effect === "write" && by_path) {
    return `effect must be net or run: ${tool.name} may reach the network, and its path says nothing of that`;
  }
  if (has("fs.write") && writesOutside(manifest) && effect !== "write" && effect !== "run") {
    return `effect must be write or run: ${tool.name} may change files outside its own folder`;
  }
  if (has("net") && (effect === "none" || effect === "read")) {
    return `effect must be net, write or run: ${tool.name} may reach the network`;
  }
  return programsProblem(manifest, tool.name, tool.capabilities, tool.programs);
}

function programsProblem(
  manifest: PluginManifest,
  name: string,
  capabilities: readonly CapabilityKind[],
  programs: readonly string[],
): string | undefined {
  if (programs.length === 0) return undefined;
  if (!capabilities.includes("run")) return `capabilities must have run: ${name} names programs`;
  const requests = manifest.capabilities.filter((request) =>
    typeof request !== "string" && request.kind === "run"
  );
  const allowed = requests.flatMap((request) =>
    typeof request !== "string" && request.kind === "run" ? request.programs : []
  );
  const unknown = programs.find((name) => allowed.length > 0 && !allowed.includes(name));
  return unknown === undefined
    ? undefined
    : `programs names ${JSON.stringify(unknown)}, which is not among the programs that the plugin asks for`;
}

function writesOutside(manifest: PluginManifest): boolean {
  return manifest.capabilities.some((request) =>
    request === "fs.write" ||
    (typeof request !== "string" && request.kind === "fs.write" &&
      request.paths.some((path) => path !== "data"))
  );
}
