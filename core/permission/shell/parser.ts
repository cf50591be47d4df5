import { fileURLToPath } from "node:url";
import type { Parser } from "web-tree-sitter";
import { LuminaError } from "../../base/mod.ts";

/** A node of the syntax tree as plain data; `start` and `end` are UTF-16 offsets in the line. */
export interface SyntaxNode {
  type: string;
  named: boolean;
  start: number;
  end: number;
  children: SyntaxNode[];
}

/** Gives the bytes of `web-tree-sitter.wasm` or `tree-sitter-bash.wasm`. */
export type LoadWasm = (name: string) => Promise<Uint8Array>;

/** Parses one shell line; undefined when the grammar finds an error in it. */
export type ParseShell = (text: string) => SyntaxNode | undefined;

/** A parser that is loaded at its first use and then kept. */
export function lazyShellParser(load: LoadWasm = loadBundledWasm): () => Promise<ParseShell> {
  let loading: Promise<ParseShell> | undefined;
  return () => {
    loading ??= start(load).catch((error) => {
      loading = undefined; // the next call may find the file
      throw new LuminaError(
        "permission.parser",
        `Cannot load the shell grammar (${String(error)}); reinstall Lumina or run deno install`,
        { cause: error },
      );
    });
    return loading;
  };
}

/** Reads a WASM file from `resources/wasm` beside the program, else from the installed npm package. */
export async function loadBundledWasm(name: string): Promise<Uint8Array> {
  for (const up of ["../../../", "./", "../"]) {
    try {
      return await Deno.readFile(new URL(`${up}resources/wasm/${name}`, import.meta.url));
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  const specifier = `${name.replace(/\.wasm$/, "")}/${name}`;
  return await Deno.readFile(fileURLToPath(import.meta.resolve(specifier)));
}

async function start(load: LoadWasm): Promise<ParseShell> {
  const { Language, Parser } = await import("web-tree-sitter");
  const [engine, grammar] = await Promise.all([
    load("web-tree-sitter.wasm"),
    load("tree-sitter-bash.wasm"),
  ]);
  await Parser.init({ wasmBinary: engine });
  const parser = new Parser();
  parser.setLanguage(await Language.load(grammar));
  return (text) => parse(parser, text);
}

function parse(parser: Parser, text: string): SyntaxNode | undefined {
  const tree = parser.parse(text);
  if (tree === null) return undefined;
  try {
    if (tree.rootNode.hasError) return undefined;
    return copy(tree.walk(), text.length);
  } finally {
    tree.delete();
  }
}

/** Copies the tree out of WASM memory; undefined when a node stands for text that is not there. */
function copy(cursor: ReturnType<NonNullable<ReturnType<Parser["parse"]>>["walk"]>, length: number) {
  try {
    const root = { type: "program", named: true, start: 0, end: length, children: [] as SyntaxNode[] };
    const open: SyntaxNode[] = [root];
    if (!cursor.gotoFirstChild()) return root;
    for (;;) {
      if (cursor.nodeIsMissing) return undefined;
      const node: SyntaxNode = {
        type: cursor.nodeType,
        named: cursor.nodeIsNamed,
        start: cursor.startIndex,
        end: cursor.endIndex,
        children: [],
      };
      open[open.length - 1]?.children.push(node);
      if (cursor.gotoFirstChild()) {
        open.push(node);
        continue;
      }
      while (!cursor.gotoNextSibling()) {
        if (!cursor.gotoParent() || open.length <= 1) return root;
        open.pop();
      }
    }
  } finally {
    cursor.delete();
  }
}
