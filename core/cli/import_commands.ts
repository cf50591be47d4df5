import type { Command } from "commander";
import type { CliDeps } from "./cli_deps.ts";

/** `lumina session import PATH`: takes over a session of the old LuminaCode. */
export function addImportCommands(session: Command, { app, io }: CliDeps): void {
  session.command("import").description(
    "take over a session of the old LuminaCode from anywhere; it is only read",
  )
    .argument("<path>", "its directory (transcript.jsonl, state.json, …), or the file of a flat one")
    .option("--cwd <dir>", "where it works from now on; default: the directory of its first resume")
    .option("--json", "as JSON")
    .action(async (path: string, options: { cwd?: string; json?: true }) => {
      // `lumina --cwd DIR session import` means the same
      const cwd = options.cwd ?? session.parent?.opts()["cwd"];
      const { already, report, ...where } = await app.session_import.importSession(
        path,
        cwd === undefined ? {} : { cwd },
      );
      if (options.json) return await io.out(`${JSON.stringify({ ...where, already, ...report })}\n`);
      if (already) return await io.out(`${where.session_id}: imported before, nothing changed\n`);
      const problems = report.files.filter(({ problem }) => problem !== null);
      await io.out(
        `${where.session_id}: ${counted(report.messages, "message", "messages")} and ${
          counted(report.summaries, "summary", "summaries")
        } imported\n` +
          problems.map(({ name, problem }) => `  ${name}: ${problem}\n`).join("") +
          report.skipped.map((line) => `  ${line}\n`).join(""),
      );
    });
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
