// deno-lint-ignore-file no-console
// Puts into each plugins/<id>/manifest.json what the model reads of its tools: the description from tools/<Name>.md and the
// input schema from tools/schemas.ts. Everything else in a manifest is written by hand.
//   deno task tools
import * as z from "zod";
import { fileURLToPath } from "node:url";

const PLUGINS = new URL("../plugins/", import.meta.url);

interface Manifest {
  contributes?: { tools?: Record<string, unknown>[] };
}

/** `tools/schemas.ts` of a plugin: the input of each of its tools by name. */
interface SchemaModule {
  schemas: Readonly<Record<string, z.ZodType>>;
}

/** A manifest as it stands and as its sources say it should. */
export interface GeneratedManifest {
  id: string;
  file: URL;
  stands: Manifest;
  should: Manifest;
}

/** Every plugin that keeps its tools' words beside it, sorted. Throws for a tool without a description or a schema, or for one too many. */
export async function toolManifests(plugins: URL = PLUGINS): Promise<GeneratedManifest[]> {
  const ids: string[] = [];
  for await (const entry of Deno.readDir(plugins)) {
    if (entry.isDirectory && await isFile(new URL(`${entry.name}/tools/schemas.ts`, plugins))) {
      ids.push(entry.name);
    }
  }
  return await Promise.all(ids.sort().map((id) => generated(id, new URL(`${id}/`, plugins))));
}

async function generated(id: string, folder: URL): Promise<GeneratedManifest> {
  const file = new URL("manifest.json", folder);
  const stands: Manifest = JSON.parse(await Deno.readTextFile(file));
  const { schemas }: SchemaModule = await import(new URL("tools/schemas.ts", folder).href);
  const tools = stands.contributes?.tools ?? [];
  const names = tools.map(({ name }) => String(name));
  const strangers = Object.keys(schemas).filter((name) => !names.includes(name));
  if (strangers.length > 0) {
    throw new Error(`plugins/${id}/manifest.json has no tool ${strangers.join(", ")}`);
  }
  const should = await Promise.all(tools.map(async (tool) => {
    const name = String(tool["name"]);
    const schema = schemas[name];
    if (schema === undefined) throw new Error(`plugins/${id}/tools/schemas.ts has no schema of ${name}`);
    const { name: _name, aliases, description: _description, input_schema: _schema, ...rest } = tool;
    return {
      name,
      ...(aliases === undefined ? {} : { aliases }),
      description: description(await Deno.readTextFile(new URL(`tools/${name}.md`, folder))),
      input_schema: inputSchema(schema),
      ...rest,
    };
  }));
  return { id, file, stands, should: { ...stands, contributes: { ...stands.contributes, tools: should } } };
}

/** The text of a description: lines are joined, paragraphs and list items stay apart. */
export function description(markdown: string): string {
  return markdown.trim().replace(/(?<!\n)\n(?!\n|[-*] )/g, " ");
}

/** A zod schema as the terse JSON Schema that a model gets. */
export function inputSchema(schema: z.ZodType): unknown {
  const json = z.toJSONSchema(schema, {
    io: "input",
    override: ({ jsonSchema }) => {
      // bounds of every whole number in JavaScript say nothing to a model
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  const { $schema: _schema, ...rest } = JSON.parse(JSON.stringify(json));
  return rest;
}

async function isFile(url: URL): Promise<boolean> {
  return await Deno.stat(url).then((found) => found.isFile, () => false);
}

async function formatted(manifest: Manifest): Promise<string> {
  const config = fileURLToPath(new URL("../deno.json", import.meta.url));
  const command = new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--quiet", "--config", config, "--ext", "json", "-"],
    stdin: "piped",
    stdout: "piped",
  });
  await using child = command.spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(JSON.stringify(manifest, null, 2)));
  await writer.close();
  const { code, stdout } = await child.output();
  if (code !== 0) throw new Error("deno fmt failed");
  return new TextDecoder().decode(stdout);
}

if (import.meta.main) {
  for (const { id, file, stands, should } of await toolManifests()) {
    if (JSON.stringify(stands) === JSON.stringify(should)) continue;
    await Deno.writeTextFile(file, await formatted(should));
    console.log(`wrote plugins/${id}/manifest.json`);
  }
}
