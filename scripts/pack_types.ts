// deno-lint-ignore-file no-console
// Writes lumina.d.ts of each template in resources/plugin_template, the types that authors of packs see, from
// core/plugin_api.
//   deno run -A scripts/pack_types.ts
import { fileURLToPath } from "node:url";

const ROOT = new URL("..", import.meta.url);
export const PACK_TYPES = ["tools", "hooks"].map((kind) =>
  new URL(`resources/plugin_template/${kind}/lumina.d.ts`, ROOT)
);

/** Where the types stand, in the order of the file; every exported type of these is taken. */
const SOURCES = [
  "core/types/json.ts",
  "core/types/tool.ts",
  "core/types/confinement.ts",
  "core/plugin_api/capability.ts",
  "core/plugin_api/limits.ts",
  "core/plugin_api/services.ts",
  "core/plugin_api/tool.ts",
  "core/plugin_api/tool_manifest.ts",
  "core/types/hook.ts",
  "core/plugin_api/hook.ts",
  "core/plugin_api/contributions.ts",
  "core/plugin_api/manifest.ts",
];

/** Types of the host's own side. */
const LEFT_OUT = new Set(["ToolSchema", "Grant", "ServiceName", "HookMoment", "HookReply", "HookOutcome"]);

/** Fields that the host takes from its own plugins alone, each with its comment. */
const OWN_FIELDS = /(?: {2}\/\*\*(?:[^*]|\*(?!\/))*\*\/\n)? {2}media\?: MediaBlock\[\];\n/g;

const HEAD =
  `// What Lumina gives a pack, version 1 of its API. Made by \`lumina plugin new\`; it needs no change.
`;

/** The whole file: declarations alone, nothing imported. */
export async function packTypes(): Promise<string> {
  const declarations: string[] = [];
  for (const source of SOURCES) {
    const text = (await Deno.readTextFile(new URL(source, ROOT))).replace(OWN_FIELDS, "");
    const lists = wordLists(text);
    for (const [, own_comment = "", declaration = "", name = ""] of text.matchAll(TYPE)) {
      if (LEFT_OUT.has(name)) continue;
      const list = lists.get(LIST_TYPE.exec(declaration)?.[1] ?? "");
      declarations.push(
        list === undefined
          ? own_comment + declaration
          : (own_comment || list.comment) + declaration.replace(LIST_TYPE, list.union),
      );
    }
  }
  return `${HEAD}\n${declarations.join("\n\n")}\n`;
}

const COMMENT = String.raw`^(\/\*\*(?:[^*]|\*(?!\/))*\*\/\n)?`;

/** An exported type with the comment above it: up to the `}` at the line's start, or the `;` that ends it. */
const TYPE = new RegExp(
  String.raw`${COMMENT}(export (?:interface|type) (\w+)(?: =(?:[^;{]|\{[^}]*\})*;| \{[\s\S]*?^\}))`,
  "gm",
);

/** A type of the words of a list. */
const LIST_TYPE = / \(typeof (\w+)\)\[number\]/;

/** The lists of words of a source, by name. */
function wordLists(text: string): Map<string, { comment: string; union: string }> {
  const lists = new Map<string, { comment: string; union: string }>();
  const list = new RegExp(String.raw`${COMMENT}export const (\w+) = \[([^\]]*)\] as const;`, "gm");
  for (const [, comment = "", name = "", words = ""] of text.matchAll(list)) {
    const union = [...words.matchAll(/"[^"]+"/g)].map(([word]) => `\n  | ${word}`).join("");
    lists.set(name, { comment, union });
  }
  return lists;
}

if (import.meta.main) {
  for (const file of PACK_TYPES) {
    await Deno.mkdir(new URL(".", file), { recursive: true });
    await Deno.writeTextFile(file, await packTypes());
    console.log(fileURLToPath(file));
  }
}
