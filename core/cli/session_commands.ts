import type { Command } from "commander";
import type { CliDeps } from "./cli_deps.ts";

/** What a command that decides its own exit code gets beside `CliDeps`. */
export type SetExit = (code: number) => void;

/** `lumina session …` and `lumina storage …`: everything about saved sessions. */
export function addSessionCommands(program: Command, _deps: CliDeps, _setExit: SetExit): void {
  program.command("session").description("look at, name, branch, rewind, search, export and repair sessions");
  program.command("storage").description("what the saved sessions take, and cleaning up");
}
