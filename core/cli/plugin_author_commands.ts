import type { Command } from "commander";
import { errorMessage, EXIT } from "../base/mod.ts";
import type { AppPort } from "./app_port.ts";
import type { CliDeps, SetExit } from "./cli_deps.ts";
import type { CliIo } from "./io.ts";
import type { PluginBuild, PluginCheck, PluginRound } from "./plugin_author_port.ts";
import { SignalAbort } from "./signals.ts";

const KINDS_HELP = `
KIND is tools, for what the model calls, or hooks, for what sees prompts and calls and may refuse or change them: the other
kinds (mcp, memory, team, workflow, host, skills, commands) have no engine in this version, so a pack of theirs could not
run. A pack may bring both: the manifest says so. NAME is lower-case letters, digits, _ and -. DIR is ./NAME by default; it must
not exist or be empty. The guide: lumina help plugins`;

/** `lumina plugin new|build|check|dev`: for people who write plugins. */
export function addPluginAuthorCommands(
  plugin: Command,
  { app, io }: CliDeps,
  setExit: SetExit,
): void {
  plugin.addHelpText(
    "after",
    "\nThe guide for people who write plugins: lumina help plugins; every key of a manifest: lumina help plugin-manifest",
  );
  plugin.command("new").description("write a working pack with types, a test and a README")
    .argument("<kind>", "tools or hooks").argument("<name>", "id of the pack").argument(
      "[dir]",
      "where to; default is ./NAME",
    )
    .addHelpText("after", KINDS_HELP)
    .action(async (kind: string, name: string, directory: string | undefined) => {
      const made = await app.plugin_author.create({
        kind,
        name,
        ...(directory === undefined ? {} : { directory }),
      });
      const there = directory ?? name;
      await io.out(
        `${made.directory}\n${
          made.files.map((file) => `  ${file}\n`).join("")
        }Next: cd ${there}, then deno test --no-check, ` +
          "lumina plugin build and lumina plugin check; lumina help plugins is the guide\n",
      );
    });
  plugin.command("build").description("bundle a pack's sources into dist, with the hash of every file")
    .argument("[dir]", "the pack's folder; default is the current one")
    .option("-o, --out <dir>", "write it here; a build that is there is replaced, nothing else is")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nTypes are checked when a deno is found on the PATH. Nothing is written when anything is wrong.",
    )
    .action(async (directory: string | undefined, options: { out?: string; json?: true }) => {
      const build = await app.plugin_author.build({
        ...(directory === undefined ? {} : { directory }),
        ...(options.out === undefined ? {} : { out: options.out }),
      });
      if (options.json) await io.out(`${JSON.stringify(build)}\n`);
      else await printBuild(build, io);
      if (build.problems.length > 0) setExit(EXIT.failed);
    });
  plugin.command("check").description("run the conformance suite of its kind on a built pack")
    .argument("[dir]", "the pack's folder or a build; default is the current one")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nThe pack runs as in a session, in a process of its own with what its manifest asks for; its workspace is an empty\n" +
        "folder, and every service of the host answers with an error.",
    )
    .action(async (directory: string | undefined, options: { json?: true }) => {
      const checks = await app.plugin_author.check(directory === undefined ? {} : { directory });
      await io.out(options.json ? `${JSON.stringify(checks)}\n` : checksText(checks));
      if (checks.some(({ ok }) => !ok)) setExit(EXIT.failed);
    });
  plugin.command("dev").description("build and check a pack after every change, until interrupted")
    .argument("[dir]", "the pack's folder; default is the current one")
    .option("--install", "install it when all checks hold, granting what it asks for: the next run uses it")
    .addHelpText("after", "\nTypes are not checked here: an editor or lumina plugin build does that.")
    .action(async (directory: string | undefined, options: { install?: true }) => {
      const signals = new SignalAbort();
      try {
        await app.plugin_author.dev({
          ...(directory === undefined ? {} : { directory }),
          signal: signals.signal,
          async round(round) {
            await io.out(roundText(round));
            if (options.install && holds(round)) await io.out(await install(app, round.build.out));
          },
        });
      } finally {
        signals.stop();
      }
    });
}

function holds(round: PluginRound): round is PluginRound & { build: PluginBuild } {
  return round.build !== undefined && round.checks.length > 0 && round.checks.every(({ ok }) => ok);
}

/** Installs a build for the person who writes it, and says so in one line. A failure is no end: the next round tries again. */
async function install({ plugin_install }: AppPort, folder: string): Promise<string> {
  try {
    const { id, version, status, granted } = await plugin_install.install(
      folder,
      { project: false },
      () => Promise.resolve(true),
    );
    return `${id} ${version}: ${status}${granted.length === 0 ? "" : `; it may ${granted.join("; ")}`}\n`;
  } catch (error) {
    return `not installed: ${errorMessage(error)}\n`;
  }
}

async function printBuild(build: PluginBuild, io: CliIo): Promise<void> {
  for (const warning of build.warnings) io.err(`lumina: warning: ${warning}\n`);
  for (const problem of build.problems) io.err(`lumina: ${problem}\n`);
  const types = build.types_checked ? "types checked" : `types not checked: ${build.types_reason}`;
  if (build.problems.length > 0) {
    const count = build.problems.length === 1 ? "1 problem" : `${build.problems.length} problems`;
    io.err(`lumina: ${build.id} was not built: ${count}\n`);
    return;
  }
  const files = Object.entries(build.files).map(([name, bytes]) => `  ${name}  ${bytes} bytes\n`);
  await io.out(`${build.id} ${build.version} in ${build.out} (${types})\n${files.join("")}`);
}

/** One row per check, then how many hold. */
function checksText(checks: readonly PluginCheck[]): string {
  const names = checks.map(({ check, tool }) => (tool === undefined ? check : `${tool}: ${check}`));
  const width = Math.max(...names.map((name) => name.length));
  const rows = checks.map(({ ok, detail }, index) =>
    `${ok ? "ok    " : "FAILED"}  ${(names[index] ?? "").padEnd(width)}  ${detail}\n`
  );
  return `${rows.join("")}${countText(checks)}\n`;
}

function countText(checks: readonly PluginCheck[]): string {
  return `${checks.filter(({ ok }) => ok).length} of ${checks.length} checks hold`;
}

function roundText({ changed, build, checks, error }: PluginRound): string {
  const why = changed.length === 0
    ? ""
    : `${changed.slice(0, 3).join(", ")}${changed.length > 3 ? ", …" : ""}: `;
  if (build === undefined) return `${why}${error ?? "nothing was built"}\n`;
  const lines = [...build.warnings.map((warning) => `warning: ${warning}`), ...build.problems];
  if (build.problems.length > 0) return `${why}not built\n${lines.map((line) => `  ${line}\n`).join("")}`;
  const failed = checks.filter(({ ok }) => !ok).map(({ check, tool, detail }) =>
    `FAILED  ${tool === undefined ? "" : `${tool}: `}${check}  ${detail}`
  );
  const word = changed.length === 0 ? "built" : "reloaded";
  return `${why}${word} ${build.id} ${build.version}, ${countText(checks)}\n${
    [...lines, ...failed].map((line) => `  ${line}\n`).join("")
  }`;
}
