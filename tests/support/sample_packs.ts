import { fileURLToPath } from "node:url";
import { newPack } from "../../core/plugin_host/author/mod.ts";
import type { CapabilityRequest } from "../../core/plugin_api/mod.ts";
import type { JsonObject } from "../../core/types/mod.ts";

/** Where what `plugin new` writes comes from. */
export const PACK_TEMPLATES = {
  templates: fileURLToPath(new URL("../../resources/plugin_template", import.meta.url)),
  manifest_schema: fileURLToPath(
    new URL("../../resources/schemas/plugin-manifest.schema.json", import.meta.url),
  ),
};

/** What an author makes of a new pack: its module, what it asks for, its one tool. */
export interface SampleEdit {
  source: string;
  test: string;
  version?: string;
  capabilities: CapabilityRequest[];
  tool: JsonObject;
}

/** Makes a pack in `directory` the way an author does: from the template, then edited. Only its names are needed again. */
export async function makeSamplePack(name: string, directory: string, edit: SampleEdit): Promise<void> {
  await newPack({ kind: "tools", name, directory, ...PACK_TEMPLATES, toolOwner: () => undefined });
  await editSamplePack(directory, edit);
}

/** Puts the author's own work into a pack that `plugin new` has made. */
export async function editSamplePack(directory: string, edit: SampleEdit): Promise<void> {
  const file = `${directory}/manifest.json`;
  const manifest = JSON.parse(await Deno.readTextFile(file));
  const [tool] = manifest.contributes.tools;
  manifest.capabilities = edit.capabilities;
  if (edit.version !== undefined) manifest.version = edit.version;
  manifest.contributes.tools = [{ ...tool, ...edit.tool }];
  await Deno.writeTextFile(file, `${JSON.stringify(manifest, null, 2)}\n`);
  await Deno.writeTextFile(`${directory}/src/mod.ts`, edit.source);
  await Deno.writeTextFile(`${directory}/tests/mod_test.ts`, edit.test);
}

const NOTES_SOURCE = `import type { PluginModule } from "../lumina.d.ts";

const pack: PluginModule = {
  tools: {
    async Notes({ file, url }, context) {
      if (typeof file !== "string" || typeof url !== "string") throw new Error("file and url must be texts");
      const note = await Deno.readTextFile(file.startsWith("/") ? file : \`\${context.cwd}/\${file}\`);
      const response = await fetch(url, { signal: context.signal });
      if (!response.ok) return { content: \`\${url} answered \${response.status}\`, is_error: true };
      return { content: \`\${note.trim()}\\n\${(await response.text()).trim()}\` };
    },
  },
};
export default pack;
`;

const NOTES_TEST = `import assert from "node:assert/strict";
import test from "node:test";
import pack from "../src/mod.ts";
import { callTool } from "./call_tool.ts";

test("a file that is not there is an error that the model reads", async () => {
  const result = await callTool(pack, "Notes", { file: "/none/at/all", url: "http://127.0.0.1:1/" });
  assert.equal(result.is_error, true);
});
`;

/** `notes`: reads a file of the workspace and fetches from the one host that its manifest names. */
export function notesPack(host: string): SampleEdit {
  return {
    source: NOTES_SOURCE,
    test: NOTES_TEST,
    capabilities: [{ kind: "fs.read", paths: ["workspace"] }, { kind: "net", hosts: [host] }],
    tool: {
      description: "Read a note and what a page says about it.",
      input_schema: {
        type: "object",
        properties: { file: { type: "string" }, url: { type: "string", format: "uri" } },
        required: ["file", "url"],
        additionalProperties: false,
        examples: [{ file: "note.txt", url: `http://${host}/about` }],
      },
      effect: "net",
      subject: { kind: "url", param: "url" },
      capabilities: ["fs.read", "net"],
      repeat: "retry",
    },
  };
}

const COUNTER_SOURCE = `import type { PluginModule } from "../lumina.d.ts";

const pack: PluginModule = {
  tools: {
    async Counter({ to }, context) {
      if (typeof to !== "number") throw new Error("to must be a number");
      for (let n = 1; n <= to; n++) {
        await context.write(\`\${n}\\n\`);
        if (n === 1000) await context.services.log.write("warning", "counted to 1000");
        context.progress(\`counted to \${n}\\n\`);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      return { content: "done" };
    },
  },
};
export default pack;
`;

const COUNTER_TEST = `import assert from "node:assert/strict";
import test from "node:test";
import pack from "../src/mod.ts";
import { callTool } from "./call_tool.ts";

test("it counts, and stops when the call is cancelled", async () => {
  assert.deepEqual(await callTool(pack, "Counter", { to: 2 }), { content: "1\\n2\\ndone", is_error: false });
  const cancelled = await callTool(pack, "Counter", { to: 1e9 }, { signal: AbortSignal.timeout(20) });
  assert.equal(cancelled.is_error, true);
});
`;

/** `counter`: streams its result number by number, and stops when it is cancelled. */
export function counterPack(): SampleEdit {
  return {
    source: COUNTER_SOURCE,
    test: COUNTER_TEST,
    capabilities: [],
    tool: {
      description: "Count.",
      input_schema: {
        type: "object",
        properties: { to: { type: "integer", minimum: 1 } },
        required: ["to"],
        additionalProperties: false,
        examples: [{ to: 3 }, { to: 1_000_000 }],
      },
      effect: "none",
      repeat: "retry",
      timeout_ms: 60_000,
    },
  };
}
