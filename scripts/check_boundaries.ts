// deno-lint-ignore-file no-console
// Fails when a module imports what the table does not let it, past another module's door, or in a circle, and when
// something touches the world outside the modules whose job that is.
import { dirname, join } from "node:path/posix";
import { fileURLToPath } from "node:url";
import { findImports, lineAt } from "./find_imports.ts";
import { EXTRA_DOORS, GLOBAL_RULES, MAY_IMPORT } from "./import_table.ts";
import { maskSource } from "./mask_source.ts";
import { isFree, type SourceFile, sourceFiles } from "./source_files.ts";

/** The module a file belongs to, by the names of the table; undefined for a file outside every module. */
export function moduleOf(path: string): string | undefined {
  if (path === "main.ts" || path.startsWith("tui/")) return path.split("/")[0];
  const [place, name] = path.split("/");
  if (place === "core") return name;
  return place === "plugins" ? `plugins/${name}` : undefined;
}

/** All breaches in a set of files, each as `file:line: what is wrong`. */
export function findBreaches(files: readonly SourceFile[]): string[] {
  const breaches: string[] = [];
  const graph = new Map<string, { to: string; line: number }[]>();
  for (const file of files.filter((file) => !isFree(file.path))) {
    const masked = maskSource(file.text);
    const edges: { to: string; line: number }[] = [];
    for (const { specifier, line } of findImports(file.text, masked)) {
      const problem = specifier.startsWith(".")
        ? relativeProblem(file.path, join(dirname(file.path), specifier))
        : packageProblem(file.path, specifier);
      if (problem !== undefined) breaches.push(`${file.path}:${line}: ${problem}`);
      if (specifier.startsWith(".")) edges.push({ to: join(dirname(file.path), specifier), line });
    }
    graph.set(file.path, edges);
    breaches.push(...globalProblems(file, masked));
  }
  return [...breaches, ...findCycles(graph)].sort();
}

function rowOf(module: string): readonly string[] | "everything" | undefined {
  return MAY_IMPORT[module.startsWith("plugins/") ? "plugins/*" : module];
}

function relativeProblem(from: string, to: string): string | undefined {
  const own = moduleOf(from);
  const other = moduleOf(to);
  if (own === undefined) return `${from} belongs to no module`;
  const row = rowOf(own);
  if (row === undefined) return `the module ${own} is not in the import table`;
  if (own === other) return undefined;
  if (to.endsWith(".json")) {
    return row === "everything" || to.startsWith("resources/") ? undefined : `${own} may not read ${to}`;
  }
  if (other === undefined) return `${own} may not import ${to}: it belongs to no module`;
  if (row !== "everything" && !row.includes(other)) return `${own} may not import ${other} (${to})`;
  if (!to.endsWith("/mod.ts") && !EXTRA_DOORS.includes(to)) {
    return `${to} is inside ${other}: import its mod.ts`;
  }
  return undefined;
}

function packageProblem(from: string, specifier: string): string | undefined {
  if (/^(npm|jsr|https?):/.test(specifier)) {
    return `${specifier}: name the package in deno.json and import it by that name`;
  }
  const rule = GLOBAL_RULES.find((rule) => rule.specifiers?.test(specifier));
  if (rule === undefined || isAllowed(from, rule.allowed)) return undefined;
  return `${moduleOf(from)} may not use ${specifier} (${rule.what})`;
}

function globalProblems(file: SourceFile, masked: string): string[] {
  const problems: string[] = [];
  for (const rule of GLOBAL_RULES) {
    if (isAllowed(file.path, rule.allowed)) continue;
    for (const match of masked.matchAll(rule.pattern)) {
      const where = `${file.path}:${lineAt(file.text, match.index)}`;
      problems.push(`${where}: ${moduleOf(file.path)} may not use ${match[0]} (${rule.what})`);
    }
  }
  return problems;
}

function isAllowed(path: string, allowed: readonly string[]): boolean {
  const module = moduleOf(path) ?? "";
  return allowed.includes(path) || allowed.includes(module.startsWith("plugins/") ? "plugins/*" : module);
}

/** Each circle of files once, at the import that closes it. */
function findCycles(graph: ReadonlyMap<string, readonly { to: string; line: number }[]>): string[] {
  const cycles = new Map<string, string>();
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string) => {
    path.push(file);
    for (const { to, line } of graph.get(file) ?? []) {
      const start = path.indexOf(to);
      if (start >= 0) {
        const circle = [...path.slice(start), to].join(" -> ");
        if (!cycles.has(circle)) cycles.set(circle, `${file}:${line}: a circle of imports: ${circle}`);
      } else if (graph.has(to) && !done.has(to)) visit(to);
    }
    path.pop();
    done.add(file);
  };
  for (const file of graph.keys()) if (!done.has(file)) visit(file);
  return [...cycles.values()];
}

if (import.meta.main) {
  const files = await sourceFiles(fileURLToPath(new URL("..", import.meta.url)));
  const breaches = findBreaches(files);
  for (const breach of breaches) console.error(breach);
  console.log(`boundaries: ${files.length} files, ${breaches.length} breaches`);
  if (breaches.length > 0) Deno.exit(1);
}
