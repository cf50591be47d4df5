import type { Command } from "commander";
import type { CliDeps, SetExit } from "./cli_deps.ts";
import { addPermissionImport } from "./permission_import_command.ts";
import { addPermissionTest } from "./permission_test_command.ts";

/** What `lumina permission` does with files: judging lines, and the rules of other agents. */
export function addPermissionFiles(program: Command, deps: CliDeps, setExit: SetExit): void {
  const permission = program.commands.find((command) => command.name() === "permission");
  if (permission === undefined) return;
  addPermissionTest(permission, program, deps, setExit);
  addPermissionImport(permission, deps, setExit);
}
