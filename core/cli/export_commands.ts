import { Option } from "commander";
import type { Command } from "commander";
import { LuminaError } from "../base/mod.ts";
import type { CliDeps } from "./cli_deps.ts";
import { assertTarget, writeTarget } from "./export_file.ts";
import type { TextTarget } from "./export_file.ts";
import { EXPORT_FORMATS } from "./export_port.ts";
import type { ExportedText, ExportFormat } from "./export_port.ts";
import { requirePair } from "./run_flags.ts";

const HELP = `
The transcript holds what user and assistant wrote, as the conversation now is: without what a rewind took back.
  md    Markdown
  json  {format: "lumina.session", version: 1, session, messages: [{number, role, time, text, model?, thinking?,
        tools?: [{name, input, result, failed}]}]}
  html  one file that needs nothing else and runs nothing
--share masks keys of your settings and environment, the forms of common tokens, private keys, passwords, what stands
behind names such as api_key, user and password in URLs, your home directory and your user name. No program finds every
secret: read it before you share it.`;

interface ExportOptions extends TextTarget {
  format: ExportFormat;
  tools?: true;
  thinking?: true;
  share?: true;
  maskEmails?: true;
}

/** `lumina session export`. */
export function addExportCommands(session: Command, { app, io }: CliDeps): void {
  session.command("export").description("write a session as Markdown, JSON or HTML")
    .addHelpText("after", HELP)
    .argument("<id>", "its id, or the beginning of it")
    .addOption(new Option("--format <format>", "what it is written as").choices(EXPORT_FORMATS).default("md"))
    .option("-o, --output <file>", "where to; default is standard output")
    .option("--force", "replace a file that is there")
    .option("--tools", "with tool calls and their results")
    .option("--thinking", "with the model's visible thinking")
    .option("--share", "without secrets and without what names you")
    .option("--mask-emails", "with --share: without e-mail addresses as well")
    .action(async (id: string, options: ExportOptions) => {
      requirePair(options.maskEmails === true, options.share === true, "--mask-emails goes with --share");
      assertTarget(options);
      const { text, masked, damage } = await app.session_export.exportSession(id, {
        format: options.format,
        tools: options.tools ?? false,
        thinking: options.thinking ?? false,
        share: options.share ?? false,
        emails: options.maskEmails ?? false,
      }, (warning) => io.err(`lumina: ${warning}\n`));
      await writeTarget(io, text, options);
      if (masked !== undefined) io.err(`lumina: ${maskedText(masked)}: read it before you share it\n`);
      if (damage !== undefined) throw new LuminaError("session.damaged", damage);
    });
}

/** How much was masked, in words. */
export function maskedText({ secrets, personal }: NonNullable<ExportedText["masked"]>): string {
  const count = (number: number, what: string) => `${number} ${what}${number === 1 ? "" : "s"}`;
  return `masked ${count(secrets, "secret")} and ${count(personal, "personal name")} or path${
    personal === 1 ? "" : "s"
  }`;
}
