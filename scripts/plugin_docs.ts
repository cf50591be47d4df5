// deno-lint-ignore-file no-console
// Writes resources/docs/plugin-manifest.md and resources/schemas/plugin-manifest.schema.json from the manifest's schema.
//   deno run -A scripts/plugin_docs.ts
import { fileURLToPath } from "node:url";
import { capabilityWords, manifestJsonSchema } from "../core/plugin_host/packs/mod.ts";
import {
  CAPABILITY_KINDS,
  DEFAULT_LIMITS,
  HOOK_EVENTS,
  HOOK_TIMEOUT_MS,
  PLUGIN_KINDS,
} from "../core/plugin_api/mod.ts";
import type { CapabilityKind } from "../core/plugin_api/mod.ts";

export const MANIFEST_DOCS = new URL("../resources/docs/plugin-manifest.md", import.meta.url);
export const MANIFEST_SCHEMA = new URL("../resources/schemas/plugin-manifest.schema.json", import.meta.url);

interface Schema {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: string[];
  propertyNames?: Schema;
  default?: unknown;
}

/** What each field is for. A field without words here fails the script. */
const ABOUT: Readonly<Record<string, string>> = {
  $schema: "Where editors find this schema.",
  id: "The plugin's name: lower-case letters, digits, `_` and `-`. Its folder has the same name.",
  version: "Semantic version.",
  api: "Version of the contract between Lumina and its plugins: 1.",
  title: "One line for people.",
  description: "More for people.",
  kinds: "What the plugin brings; the same kinds as in `contributes`.",
  entry: "One JavaScript module with everything bundled into it; `lumina plugin build` makes it.",
  capabilities: "What the plugin asks for; a person grants it once.",
  config: "JSON Schema of the plugin's own section of the settings, `plugins.<id>`; its root is an object.",
  limits: "Where the plugin wants less than it may have.",
  integrity:
    "SHA-256 by path of every file; written by `lumina plugin build`, checked when the plugin is approved.",
  contributes: "What the plugin brings, by kind.",
  name:
    "What it is called: letters, digits, `_`, `-` and `.`, at most 200. Rules, hooks and logs have it as it is; for " +
    "providers, which take 64 without `.`, a longer one is cut and gets a hash of the whole.",
  aliases: "Other names that the model and rules may use.",
  "tool.description": "What the model reads.",
  input_schema: "JSON Schema 2020-12 of the input; its root is an object.",
  effect: "What a call does at most: the permission rules judge it by that.",
  subject: "The input that permission rules look at: a path, a command, a URL, or none.",
  "tool.capabilities": "Which of the plugin's capabilities the tool uses.",
  programs: "Programs that it starts itself; `config.<name>_path` says where each was found.",
  parallel: "Calls of one turn may run side by side.",
  destructive:
    "It may take away or overwrite what cannot be made again. Told to clients; permission rules judge by `effect`.",
  idempotent: "Calling it again with the same input changes nothing more. Told to clients.",
  repeat: "What a crash between the call's beginning and its end means: `retry` it, `ask`, or `mark` it.",
  timeout_ms: "After so many milliseconds a call is cancelled.",
  matcher:
    "Which of the event's moments: `*` or nothing for all, names with `|` between, or a regular expression.",
  handler: "The function that answers: an export of the plugin's module.",
  "hook.capabilities": "Which of the plugin's capabilities the hook uses; it gets no others.",
  "hook.timeout_ms": `After so many milliseconds it is given up; ${HOOK_TIMEOUT_MS} by default.`,
};

/** The whole document. */
export function manifestDocs(): string {
  const schema = manifestJsonSchema() as Schema;
  const contributes = schema.properties?.["contributes"]?.properties ?? {};
  const tool = contributes["tools"]?.items ?? {};
  const hook = contributes["hooks"]?.additionalProperties;
  if (typeof hook !== "object" || hook.items === undefined) {
    throw new Error("The schema has no list of hooks");
  }
  const others = PLUGIN_KINDS.filter((kind) => kind !== "tools" && kind !== "hooks").map((kind) =>
    `### ${kind}\n\n\`\`\`ts\n${shape(contributes[kind] ?? {})}\n\`\`\``
  );
  const limits = Object.entries(DEFAULT_LIMITS).map(([name, value]) => `| \`${name}\` | ${value} |`);
  return `${
    [
      INTRODUCTION,
      table(schema, ""),
      "## Capabilities",
      CAPABILITIES,
      ["| kind | the plugin may |", "| --- | --- |", ...CAPABILITY_KINDS.map(capabilityRow)].join("\n"),
      "## A tool",
      "`contributes.tools` is a list of these.",
      table(tool, "tool."),
      HONEST,
      "## A hook",
      HOOKS,
      table(hook.items, "hook."),
      "## Limits",
      "What a plugin may use when `limits` names nothing else. A value above the host's is lowered to it.",
      ["| limit | |", "| --- | --- |", ...limits].join("\n"),
      "## Other kinds",
      "These are checked as they stand here. This Lumina has no engine for them yet, so a plugin that brings one is refused " +
      "with that reason.",
      ...others,
    ].join("\n\n")
  }\n`;
}

