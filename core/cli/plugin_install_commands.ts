import type { Command } from "commander";
import { errorMessage, EXIT, LuminaError } from "../base/mod.ts";
import type { CliDeps, SetExit } from "./cli_deps.ts";
import type {
  InstalledPlugin,
  PluginConsent,
  PluginQuestion,
  PluginRemoval,
  PluginScopeOptions,
} from "./plugin_install_port.ts";
import { hookLines } from "./plugin_hook_text.ts";
import { readLines } from "./read_stdin.ts";
import type { CliIo } from "./io.ts";

interface InstallFlags {
  project?: true;
  cwd?: string;
  yes?: true;
  json?: true;
}

const SOURCES_HELP = `
SOURCE is one of
  a folder, or an archive (.tar, .tar.gz, .tgz, .zip)
  npm:NAME, npm:NAME@VERSION    of the registry in NPM_CONFIG_REGISTRY or ~/.npmrc
  git+https://HOST/PATH         with #BRANCH, #TAG or #COMMIT after it; also git+file:///PATH
What a plugin asks for is shown and asked about once. Nothing of it runs while it is installed.`;

/** `lumina plugin install`, `update` and `remove`. */
export function addPluginInstallCommands(plugin: Command, deps: CliDeps, setExit: SetExit): void {
  const scoped = (command: Command) =>
    command.option("--project", "the plugins of this project (.Lumina/plugins) instead of your own")
      .option("--cwd <dir>", "the project; default is the current directory")
      .option("--yes", "do not ask")
      .option("--json", "as JSON");
  scoped(plugin.command("install")).description("install a plugin, or renew it from the same source")
    .argument("<source>", "folder, archive, npm:NAME or git+URL")
    .addHelpText("after", SOURCES_HELP)
    .action(async (source: string, flags: InstallFlags) => {
      const { installed, asked } = await withConsent(
        deps.io,
        flags,
        asker(deps.io),
        (consent) => deps.app.plugin_install.install(source, scope(plugin, flags), consent),
      );
      await report(deps, flags, installed, asked);
      if (installed.status === "declined") setExit(EXIT.blocked);
    });
  scoped(plugin.command("update")).description("fetch plugins again from where they came from")
    .argument("[id...]", "which ones; default is all")
    .action(async (ids: string[], flags: InstallFlags) =>
      setExit(await updatePlugins(deps, ids, scope(plugin, flags), flags))
    );
  scoped(plugin.command("remove")).description(
    "remove plugins with what was granted to them and what they kept",
  )
    .argument("<id...>", "which ones")
    .option("--keep-data", "leave what they kept in their own folders")
    .action(async (ids: string[], flags: InstallFlags & { keepData?: true }) =>
      setExit(await removePlugins(deps, ids, scope(plugin, flags), flags))
    );
}

function scope(plugin: Command, { project, cwd }: InstallFlags): PluginScopeOptions {
  const given = cwd ?? plugin.parent?.opts()["cwd"]; // `lumina --cwd DIR plugin install` means the same
  return { project: project ?? false, ...(given === undefined ? {} : { cwd: given }) };
}

async function updatePlugins(
  deps: CliDeps,
  given: readonly string[],
  options: PluginScopeOptions,
  flags: InstallFlags,
): Promise<number> {
  const ids = given.length > 0 ? given : await deps.app.plugin_install.installed(options);
  if (ids.length === 0 && !flags.json) await deps.io.out("No plugin is installed here\n");
  let exit: number = EXIT.ok;
  const yes = asker(deps.io);
  for (const id of ids) {
    try {
      const { installed, asked } = await withConsent(
        deps.io,
        flags,
        yes,
        (consent) => deps.app.plugin_install.update(id, options, consent),
      );
      await report(deps, flags, installed, asked);
      if (installed.status === "declined") exit = Math.max(exit, EXIT.blocked);
    } catch (error) {
      // the others are renewed all the same
      if (ids.length === 1) throw error;
      deps.io.err(`lumina: ${errorMessage(error)}\n`);
      exit = Math.max(exit, error instanceof LuminaError ? error.exit : EXIT.failed);
    }
  }
  return exit;
}

