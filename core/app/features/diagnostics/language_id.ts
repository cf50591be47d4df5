import { extname } from "node:path";

/** Identifiers of languages by extension where they differ from it, as the protocol's text documents have them. */
const IDS: Readonly<Record<string, string>> = {
  ".ts": "typescript",
  ".mts": "typescript",
  ".cts": "typescript",
  ".tsx": "typescriptreact",
  ".js": "javascript",
  ".mjs": "javascript",
  ".cjs": "javascript",
  ".jsx": "javascriptreact",
  ".py": "python",
  ".pyi": "python",
  ".rs": "rust",
  ".rb": "ruby",
  ".cs": "csharp",
  ".h": "c",
  ".cc": "cpp",
  ".cxx": "cpp",
  ".hpp": "cpp",
  ".kt": "kotlin",
  ".sh": "shellscript",
  ".bash": "shellscript",
  ".md": "markdown",
  ".yml": "yaml",
  ".hs": "haskell",
  ".ex": "elixir",
  ".exs": "elixir",
  ".pl": "perl",
};

/** What a language server calls the language of a file. */
export function languageId(path: string, own: Readonly<Record<string, string>>): string {
  const extension = extname(path).toLowerCase();
  return own[extension] ?? IDS[extension] ?? extension.slice(1);
}
