import { Option } from "commander";
import type { Command } from "commander";
import { EXIT } from "../base/mod.ts";
import type { CliDeps, SetExit } from "./cli_deps.ts";
import { RULE_DIALECTS } from "./permission_import_port.ts";
import type { ImportEntry, PermissionImport, RuleDialect } from "./permission_import_port.ts";
import { visibleControls } from "./visible_controls.ts";

const IMPORT_HELP = `
PATH is a rule file or a folder (a project, or your home folder). Read are:
  claude    .claude/settings.json, settings.local.json: permissions
  opencode  opencode.json, opencode.jsonc: permission, permissions, tools, those of the agent you talk to
  codex     .codex/config.toml: approval_policy, sandbox_mode and what belongs to them; .codex/rules/*.rules

Each entry is printed with what it becomes and what changes meaning: same, mode (the mode does it without a rule),
stricter, looser, not taken, unknown. What cannot be said exactly becomes stricter. Without --write nothing is changed.
With --write the rules are added, allowing ones too: a project's into this user's file for that project, others into
settings.json. A mode is written only where it is stricter than the present one. Where a file cannot be read, nothing is
written and the exit code is 1.`;

interface Options {
  from?: RuleDialect;
  write?: true;
  user?: true;
  json?: true;
}

/** `lumina permission import PATH`: what the rules of another agent become here. */
export function addPermissionImport(permission: Command, { app, io }: CliDeps, setExit: SetExit): void {
  permission.command("import").description(
    "read the rules of Claude Code, opencode or Codex; --write takes them over",
  )
    .argument("<path>", "a rule file, or a folder that holds some")
    .addOption(
      new Option("--from <agent>", "whose rules they are; else their names tell").choices(RULE_DIALECTS),
    )
    .option("--write", "add the rules to ours")
    .option("--user", "a project's rules too go into your settings.json, and hold in every project")
    .option("--json", "as JSON")
    .addHelpText("after", IMPORT_HELP)
    .action(async (path: string, options: Options) => {
      const found = await app.permission_import.read(path, {
        from: options.from,
        user: options.user ?? false,
      });
      for (const problem of found.problems) io.err(`lumina: ${problem}\n`);
      if (found.problems.length > 0) setExit(EXIT.failed);
      // what is about to be allowed is listed before
      if (!options.json) await io.out(report(found));
      if (options.write && found.problems.length === 0) await app.permission_import.write(found);
      if (options.json) return await io.out(`${JSON.stringify(found)}\n`);
      await io.out(`${ending(found, options.write ?? false)}\n`);
    });
}

function report({ files, changes }: PermissionImport): string {
  const lines: string[] = [];
  for (const { file, dialect, scope, target, entries } of files) {
    lines.push(
      `${file} (${dialect}): ${scope === "user" ? "for every project" : "for its project"}, ${target}`,
    );
    if (entries.length === 0) lines.push("  it says nothing of permissions");
    for (const entry of entries) lines.push(...entryLines(entry));
  }
  for (const { target, entries } of files) {
    const added = changes.find((change) => change.target === target && change.key === "defaultMode")?.value;
    for (const { mode } of entries) {
      if (mode === undefined || mode === added) continue;
      lines.push(
        `not added: mode ${mode} (it is not stricter than the present one; --permission-mode ${mode} chooses it)`,
      );
    }
  }
  for (const { target, key, value, known } of changes) {
    lines.push(`${known ? "there already" : "to add"}: ${key} ${value} (${target})`);
  }
  return lines.map((line) => `${visibleControls(line)}\n`).join("");
}

function entryLines(
  { source, line, outcome, rules, directories = [], mode, no_yolo, note }: ImportEntry,
): string[] {
  const ours = [
    ...rules.map(({ list, rule }) => `${list} ${rule}`),
    ...directories.map((folder) => `additionalDirectories ${folder}`),
    ...(mode === undefined ? [] : [`mode ${mode}`]),
    ...(no_yolo ? ["disableBypassPermissionsMode disable"] : []),
  ];
  return [
    `  ${line === undefined ? "" : `${line}: `}${source} -> ${
      ours.length === 0 ? "no rule" : ours.join(", ")
    }  [${outcome}]`,
    ...(note === undefined ? [] : [`      ${note}`]),
  ];
}

function ending({ changes, problems, written }: PermissionImport, wanted: boolean): string {
  const count = changes.filter(({ known }) => !known).length;
  const what = count === 1 ? "1 change" : `${count} changes`;
  if (written) return `${what} written`;
  if (problems.length > 0) return "Nothing was written: a rule that cannot be read may be a refusal";
  return wanted || count === 0 ? "Nothing to write" : `Nothing was written: --write adds ${what}`;
}
