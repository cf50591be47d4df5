import type { Command } from "commander";
import { EXIT, LuminaError } from "../base/mod.ts";
import type { CliDeps, SetExit } from "./cli_deps.ts";
import type {
  PluginDetails,
  PluginListing,
  PluginListOptions,
  PluginRow,
  PluginTrusted,
  PluginTrustQuestion,
} from "./plugin_list_port.ts";
import { hookLines } from "./plugin_hook_text.ts";
import { readLines } from "./read_stdin.ts";

interface Flags {
  cwd?: string;
  project?: true;
  json?: true;
  yes?: true;
}

const ORDER_HELP = `
A plugin is looked for among the program's own, then yours (config/plugins), then those of the project
(.Lumina/plugins): the first one of an id is used, and the others are shown as shadowed.`;

/** `lumina plugin list`, `show`, `permissions`, `enable`, `disable` and `trust`. */
export function addPluginListCommands(plugin: Command, deps: CliDeps, setExit: SetExit): void {
  const { app, io } = deps;
  // `lumina --cwd DIR plugin list` means the same
  const cwdOf = ({ cwd }: Flags): string | undefined => cwd ?? plugin.parent?.opts()["cwd"];
  const optionsOf = (flags: Flags): PluginListOptions => {
    const cwd = cwdOf(flags);
    return { project: flags.project ?? false, ...(cwd === undefined ? {} : { cwd }) };
  };
  const one = (name: string) =>
    plugin.command(name).argument("<id>", "which one; see lumina plugin list")
      .option("--project", "the project's plugin of this id").option("--cwd <dir>", "the project")
      .option("--json", "as JSON");
  plugin.command("list").description("the plugins that are here, where they come from and how they stand")
    .option("--cwd <dir>", "the project; default is the current directory").option("--json", "as JSON")
    .addHelpText("after", ORDER_HELP)
    .action(async (flags: Flags) => {
      const listing = await app.plugin_list.list(cwdOf(flags));
      await io.out(flags.json ? `${JSON.stringify(listing)}\n` : listText(listing));
    });
  one("show").description("everything about one plugin").action(async (id: string, flags: Flags) => {
    const details = await app.plugin_list.show(id, optionsOf(flags));
    await io.out(flags.json ? `${JSON.stringify(details)}\n` : detailsText(details));
  });
  one("permissions").description("what a plugin may do, in words").action(
    async (id: string, flags: Flags) => {
      const details = await app.plugin_list.show(id, optionsOf(flags));
      const { granted, not_granted } = details;
      const json = {
        id: details.id,
        scope: details.scope,
        granted,
        not_granted,
        tools: details.tool_details,
        hooks: details.hook_details,
      };
      await io.out(flags.json ? `${JSON.stringify(json)}\n` : permissionsText(details));
    },
  );
  for (const on of [true, false]) {
    const name = on ? "enable" : "disable";
    one(name).description(on ? "let a plugin run again" : "keep a plugin, but do not run it")
      .action(async (id: string, flags: Flags) => {
        const { changed, still } = await app.plugin_list.enable(id, on, optionsOf(flags));
        if (flags.json) {
          return await io.out(`${JSON.stringify({ id, enabled: on && still.length === 0, changed })}\n`);
        }
        await io.out(`${id}: ${changed ? `${name}d` : `was ${name}d already`}\n`);
        for (const line of still) io.err(`lumina: ${id} stays off: ${line}\n`);
      });
  }
  one("trust").description("approve a plugin as it is now, after a look at what changed")
    .option("--yes", "do not ask")
    .action(async (id: string, flags: Flags) => setExit(await trust(deps, id, optionsOf(flags), flags)));
}

async function trust(
  { app, io }: CliDeps,
  id: string,
  options: PluginListOptions,
  flags: Flags,
): Promise<number> {
  const trusted = await app.plugin_list.trust(id, options, async (question) => {
    io.err(questionText(question));
    if (flags.yes) return true;
    if (!io.stdin_is_terminal) {
      throw new LuminaError(
        "plugin.unconfirmed",
        `Pack "${id}": nothing was changed: nobody can be asked here (--yes approves it as shown)`,
        { exit: EXIT.blocked },
      );
    }
    io.err("Trust it? [y]es, [N]o: ");
    const { value } = await readLines(io.stdin).next();
    return /^y(es)?$/i.test(value?.trim() ?? "");
  });
  if (flags.json) await io.out(`${JSON.stringify(trusted)}\n`);
  else await io.out(trustedText(trusted));
  return trusted.status === "declined" ? EXIT.blocked : EXIT.ok;
}

function trustedText({ id, version, status }: PluginTrusted): string {
  if (status === "declined") return "Nothing was changed\n";
  return status === "unchanged"
    ? `${id} ${version}: nothing has changed since it was approved\n`
    : `${id} ${version}: trusted\n`;
}

