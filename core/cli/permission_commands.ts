import { Option } from "commander";
import type { Command } from "commander";
import { PERMISSION_MODES } from "../types/mod.ts";
import type { PermissionMode } from "../types/mod.ts";
import type { CliDeps } from "./cli_deps.ts";
import { parseMode } from "./parse_mode.ts";
import type { ListedRule, LoggedDecision, PermissionListing, RulesQuery } from "./permission_port.ts";
import { runFlags } from "./run_flags.ts";
import { visibleControls } from "./visible_controls.ts";

interface Options {
  cwd?: string;
  permissionMode?: PermissionMode;
  settings?: string;
  json?: true;
}

/** `lumina permission …`: what may run here, and why a call asks. */
export function addPermissionCommands(program: Command, { app, io }: CliDeps): void {
  const permission = program.command("permission").description("look into the permission rules");
  const one = (name: string) =>
    permission.command(name).option("--cwd <dir>", "the workspace").option("--json", "as JSON");
  const policy = (name: string) =>
    one(name).option("--settings <file>", "the settings file of a run").addOption(
      new Option("--permission-mode <mode>", `one of ${PERMISSION_MODES.join(", ")}`).argParser(parseMode),
    );
  policy("list").description("every rule in force: scope, file and line, and what is wrong with it")
    .action(async (options: Options) => {
      const listing = await app.permission.list(flagsOf(program, options));
      await io.out(options.json ? `${JSON.stringify(listing)}\n` : listingText(listing));
    });
  policy("explain").description('how a call would be judged, e.g. explain "Bash(git status && rm x)"')
    .argument("<call>")
    .action(async (call: string, options: Options) => {
      const { lines, ...explanation } = await app.permission.explain(call, flagsOf(program, options));
      if (options.json) return await io.out(`${JSON.stringify(explanation)}\n`);
      for (const line of lines) await io.out(`${line}\n`);
    });
  one("log").description("who decided what in a session, and why; the newest one without its id")
    .argument("[session]", "its id, or the beginning of it")
    .action(async (session: string | undefined, options: Options) => {
      const decisions = await app.permission.log(session, flagsOf(program, options).cwd);
      if (options.json) {
        for (const decision of decisions) await io.out(`${JSON.stringify(decision)}\n`);
      } else for (const decision of decisions) await io.out(decisionText(decision));
    });
}

/** Flags of the program itself may stand before the command. */
function flagsOf(program: Command, options: Options): RulesQuery {
  const before: Options & { allowedTools?: string[]; disallowedTools?: string[]; addDir?: string[] } = program
    .opts();
  const { cwd = before.cwd, permissionMode = before.permissionMode, settings = before.settings } = options;
  return runFlags({
    ...(cwd === undefined ? {} : { cwd }),
    ...(permissionMode === undefined ? {} : { permissionMode }),
    ...(settings === undefined ? {} : { settings }),
    allowedTools: before.allowedTools ?? [],
    disallowedTools: before.disallowedTools ?? [],
    addDir: before.addDir ?? [],
  });
}

function listingText(listing: PermissionListing): string {
  const lines = [`mode ${listing.mode}  (${listing.mode_from})`];
  if (listing.yolo_disabled_by !== undefined) {
    lines.push(`mode yolo is disabled by ${listing.yolo_disabled_by}`);
  }
  if (listing.managed_rules_only) lines.push("only managed rules allow anything");
  for (const { path, from } of listing.directories) lines.push(`directory ${path}  (${from})`);
  for (const list of ["deny", "ask", "allow"] as const) {
    for (const rule of listing.rules) {
      if (rule.list === list) lines.push(`${list} ${rule.rule}  (${ruleplace(rule)})${problemOf(rule)}`);
    }
  }
  // as the setting calls its keys
  const words: Record<string, string> = {
    excluded: "excluded_commands",
    some_domains: "allowed_domains in use",
    in_workspace: "secrets in the workspace",
  };
  const sandbox = Object.entries(listing.sandbox).filter(([, value]) => value !== undefined);
  for (const [key, value] of sandbox) {
    const long = Array.isArray(value) && value.length > 8;
    lines.push(
      `sandbox ${words[key] ?? key} = ${
        long ? `${value.length} places (--json has them)` : JSON.stringify(value)
      }`,
    );
  }
  for (const problem of listing.problems) lines.push(`problem: ${problem}`);
  return lines.map((line) => `${visibleControls(line)}\n`).join("");
}

function ruleplace({ scope, file, line }: ListedRule): string {
  return file === undefined ? scope : `${scope}, ${file}${line === undefined ? "" : `:${line}`}`;
}

function problemOf({ problem }: ListedRule): string {
  return problem === undefined ? "" : `  ! ${problem}`;
}

function decisionText(decision: LoggedDecision): string {
  const { ts, behavior, tool, by, source, reason, rule, mode, remember, kept, hook } = decision;
  const parts = [
    `${new Date(ts).toISOString()} ${behavior} ${tool} by ${by} (${source}${
      mode === undefined ? "" : `, mode ${mode}`
    }): ${reason}`,
    ...(rule === undefined || reason.includes(rule) ? [] : [`rule ${rule}`]),
    ...(hook === undefined || reason.includes(hook) ? [] : [`hook ${hook}`]),
    ...(remember === undefined ? [] : [`holds: ${remember}`]),
    ...(kept === undefined || kept.length === 0 ? [] : [`kept: ${kept.join(", ")}`]),
  ];
  return `${visibleControls(parts.join("; "))}\n`;
}
