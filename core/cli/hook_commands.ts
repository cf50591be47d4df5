import type { Command } from "commander";
import type { CliDeps } from "./cli_deps.ts";
import type { HookListing, ListedHook } from "./hook_port.ts";
import { visibleControls } from "./visible_controls.ts";

const PROTOCOL = `
A hook is a command (or an http address) that is called at an event with JSON on its standard input:
  {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./check.sh"}]}]}}
in the user's settings.json, or in a project's .Lumina/CONFIG/hooks.json, .claude/settings.json and
.claude/settings.local.json once they are trusted (lumina trust).
  exit 0  done; JSON on standard output decides, text is context at SessionStart and UserPromptSubmit
  exit 2  blocks, with standard error as the reason
  other   an error that is told and decides nothing
JSON: {"continue": false, "stopReason"}, {"decision": "block", "reason"}, {"systemMessage"}, and
{"hookSpecificOutput": {"hookEventName", "permissionDecision": "allow|ask|deny", "permissionDecisionReason",
"updatedInput", "additionalContext", "updatedToolOutput", "decision": {"behavior": "allow|deny"}}}.
Hooks tighten: they never undo a deny or ask rule, and those of a project never allow. lumina help hooks has examples.`;

/** `lumina hooks …`: what is called at events of a session. */
export function addHookCommands(program: Command, { app, io }: CliDeps): void {
  const hooks = program.command("hooks").description("look at what is called at events of a session")
    .addHelpText("after", PROTOCOL);
  hooks.command("list").description(
    "every hook of a session that would start here, and what is wrong with them",
  )
    .option("--cwd <dir>", "the project; default is the current directory")
    .option("--settings <file>", "the settings file of a run")
    .option("--json", "as JSON")
    .addHelpText("after", PROTOCOL)
    .action(async (options: { cwd?: string; settings?: string; json?: true }) => {
      const before: { cwd?: string; settings?: string } = program.opts();
      const { cwd = before.cwd, settings = before.settings } = options;
      const listing = await app.hooks.list({
        ...(cwd === undefined ? {} : { cwd }),
        ...(settings === undefined ? {} : { settings_file: settings }),
      });
      await io.out(options.json ? `${JSON.stringify(listing)}\n` : listingText(listing));
    });
}

function listingText({ hooks, problems }: HookListing): string {
  const lines = hooks.flatMap(hookLines);
  if (hooks.length === 0) lines.push("No hooks (lumina help hooks)");
  lines.push(...problems.map((problem) => `problem: ${problem}`));
  return `${lines.map(visibleControls).join("\n")}\n`;
}

function hookLines(hook: ListedHook): string[] {
  const matcher = hook.matcher === null ? "" : ` of ${hook.matcher}`;
  const condition = hook.if === null ? "" : ` if ${hook.if}`;
  const beside = hook.async ? ", beside the work" : "";
  const place = `${hook.file}${hook.line === null ? "" : `:${hook.line}`}`;
  return [
    `${hook.event}${matcher}${condition}: ${hook.type} ${hook.command}`,
    `  ${hook.source}, ${place}, at most ${hook.timeout_seconds} s${beside}`,
    ...(hook.off === null ? [] : [`  NOT RUN: ${hook.off}`]),
  ];
}