async function removePlugins(
  { app, io }: CliDeps,
  ids: readonly string[],
  options: PluginScopeOptions,
  flags: InstallFlags & { keepData?: true },
): Promise<number> {
  const keep_data = flags.keepData ?? false;
  const plans: PluginRemoval[] = [];
  for (const id of new Set(ids)) plans.push(await app.plugin_install.planRemoval(id, options));
  const kept = plans.filter(({ data_dir }) => data_dir !== undefined && !keep_data);
  if (kept.length > 0 && !flags.yes) {
    const list = kept.map(({ id, data_dir }) => `  ${id}: ${data_dir}\n`).join("");
    io.err(`These plugins have kept something of their own:\n${list}`);
    if (!io.stdin_is_terminal) {
      throw new LuminaError(
        "plugin.unconfirmed",
        "Nothing was removed: nobody can be asked here (--yes removes that too, --keep-data leaves it)",
        { exit: EXIT.blocked },
      );
    }
    if (!await asker(io)("Remove that too?")) {
      io.err("Nothing was removed (--keep-data leaves it)\n");
      return EXIT.blocked;
    }
  }
  for (const { id } of plans) {
    const removed = await app.plugin_install.remove(id, { ...options, keep_data });
    if (flags.json) await io.out(`${JSON.stringify({ ...removed, kept_data: keep_data })}\n`);
    else await io.out(`${id} ${removed.version}: removed\n`);
  }
  return EXIT.ok;
}

/** Runs an installation with the way to ask that fits; tells whether it asked. */
async function withConsent(
  io: CliIo,
  flags: InstallFlags,
  yes: (question: string) => Promise<boolean>,
  run: (consent: PluginConsent) => Promise<InstalledPlugin>,
): Promise<{ installed: InstalledPlugin; asked: boolean }> {
  let asked = false;
  const installed = await run(async (question) => {
    asked = true;
    if (flags.yes) return true;
    io.err(questionText(question));
    if (io.stdin_is_terminal) {
      return await yes(question.replaces === undefined ? "Install it?" : "Replace it?");
    }
    if (flags.json) await io.out(`${JSON.stringify({ ...question, status: "unconfirmed" })}\n`);
    throw new LuminaError(
      "plugin.unconfirmed",
      `Pack "${question.id}": not installed, nothing was changed: nobody can be asked here (--yes grants what it asks for)`,
      { exit: EXIT.blocked },
    );
  });
  return { installed, asked };
}

function questionText(question: PluginQuestion): string {
  const { id, version, title, source, scope, replaces, downgrade, asks, granted, hooks, known_hooks } =
    question;
  const where = scope === "project" ? ", for this project" : "";
  const lines = [`${id} ${version} (${title}) from ${source}${where}`];
  if (replaces !== undefined) {
    const from = replaces.source === source ? "" : ` from ${replaces.source}`;
    lines.push(`It replaces ${replaces.version}${from}${downgrade ? ": the new one is OLDER" : ""}`);
  }
  if (asks.length === 0) lines.push("It asks for nothing beyond what every plugin has");
  else lines.push(granted.length > 0 ? "It asks for more than it had:" : "It asks to:");
  lines.push(...asks.map((words) => `  ${words}`));
  if (granted.length > 0) lines.push("It already may:", ...granted.map((words) => `  ${words}`));
  lines.push(...hookLines(hooks, known_hooks));
  return `${lines.join("\n")}\n`;
}

async function report(
  { io }: CliDeps,
  flags: InstallFlags,
  installed: InstalledPlugin,
  asked: boolean,
): Promise<void> {
  if (flags.json) return await io.out(`${JSON.stringify(installed)}\n`);
  const { id, version, status, from, downgrade, directory, granted, hooks, left_out } = installed;
  if (status === "declined") return io.err("Nothing was changed\n");
  if (status === "unchanged") return await io.out(`${id} ${version}: up to date\n`);
  const change = from === undefined || from === version
    ? version
    : `${from} to ${version}${downgrade ? " (a downgrade)" : ""}`;
  const lines = [`${id} ${change}: ${status} in ${directory}`];
  if (asked && flags.yes && granted.length > 0) lines.push(`  it may ${granted.join("; ")}`);
  if (asked && flags.yes) lines.push(...hooks.map((words) => `  its hook ${words}`));
  if (left_out.length > 0) {
    const [count, verb] = left_out.length === 1 ? ["1 file that its integrity does", "was"] : [
      `${left_out.length} files that its integrity does`,
      "were",
    ];
    lines.push(`  ${count} not name ${verb} left out: ${left_out.slice(0, 5).join(", ")}`);
  }
  await io.out(`${lines.join("\n")}\n`);
}

/** Asks one question after the other on the terminal; everything but yes is a no. */
function asker(io: CliIo): (question: string) => Promise<boolean> {
  let lines: AsyncGenerator<string> | undefined;
  return async (question) => {
    io.err(`${question} [y]es, [N]o: `);
    lines ??= readLines(io.stdin);
    const { value } = await lines.next();
    return /^y(es)?$/i.test(value?.trim() ?? "");
  };
}
