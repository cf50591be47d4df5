import type { Command } from "commander";
import type { CliDeps } from "./cli_deps.ts";
import { maskedText } from "./export_commands.ts";
import { assertTarget, writeTarget } from "./export_file.ts";
import type { TextTarget } from "./export_file.ts";

const HELP = `
One Markdown file that a person can read before it is sent: versions and system, settings, what verifying the journal says,
warnings, and the events of the session. Secrets, your home directory, your user name and e-mail addresses are masked as
lumina session export --share does it; of texts only their length is told unless --with-text asks for them.`;

/** `lumina session report`. */
export function addReportCommands(session: Command, { app, io }: CliDeps): void {
  session.command("report").description("write a masked bug report about a session")
    .addHelpText("after", HELP)
    .argument("<id>", "its id, or the beginning of it")
    .option("-o, --output <file>", "where to; default is standard output")
    .option("--force", "replace a file that is there")
    .option("--with-text", "with what user, assistant and tools wrote, masked")
    .action(async (id: string, options: TextTarget & { withText?: true }) => {
      assertTarget(options);
      const { text, masked } = await app.report.report(id, { with_text: options.withText ?? false });
      await writeTarget(io, text, options);
      if (masked !== undefined) io.err(`lumina: ${maskedText(masked)}: read it before you send it\n`);
    });
}
