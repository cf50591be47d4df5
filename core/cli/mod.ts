export type {
  AppPort,
  CliAnswer,
  CliQuestion,
  OpenSession,
  RuleUpdate,
  RunFlags,
  SessionRow,
} from "./app_port.ts";
export { processIo } from "./io.ts";
export type { CliIo } from "./io.ts";
export { runCli } from "./program.ts";
export type { CliDeps } from "./cli_deps.ts";
