import { basename, dirname, join, resolve } from "node:path";
import { errorMessage, EXIT, LuminaError } from "../../../base/mod.ts";
import type { RuleDialect } from "../../../cli/mod.ts";

/** A rule file of another agent. */
export interface FoundRuleFile {
  file: string;
  dialect: RuleDialect;
  /** The folder whose project the file belongs to; absent for a file of the user's. */
  project?: string;
}

const CLAUDE = ["settings.json", "settings.local.json"];
const OPENCODE = ["opencode.json", "opencode.jsonc"];

/**
 * The rule files behind a path: the file itself, or those of a folder in the places where the agents keep them. Throws
 * `permission.import_missing` (exit 4) where there is none, `cli.usage` for a file of which nobody knows whose it is.
 */
export function findRuleFiles(path: string, from: RuleDialect | undefined, home: string): FoundRuleFile[] {
  const place = resolve(path);
  const info = statOf(place);
  if (info === undefined) throw missing(`There is no file or folder ${path}`);
  if (!info.isDirectory) {
    const dialect = from ?? dialectOf(place);
    if (dialect === undefined) {
      throw new LuminaError(
        "cli.usage",
        `Nothing tells whose rules ${path} holds: say it with --from claude, opencode or codex`,
        { exit: EXIT.usage },
      );
    }
    return [{ file: place, dialect, ...projectOf(place, home) }];
  }
  const found = candidates(place).filter(({ file, dialect }) =>
    (from === undefined || dialect === from) && statOf(file)?.isFile === true
  );
  if (found.length === 0) {
    throw missing(
      `${path} holds no rule file${
        from === undefined ? "" : ` of ${from}`
      }: looked for .claude/settings.json, ` +
        "opencode.json and .codex/config.toml; name the file itself",
    );
  }
  return found.map((each) => ({ ...each, ...projectOf(each.file, home) }));
}

function candidates(folder: string): { file: string; dialect: RuleDialect }[] {
  const within = (name: string) => basename(folder) === name ? folder : join(folder, name);
  const [claude, codex] = [within(".claude"), within(".codex")];
  const opencode = [folder, join(folder, ".opencode"), join(folder, ".config/opencode")];
  return [
    ...CLAUDE.map((name) => ({ file: join(claude, name), dialect: "claude" as const })),
    ...opencode.flatMap((place) =>
      OPENCODE.map((name) => ({ file: join(place, name), dialect: "opencode" as const }))
    ),
    { file: join(codex, "config.toml"), dialect: "codex" as const },
    ...ruleFiles(join(codex, "rules"), ".rules"),
    ...ruleFiles(join(codex, "policy"), ".codexpolicy"),
  ];
}

function ruleFiles(folder: string, suffix: string): { file: string; dialect: "codex" }[] {
  if (statOf(folder)?.isDirectory !== true) return [];
  return [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name.endsWith(suffix)).sort()
    .map((name) => ({ file: join(folder, name), dialect: "codex" as const }));
}

function dialectOf(file: string): RuleDialect | undefined {
  const name = basename(file);
  if (OPENCODE.includes(name)) return "opencode";
  if (/\.(rules|codexpolicy)$/.test(name) || name === "config.toml") return "codex";
  if (/^(managed-)?settings(\.local)?\.json$/.test(name)) return "claude";
  return undefined;
}

/** The project that a file in one of the usual places belongs to. */
function projectOf(file: string, home: string): { project?: string } {
  const names = file.split("/");
  const dot = names.findLastIndex((name) => name === ".claude" || name === ".codex" || name === ".opencode");
  const project = dot !== -1
    ? names.slice(0, dot).join("/") || "/"
    : OPENCODE.includes(basename(file))
    ? dirname(file)
    : undefined;
  const users = [home, join(home, ".config/opencode")];
  return project === undefined || users.includes(project) ? {} : { project };
}

function statOf(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
    throw new LuminaError("permission.import", `Cannot look at ${path}: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

function missing(message: string): LuminaError {
  return new LuminaError("permission.import_missing", message, { exit: EXIT.not_found });
}