const INTRODUCTION = `# The manifest of a plugin

Made from the schema by \`scripts/plugin_docs.ts\`; do not edit.

A plugin is a folder with \`manifest.json\`, one bundled JavaScript module, and data. The same as JSON Schema, for editors:
\`resources/schemas/plugin-manifest.schema.json\`. Unknown fields are refused. A \`?\` marks a field that may be missing.

Plugins are looked for among the program's own, then in \`config/plugins/<id>\` of the app folder, then, in a trusted
project, in \`.Lumina/plugins/<id>\`. The first one of an id is used, so no repository takes the place of what a person
installed; \`lumina plugin list\` shows the others as shadowed. A tool whose name or alias an earlier plugin has is not offered.

What a person approved is bound to the SHA-256 of every file. A file that changed, came or went, or other capabilities
than were granted, switch the plugin off until \`lumina plugin trust ID\` has shown the change and got a yes. The module's bytes
are read once, compared, and run from memory.`;

const CAPABILITIES = `A capability is a kind alone (\`"ask"\`), or a kind narrowed to what it names:

\`\`\`json
["artifact", { "kind": "fs.read", "paths": ["workspace", "data", "~/notes"] }, { "kind": "net", "hosts": ["api.example.com:443"] },
 { "kind": "run", "programs": ["git"] }, { "kind": "env", "names": ["EDITOR"] }, { "kind": "sys", "kinds": ["hostname"] }]
\`\`\`

\`workspace\` is the workspace and the directories that were added to it; \`data\` is the plugin's own folder
(\`config.data_dir\` of a call). Paths, hosts, programs, variables and facts of the machine become the exact Deno permissions of
the plugin's process, as far as the tool of a call names the kind. Without a name there is no direct access: \`"net"\` alone reaches the network through
\`services.net\`, where each address is judged. A folder in which a deny rule may hold, or which holds Lumina's own
folder, is not granted as a whole; \`services.fs\` reads and writes there, and each path is judged. In the workspace, a
tool whose \`subject\` is a path may write that path alone; any other what lies there, but nothing new beside it and none of
\`.git\`, \`.Lumina\`, \`.claude\` and their like, which run code or grant rights.`;

const HONEST =
  `The rules of a session judge a call by \`effect\` and \`subject\`, so a tool must not claim less than it may do: with the
capability \`run\` the effect is \`run\`; with \`fs.write\` beyond \`data\` it is \`write\` or \`run\`; with \`net\` it is \`net\`, \`write\` or
\`run\`.`;

const HOOKS =
  `\`contributes.hooks\` has a list of these for each event that the plugin waits for. Nothing judges a hook when it is
called, so it never changes the workspace by itself: \`services.fs\` does, and each path is judged. The events are those of the
published hook protocol:

${HOOK_EVENTS.map((event) => `\`${event}\``).join(", ")}.`;

function capabilityRow(kind: CapabilityKind): string {
  const named: Partial<Record<CapabilityKind, string>> = { env: "needs `names`", sys: "needs `kinds`" };
  return `| \`${kind}\` | ${named[kind] ?? capabilityWords(kind)} |`;
}

function table(schema: Schema, prefix: string): string {
  const required = new Set(schema.required);
  const rows = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const about = ABOUT[`${prefix}${name}`] ?? ABOUT[name];
    if (about === undefined) throw new Error(`Say in scripts/plugin_docs.ts what the field ${name} is for`);
    const type = name === "contributes" || name === "capabilities" || name === "limits"
      ? "see below"
      : `\`${shape(field).replaceAll("|", "\\|")}\``;
    return `| \`${name}${required.has(name) ? "" : "?"}\` | ${type} | ${about} |`;
  });
  return ["| field | type | |", "| --- | --- | --- |", ...rows].join("\n");
}

/** A schema as a TypeScript type on one line. */
function shape(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) return options.map(shape).join(" | ");
  if (schema.type === "array") {
    const item = shape(schema.items ?? {});
    return item.includes("|") ? `(${item})[]` : `${item}[]`;
  }
  if (schema.properties !== undefined) {
    const required = new Set(schema.required);
    const fields = Object.entries(schema.properties).map(([name, field]) =>
      `${name}${required.has(name) ? "" : "?"}: ${shape(field)}`
    );
    return `{ ${fields.join("; ")} }`;
  }
  if (typeof schema.additionalProperties === "object" && schema.propertyNames !== undefined) {
    const values = shape(schema.additionalProperties);
    const names = schema.propertyNames.enum?.map((name) => JSON.stringify(name)).join(" | ");
    return names === undefined ? `{ [name]: ${values} }` : `{ [${names}]?: ${values} }`;
  }
  return schema.type ?? "JSON";
}

/** The JSON Schema as the file holds it. */
export function manifestSchemaText(): string {
  return `${JSON.stringify(manifestJsonSchema(), null, 2)}\n`;
}

if (import.meta.main) {
  await Deno.mkdir(new URL(".", MANIFEST_SCHEMA), { recursive: true });
  await Deno.writeTextFile(MANIFEST_DOCS, manifestDocs());
  await Deno.writeTextFile(MANIFEST_SCHEMA, manifestSchemaText());
  console.log(`wrote ${fileURLToPath(MANIFEST_DOCS)} and ${fileURLToPath(MANIFEST_SCHEMA)}`);
}
