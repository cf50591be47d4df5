import type { Command } from "commander";
import { EXIT, LuminaError } from "../base/mod.ts";
import type { CliDeps, SetExit } from "./cli_deps.ts";
import type { RepairedSession, VerifiedSession } from "./repair_port.ts";

/** `lumina session verify` and `lumina session repair`. */
export function addRepairCommands(session: Command, { app, io }: CliDeps, setExit: SetExit): void {
  session.command("verify").description(
    "check a session's file: every hash, the chain, blobs, what is derived",
  )
    .argument("[id]", "its id, or the beginning of it")
    .option("--all", "check every session, archived ones too")
    .option("--json", "as JSON: one object, or with --all an array")
    .addHelpText("after", "\nEach problem is one line. Exit 0: all is well; 1: damaged.")
    .action(async (id: string | undefined, options: { all?: true; json?: true }) => {
      if ((id === undefined) === (options.all === undefined)) {
        throw new LuminaError("cli.usage", "Name one session to verify, or give --all", { exit: EXIT.usage });
      }
      const all: VerifiedSession[] = [];
      for await (const verified of app.repair.verify(id)) {
        all.push(verified);
        if (!options.json) await io.out(verifiedText(verified));
      }
      if (options.json) await io.out(`${JSON.stringify(options.all ? all : all[0])}\n`);
      else if (options.all && all.length === 0) await io.out("No sessions yet\n");
      if (all.some(({ ok }) => !ok)) setExit(EXIT.failed);
    });
  session.command("repair").description("save what can be read of a damaged session into a new file")
    .argument("<id>", "its id, or the beginning of it")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nThe damaged files are kept, byte for byte, under data/sessions/backup in Lumina's folder.",
    )
    .action(async (id: string, options: { json?: true }) => {
      const repaired = await app.repair.repair(id);
      await io.out(options.json ? `${JSON.stringify(repaired)}\n` : repairedText(repaired));
    });
}

function verifiedText({ session_id, ok, events, problems, open }: VerifiedSession): string {
  if (open) return `${session_id}: open in another process, not checked\n`;
  if (ok) return `${session_id}: ok, ${events} events\n`;
  const lines = problems.map((problem) => `${session_id}: ${problem}\n`);
  return `${lines.join("")}${session_id}: damaged; run lumina session repair ${session_id}\n`;
}

function repairedText({ session_id, repaired, events, saved, lost, notes, backup }: RepairedSession): string {
  if (!repaired) return `${session_id}: nothing to repair, ${events} events\n`;
  const all = `all ${events} events are there`;
  const head = saved === events ? all : `${saved} of ${events} events are saved, ${events - saved} lost`;
  return [
    `${session_id}: repaired, ${head}`,
    ...lost.map((line) => `lost: ${line}`),
    ...notes.map((line) => `note: ${line}`),
    ...(backup === null ? [] : [`the damaged files are kept in ${backup}`]),
  ].map((line) => `${line}\n`).join("");
}