function questionText(question: PluginTrustQuestion): string {
  const {
    id,
    version,
    title,
    scope,
    directory,
    approved,
    changes,
    asks,
    granted,
    dropped,
    hooks,
    known_hooks,
  } = question;
  const lines = [`${id} ${version} (${title}), a plugin of the ${scope}, in ${directory}`];
  if (approved === null) lines.push("It was never approved");
  else {
    lines.push(`What was approved is ${approved}; since then:`);
    const shown = changes.slice(0, 20).map(({ path, what }) =>
      `  ${path} ${what === "changed" ? "has changed" : `is ${what === "added" ? "new" : "missing"}`}`
    );
    lines.push(...shown);
    if (changes.length > 20) lines.push(`  and ${changes.length - 20} more`);
  }
  if (asks.length > 0) lines.push(granted.length > 0 ? "It asks for more than it had:" : "It asks to:");
  else if (approved === null) lines.push("It asks for nothing beyond what every plugin has");
  lines.push(...asks.map((words) => `  ${words}`));
  if (granted.length > 0) lines.push("It already may:", ...granted.map((words) => `  ${words}`));
  if (dropped.length > 0) lines.push("It no longer asks to:", ...dropped.map((words) => `  ${words}`));
  lines.push(...hookLines(hooks, known_hooks));
  return `${lines.join("\n")}\n`;
}

function stateText({ enabled, shadowed_by, switched_off, problems }: PluginRow): string {
  if (shadowed_by !== null) {
    return `shadowed: the ${shadowed_by === "bundled" ? "program" : shadowed_by} has one of this id`;
  }
  if (switched_off === "setting") return "off (disabled_plugins)";
  if (switched_off === "record") return "off";
  return enabled ? "on" : problems.length > 0 ? "refused" : "off";
}

function listText({ plugins, problems }: PluginListing): string {
  const rows = plugins.map((row) => [row.id, row.version, row.scope, stateText(row), bringsText(row)]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row.map((text, column) => text.padEnd(widths[column] ?? 0)).join("  ").trimEnd()
  );
  const all = [...plugins.flatMap((row) => row.problems), ...problems];
  return [...lines, ...all.map((text) => `! ${text}`)].map((line) => `${line}\n`).join("");
}

/** Names of its tools, then what its hooks wait for. */
function bringsText({ tools, hooks }: PluginRow): string {
  return [
    ...(tools.length === 0 ? [] : [tools.join(", ")]),
    ...(hooks.length === 0 ? [] : [`hooks of ${hooks.join(", ")}`]),
  ].join("; ");
}

function detailsText(details: PluginDetails): string {
  const { id, version, title, description, scope, directory, kinds, source, installed_at, data_dir } =
    details;
  const lines = [
    `${id} ${version}: ${title}`,
    ...(description === "" ? [] : [description]),
    `  state        ${stateText(details)}`,
    `  scope        ${scope}, ${directory}`,
    `  brings       ${kinds.join(", ")}`,
  ];
  if (source !== null) {
    lines.push(`  source       ${source.kind} ${source.value}, approved ${installed_at ?? ""}`);
  }
  if (data_dir !== null) lines.push(`  own folder   ${data_dir}`);
  const count = Object.keys(details.files).length;
  if (count > 0) lines.push(`  files        ${count}, bound by SHA-256`);
  lines.push(
    ...details.tool_details.map((tool) => `  tool         ${tool.name}: ${firstLine(tool.description)}`),
  );
  lines.push(...details.problems.map((text) => `! ${text}`));
  return `${lines.join("\n")}\n${permissionsText(details)}`;
}

function firstLine(text: string): string {
  const line = text.split("\n", 1)[0] ?? "";
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}

function permissionsText({ id, granted, not_granted, tool_details, hook_details }: PluginDetails): string {
  const lines = granted.length > 0 ? [`${id} may`, ...granted.map((words) => `  ${words}`)] : [];
  if (not_granted.length > 0) {
    lines.push(`${id} asks to, and nobody has granted`, ...not_granted.map((words) => `  ${words}`));
  }
  if (lines.length === 0) lines.push(`${id} asks for nothing beyond what every plugin has`);
  if (tool_details.length > 0) lines.push("Its tools:");
  for (const { name, effect, capabilities, destructive } of tool_details) {
    const uses = capabilities.length === 0 ? "nothing of it" : capabilities.join(", ");
    const undone = destructive ? "; says that it may destroy" : "";
    lines.push(`  ${name} uses ${uses}; judged as a tool that ${EFFECT_WORDS[effect] ?? effect}${undone}`);
  }
  if (hook_details.length > 0) {
    lines.push("Its hooks:", ...hook_details.map(({ handler, words }) => `  ${handler} ${words}`));
  }
  return `${lines.join("\n")}\n`;
}

const EFFECT_WORDS: Readonly<Record<string, string>> = {
  none: "touches nothing",
  read: "reads",
  write: "changes files",
  run: "runs programs",
  net: "reaches the network",
};
