/** File name endings by type, the names ripgrep uses. */
export const FILE_TYPES: Readonly<Record<string, readonly string[]>> = {
  c: [".c", ".h"],
  cmake: [".cmake", "CMakeLists.txt"],
  config: [".cfg", ".conf", ".config", ".ini"],
  cpp: [".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inl"],
  cs: [".cs"],
  css: [".css", ".scss"],
  csv: [".csv"],
  dart: [".dart"],
  docker: ["Dockerfile", ".dockerfile"],
  elixir: [".ex", ".exs", ".eex", ".heex"],
  go: [".go"],
  graphql: [".graphql", ".graphqls"],
  haskell: [".hs", ".lhs"],
  html: [".html", ".htm", ".ejs"],
  java: [".java", ".jsp"],
  js: [".js", ".jsx", ".mjs", ".cjs", ".vue"],
  json: [".json"],
  kotlin: [".kt", ".kts"],
  lua: [".lua"],
  make: ["Makefile", "makefile", "GNUmakefile", ".mk", ".mak"],
  md: [".md", ".mdx", ".markdown", ".mdown"],
  php: [".php", ".phtml"],
  protobuf: [".proto"],
  py: [".py", ".pyi"],
  r: [".r", ".R", ".Rmd", ".Rnw"],
  ruby: [".rb", ".gemspec", "Gemfile", "Rakefile", ".rbw", "config.ru"],
  rust: [".rs"],
  scala: [".scala", ".sbt"],
  sh: [".sh", ".bash", ".zsh", ".bashrc", ".zshrc", ".ksh"],
  sql: [".sql", ".psql"],
  svelte: [".svelte"],
  swift: [".swift"],
  toml: [".toml", "Cargo.lock"],
  ts: [".ts", ".tsx", ".cts", ".mts"],
  txt: [".txt"],
  vue: [".vue"],
  xml: [".xml", ".xsd", ".xsl", ".xslt", ".svg"],
  yaml: [".yaml", ".yml"],
  zig: [".zig"],
};

/** Other names for the same types. */
const SAME_AS: Readonly<Record<string, string>> = {
  bash: "sh",
  javascript: "js",
  jsx: "js",
  markdown: "md",
  python: "py",
  rb: "ruby",
  rs: "rust",
  tsx: "ts",
  typescript: "ts",
  yml: "yaml",
};

/** The endings of a type; undefined for a type that is not known. */
export function endingsOf(type: string): readonly string[] | undefined {
  const name = Object.hasOwn(SAME_AS, type) ? SAME_AS[type]! : type;
  return Object.hasOwn(FILE_TYPES, name) ? FILE_TYPES[name] : undefined;
}
