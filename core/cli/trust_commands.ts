import type { Command } from "commander";
import { EXIT, LuminaError } from "../base/mod.ts";
import type { CliDeps, SetExit } from "./cli_deps.ts";
import { readLines } from "./read_stdin.ts";
import { saysYes, trustText } from "./trust_text.ts";

interface Flags {
  cwd?: string;
  show?: true;
  yes?: true;
  revoke?: true;
  json?: true;
}

/** `lumina trust`: what a project brings for this machine, and the answer about it. */
export function addTrustCommands(program: Command, deps: CliDeps, setExit: SetExit): void {
  program.command("trust")
    .description(
      "look at the plugins, hooks and settings that a project brings, and trust them as they are now",
    )
    .option("--cwd <dir>", "the project; default is the current directory")
    .option("--show", "only show what it brings")
    .option("--yes", "trust it without a question")
    .option("--revoke", "take the trust back: nothing of it is loaded from the next session on")
    .option("--json", "as JSON; only shows unless --yes or --revoke stands beside it")
    .addHelpText(
      "after",
      "\nExit codes: 0 all of it is trusted (or there is nothing), 3 something is not. An answer holds for the bytes and\n" +
        "values that were shown; whatever changes is asked about again.",
    )
    .action(async (flags: Flags) => setExit(await runTrust(deps, flags)));
}

async function runTrust({ app, io }: CliDeps, flags: Flags): Promise<number> {
  const { trust } = app;
  if (flags.show && flags.yes) {
    throw new LuminaError("cli.usage", "--show goes without --yes", { exit: EXIT.usage });
  }
  if (flags.revoke) {
    if (flags.yes || flags.show) {
      throw new LuminaError("cli.usage", "--revoke goes without --yes and --show", { exit: EXIT.usage });
    }
    const revoked = await trust.revoke(flags.cwd);
    await io.out(
      flags.json
        ? `${JSON.stringify({ revoked })}\n`
        : revoked
        ? "The trust is taken back\n"
        : "Nothing here was trusted\n",
    );
    return EXIT.ok;
  }
  if (flags.show || (flags.json && !flags.yes)) {
    const report = await trust.look(flags.cwd);
    await io.out(flags.json ? `${JSON.stringify(report)}\n` : trustText(report));
    return report.items.every(({ state }) => state === "trusted") ? EXIT.ok : EXIT.blocked;
  }
  const { status, report } = await trust.trust(async (report) => {
    io.err(trustText(report));
    if (flags.yes) return true;
    if (!io.stdin_is_terminal) {
      throw new LuminaError(
        "trust.unconfirmed",
        "Nothing was changed: nobody can be asked here (--yes trusts it as shown)",
        { exit: EXIT.blocked },
      );
    }
    io.err("Trust it as it is now? [y]es, [N]o: ");
    return saysYes((await readLines(io.stdin).next()).value);
  }, flags.cwd);
  if (flags.json) await io.out(`${JSON.stringify({ status, ...report })}\n`);
  else await io.out(STATUS_TEXT[status]);
  return status === "declined" ? EXIT.blocked : EXIT.ok;
}

const STATUS_TEXT = {
  trusted: "Trusted\n",
  unchanged: "Nothing has to be asked: all of it is trusted, or there is nothing\n",
  declined: "Nothing was changed\n",
} as const;
