// deno-lint-ignore-file no-console
// Writes resources/docs/events.md from the schemas of the events and the comments that stand above them.
//   deno run -A scripts/event_docs.ts
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { sessionEvents } from "../core/session/mod.ts";

const SOURCE = new URL("../core/session/events.ts", import.meta.url);
export const EVENT_DOCS = new URL("../resources/docs/events.md", import.meta.url);

/** The families, in the order of the document: a closed list. */
export const FAMILIES: Readonly<Record<string, string>> = {
  session: "The session itself: what it is, where it works, what people call it, what was done to it.",
  run: "One prompt and everything until it is answered, in steps of one request each.",
  model: "What models answered, or why they did not.",
  tool: "What tools were about to do, and what came of it.",
  permission: "Who allowed or refused a call.",
  task: "Tasks of the agent.",
  subagent: "Agents that work for this one.",
  team: "Teams of agents.",
  memory: "What is kept for the history and for later sessions.",
  usage: "Tokens and money.",
  plugin: "What plugins recorded, and what was done to them.",
  warning: "What people were warned of.",
  checkpoint: "States of the workspace that can be restored.",
};

interface Schema {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}

/** Shapes that several events share, by what tells them apart. */
const SHARED: readonly { name: string; fits(schema: Schema): boolean }[] = [
  {
    name: "Message",
    fits: ({ anyOf }) => anyOf?.length === 2 && anyOf.every((each) => role(each) !== undefined),
  },
  { name: "AssistantMessage", fits: (schema) => role(schema) === "assistant" },
  { name: "Usage", fits: ({ properties }) => properties?.["cache_read"] !== undefined },
];

/** The whole document. */
export async function eventDocs(): Promise<string> {
  const source = await Deno.readTextFile(SOURCE);
  const shared = new Map<string, Schema>();
  const sections: string[] = [];
  for (const [family, about] of Object.entries(FAMILIES)) {
    const types = sessionEvents.types().filter((type) => type.split(".")[0] === family);
    const events = types.map((type) => describeEvent(type, source, shared));
    const body = events.length === 0 ? ["Reserved: no event yet."] : events;
    sections.push([`## ${family}`, about, ...body].join("\n\n"));
  }
  const shapes = SHARED.flatMap(({ name }) => {
    const schema = shared.get(name);
    return schema === undefined ? [] : [`\`\`\`ts\ntype ${name} = ${shape(schema, undefined)};\n\`\`\``];
  });
  return `${[INTRODUCTION, ...sections, "## Shared shapes", ...shapes, JOURNAL].join("\n\n")}\n`;
}

const INTRODUCTION = `# Events

Made from the schemas by \`scripts/event_docs.ts\`; do not edit.

A session is what its events say: one line of them in \`runtime.sqlite\`, numbered by \`seq\` without gaps, chained by
hash, never changed. Each has \`seq, stream_id, stream_seq, type, version, ts\`, mostly \`run_id\` and \`step_id\`, and a
payload as below. \`session.*\`, \`memory.*\` and their usage are in the stream \`session\`, all others in the stream
\`run/<run id>\` of their run. A reader keeps what it does not know: unknown types and newer versions are skipped with a
warning, older versions are brought up to date.

The families are a closed list. A \`?\` marks a field that may be missing.`;

const JOURNAL = `## Of the journal itself

\`journal.redacted\` \`{ seqs, reason, by }\` says which payloads were taken out on purpose, and why. Two types are read
and never stored: \`journal.damaged\` in the place of an event whose payload is damaged or gone, and an own type in the
place of one that was redacted.`;

function describeEvent(type: string, source: string, shared: Map<string, Schema>): string {
  const { version, schema } = sessionEvents.definition(type);
  const json = z.toJSONSchema(schema, { unrepresentable: "any" }) as Schema;
  const required = new Set(json.required);
  const place = source.indexOf(`"${type}"`);
  const rows = Object.entries(json.properties ?? {}).map(([name, field]) => {
    const about = fieldComment(source, place, name);
    return `| \`${name}${required.has(name) ? "" : "?"}\` | \`${shape(field, shared)}\` | ${about} |`;
  });
  const table = ["| field | type | |", "| --- | --- | --- |", ...rows].join("\n");
  return `### ${type}\n\nVersion ${version}. ${commentAbove(source, place)}\n\n${escapeTypes(table)}`;
}

/** The comment that stands above the definition of an event. */
function commentAbove(source: string, place: number): string {
  const before = source.slice(0, place);
  const text = /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*\.define\(\s*$/.exec(before)?.[1];
  if (text === undefined) throw new Error(`No comment stands above ${source.slice(place, place + 40)}`);
  return oneLine(text);
}

/** The comment above a field inside the definition that begins at `place`; empty when there is none. */
function fieldComment(source: string, place: number, name: string): string {
  const end = source.indexOf(".define(", place);
  const body = source.slice(place, end < 0 ? undefined : end);
  const text = new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\s*${name}:`).exec(body)?.[1];
  return text === undefined ? "" : oneLine(text);
}

function oneLine(comment: string): string {
  return comment.replace(/\s*\n\s*\*?\s*/g, " ").trim();
}

/** A bar inside a type would end the column of a Markdown table. */
function escapeTypes(table: string): string {
  return table.replace(/`[^`]*`/g, (code) => code.replaceAll("|", "\\|"));
}

/** A schema as a TypeScript type on one line. Shared shapes are named and collected, unless `shared` is missing. */
function shape(schema: Schema, shared: Map<string, Schema> | undefined): string {
  const known = shared && SHARED.find(({ fits }) => fits(schema));
  if (known !== undefined) {
    shared?.set(known.name, schema);
    return known.name;
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) return options.map((option) => shape(option, shared)).join(" | ");
  if (schema.type === "array") {
    const item = shape(schema.items ?? {}, shared);
    return item.includes("|") ? `(${item})[]` : `${item}[]`;
  }
  if (schema.properties === undefined) return [schema.type ?? "JSON"].flat().join(" | ");
  const required = new Set(schema.required);
  const fields = Object.entries(schema.properties).map(([name, field]) =>
    `${name}${required.has(name) ? "" : "?"}: ${shape(field, shared)}`
  );
  return `{ ${fields.join("; ")} }`;
}

function role({ properties }: Schema): unknown {
  return properties?.["role"]?.const;
}

if (import.meta.main) {
  await Deno.writeTextFile(EVENT_DOCS, await eventDocs());
  console.log(`wrote ${fileURLToPath(EVENT_DOCS)}`);
}
