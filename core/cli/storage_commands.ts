import type { Command } from "commander";
import { EXIT } from "../base/mod.ts";
import type { CliDeps, SetExit } from "./cli_deps.ts";
import { folderText } from "./list_sessions.ts";
import type { CleanupAction, CleanupReport, StorageAmount, StorageStatus } from "./storage_port.ts";

const RULES_HELP = `
The rules are settings (lumina config set KEY VALUE); each is off by default:
  retention_days          sessions that were not used for so many days
  retention_max_sessions  the oldest sessions beyond so many
  retention_max_bytes     the oldest sessions beyond so many bytes
  retention_archive       true (the default): the first two archive; false: they delete
Open and pinned sessions and those used within 24 hours are always kept. What belongs to no session any more goes too.`;

/** `lumina storage status` and `lumina storage cleanup`. */
export function addStorageCommands(storage: Command, { app, io }: CliDeps, setExit: SetExit): void {
  const warn = (text: string) => io.err(`lumina: ${text}\n`);
  storage.command("status").description("what sessions, archives, tool output, snapshots and caches take")
    .option("--json", "as JSON")
    .action(async (options: { json?: true }) => {
      const status = await app.storage.status(warn);
      await io.out(options.json ? `${JSON.stringify(status)}\n` : statusText(status));
    });
  storage.command("cleanup").description(
    "what the retention rules would remove; changes nothing without --enforce",
  )
    .option("--enforce", "do it")
    .option("--json", "as JSON")
    .addHelpText("after", RULES_HELP)
    .action(async (options: { enforce?: true; json?: true }) => {
      const report = await app.storage.cleanup(options.enforce ?? false, warn);
      await io.out(options.json ? `${JSON.stringify(report)}\n` : reportText(report));
      if (report.actions.some(({ error }) => error !== "")) setExit(EXIT.failed);
    });
}

function statusText(status: StorageStatus): string {
  const rows: [string, StorageAmount, string][] = [
    ["sessions", status.sessions, "session"],
    ["archives", status.archives, "session"],
    ["tool output", status.tool_results, "session"],
    ["backups", status.backups, "backup"],
    ["snapshots", status.rewind, "project"],
    ["caches", status.caches, "file"],
  ];
  const lines = [
    status.root,
    ...rows.map(([name, amount, unit]) => `  ${name.padEnd(13)}${amountText(amount, unit)}`),
  ];
  for (const { cwd, sessions, archives, tool_results, rewind } of status.projects) {
    const count = sessions.count + archives.count;
    const bytes = sessions.bytes + archives.bytes + tool_results.bytes + rewind.bytes;
    lines.push(`${folderText(cwd)}: ${amountText({ count, bytes }, "session")}`);
  }
  const { actions } = status.retention;
  if (actions.length > 0) {
    const bytes = actions.filter(({ would_delete }) => would_delete).reduce(
      (sum, action) => sum + action.bytes,
      0,
    );
    lines.push(
      `Cleanup would take ${actions.length} of these and free ${
        bytesText(bytes)
      }: lumina storage cleanup shows which`,
    );
  }
  return `${lines.join("\n")}\n`;
}

function reportText({ enforced, actions, skipped }: CleanupReport): string {
  const lines = actions.map(actionText);
  for (const { session_id, reason } of skipped) lines.push(`kept  session ${session_id}: ${reason}`);
  if (actions.length === 0) lines.push("Nothing to clean up");
  else if (!enforced) lines.push("Nothing was changed: --enforce does it");
  return `${lines.join("\n")}\n`;
}

function actionText(action: CleanupAction): string {
  const { type, session_id, path, reason, bytes, error } = action;
  const what = type === "session" ? `session ${session_id}` : `${type} ${path}`;
  const verb = action.would_archive ? "archive" : "delete";
  const done = error !== ""
    ? `cannot ${verb}`
    : action.deleted || action.archived
    ? `${verb}d`
    : `would ${verb}`;
  return `${done}  ${what} (${bytesText(bytes)}): ${reason}${error === "" ? "" : `; ${error}`}`;
}

function amountText({ count, bytes }: StorageAmount, unit: string): string {
  return `${count} ${count === 1 ? unit : `${unit}s`}, ${bytesText(bytes)}`;
}

function bytesText(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return unit === 0 ? `${value} bytes` : `${value.toFixed(1)} ${units[unit]}`;
}
