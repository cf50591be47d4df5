import type { Command } from "commander";
import type { CliDeps, SetExit } from "./cli_deps.ts";
import { addHistoryCommands } from "./history_commands.ts";
import { addImportCommands } from "./import_commands.ts";
import { addRepairCommands } from "./repair_commands.ts";
import { addRewindCommands } from "./rewind_commands.ts";
import { addSessionListCommands } from "./session_list_commands.ts";
import { addSessionManageCommands } from "./session_manage_commands.ts";
import { addSessionShowCommands } from "./session_show_commands.ts";
import { addStorageCommands } from "./storage_commands.ts";
import { addSearchCommands } from "./search_commands.ts";
import { addExportCommands } from "./export_commands.ts";
import { addReportCommands } from "./report_commands.ts";
import { addReplayCommands } from "./replay_commands.ts";

/** `lumina session …` and `lumina storage …`: everything about saved sessions. */
export function addSessionCommands(program: Command, deps: CliDeps, setExit: SetExit): void {
  const session = program.command("session").description(
    "look at, name, branch, rewind, search, export and repair sessions",
  ).addHelpText(
    "after",
    '\nTo go on with a session: lumina -p "…" --resume ID, or --continue for the newest here.',
  );
  addSessionListCommands(session, deps);
  addSessionShowCommands(session, deps);
  addSearchCommands(session, deps);
  addHistoryCommands(session, deps);
  addSessionManageCommands(session, deps, setExit);
  addRewindCommands(session, deps, setExit);
  addExportCommands(session, deps);
  addReportCommands(session, deps);
  addReplayCommands(session, deps, setExit);
  addRepairCommands(session, deps, setExit);
  addImportCommands(session, deps);
  const storage = program.command("storage").description("what the saved sessions take, and cleaning up");
  addStorageCommands(storage, deps, setExit);
}
