import type { Builtin } from "./command.ts";
import { CONFIG_COMMAND } from "./config_command.ts";
import { CONTEXT_COMMANDS } from "./context_commands.ts";
import { COST_COMMAND } from "./cost_command.ts";
import { HELP_COMMAND } from "./help_command.ts";
import { LINE_COMMANDS } from "./line_commands.ts";
import { MODE_COMMANDS } from "./mode_commands.ts";
import { MODEL_COMMANDS } from "./model_commands.ts";
import { PERMISSIONS_COMMAND } from "./permissions_command.ts";
import { SESSION_COMMANDS } from "./session_line_commands.ts";
import { SKILLS_COMMAND } from "./skills_command.ts";
import { STATUS_COMMANDS } from "./status_commands.ts";
import { STYLE_COMMAND } from "./style_command.ts";
import { WORK_COMMANDS } from "./work_commands.ts";

/** The slash commands of the program: the one table that headless runs and every other client share. */
export const BUILTINS: readonly Builtin[] = [
  HELP_COMMAND,
  ...STATUS_COMMANDS,
  ...MODEL_COMMANDS,
  ...MODE_COMMANDS,
  PERMISSIONS_COMMAND,
  CONFIG_COMMAND,
  ...CONTEXT_COMMANDS,
  COST_COMMAND,
  STYLE_COMMAND,
  SKILLS_COMMAND,
  ...WORK_COMMANDS,
  ...SESSION_COMMANDS,
  ...LINE_COMMANDS,
];
