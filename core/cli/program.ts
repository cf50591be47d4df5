import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { errorMessage, EXIT, LuminaError, nearest } from "../base/mod.ts";
import { isJsonObject, PERMISSION_MODES } from "../types/mod.ts";
import type { JsonObject } from "../types/mod.ts";
import type { CliDeps } from "./cli_deps.ts";
import { requirePair, runFlags } from "./run_flags.ts";
import type { RunOptions } from "./run_flags.ts";
import { addConfigCommands } from "./config_commands.ts";
import { COMMANDS_HELP, EXIT_HELP, VARIABLES_HELP } from "./help_text.ts";
import { addAgentCommands } from "./agent_commands.ts";
import { addHookCommands } from "./hook_commands.ts";
import { addSkillCommands } from "./skill_commands.ts";
import type { CliIo } from "./io.ts";
import { printSessions } from "./list_sessions.ts";
import { OUTPUT_FORMATS } from "./output.ts";
import { addDevCommands } from "./dev_commands.ts";
import { parseMode } from "./parse_mode.ts";
import { addDoctorCommand } from "./doctor_commands.ts";
import { addPermissionCommands } from "./permission_commands.ts";
import { addPermissionFiles } from "./permission_files.ts";
import { addPluginAuthorCommands } from "./plugin_author_commands.ts";
import { GUIDE_TOPICS } from "./plugin_author_port.ts";
import { pluginGroup } from "./plugin_group.ts";
import { addPluginInstallCommands } from "./plugin_install_commands.ts";
import { addPluginListCommands } from "./plugin_list_commands.ts";
import { runPrint } from "./run_print.ts";
import { runRecorded } from "./run_recorded.ts";
import { addServicesCommands } from "./services_commands.ts";
import { addTrustCommands } from "./trust_commands.ts";
import { addSessionCommands } from "./session_commands.ts";

/**
 * Runs one command line and gives its exit code. Every way to be wrong is one line on standard error with what to
 * do; a stack trace is never shown.
 */
export async function runCli(deps: CliDeps, args: readonly string[]): Promise<number> {
  let exit: number = EXIT.ok;
  const program = buildProgram(deps, (code) => {
    exit = code;
  });
  try {
    const topic = args.length === 2 && args[0] === "help"
      ? GUIDE_TOPICS.find((each) => each === args[1])
      : undefined;
    if (topic !== undefined) {
      await deps.io.out(await deps.app.plugin_author.guide(topic));
      return EXIT.ok;
    }
    await program.parseAsync([...args], { from: "user" });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.ok;
      // `lumina config` alone: its help was shown
      if (error.code === "commander.help") {
        const wanted = args[0] === "help" || args[1] === "help" ? args[args.indexOf("help") + 1] : undefined;
        if (wanted !== undefined) {
          deps.io.err(
            `lumina: there is no command ${JSON.stringify(wanted)}; those that there are stand above\n`,
          );
        }
        return EXIT.usage;
      }
      deps.io.err(`lumina: ${commanderMessage(error, program, helpOf(program, args))}\n`);
      return EXIT.usage;
    }
    deps.io.err(`lumina: ${errorMessage(error)}\n`);
    return error instanceof LuminaError ? error.exit : EXIT.failed;
  }
}

function buildProgram(deps: CliDeps, setExit: (code: number) => void): Command {
  const { io } = deps;
  const program = new Command(deps.name);
  program.enablePositionalOptions();
  program
    .description("Lumina: a local coding agent that loses nothing and runs nothing without permission")
    .argument("[prompt...]", "with -p: the prompt")
    .version(deps.version, "-v, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand(
      "help [command]",
      "print the help of a command; help plugins, help hooks, help commands and help web are guides",
    );
  addRunOptions(program);
  program.addHelpText("after", `\n${COMMANDS_HELP}\n\n${VARIABLES_HELP}\n\n${EXIT_HELP}`);
  program.action(async (words: string[], options: RunOptions) =>
    setExit(await runRoot(deps, words, options))
  );
  if (deps.name !== "lumina-backend") {
    // `lumina backend …` is `lumina-backend …`: the rest of the line is parsed as that program's
    program.command("backend").description("the commands of lumina-backend: headless runs, lists, settings")
      .argument("[args...]").helpOption(false).allowUnknownOption().passThroughOptions()
      .action(async (rest: string[]) => setExit(await runCli({ ...deps, name: "lumina-backend" }, rest)));
  }
  addConfigCommands(program, deps);
  addSessionCommands(program, deps, setExit);
  addTrustCommands(program, deps, setExit);
  addServicesCommands(program, deps, setExit);
  addHookCommands(program, deps);
  addAgentCommands(program, deps);
  addSkillCommands(program, deps);
  addDevCommands(program, deps);
  addPermissionCommands(program, deps);
  addPermissionFiles(program, deps, setExit);
  addDoctorCommand(program, deps, setExit);
  addPluginInstallCommands(pluginGroup(program), deps, setExit);
  addPluginListCommands(pluginGroup(program), deps, setExit);
  addPluginAuthorCommands(pluginGroup(program), deps, setExit);
  quiet(program, io);
  return program;
}

/** Output through our streams, errors as exceptions. */
function quiet(command: Command, io: CliIo): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => void io.out(text),
    // a message comes with the exception; the help of a command that lacks its subcommand does not
    writeErr: (text) => {
      if (text.startsWith("Usage:")) io.err(text);
    },
  });
  for (const child of command.commands) quiet(child, io);
}

function addRunOptions(program: Command): void {
  const whole = (text: string): number => {
    const number = Number(text);
    if (!Number.isSafeInteger(number) || number < 1) {
      throw new InvalidArgumentError("It must be a whole number from 1.");
    }
    return number;
  };
  const dollars = (text: string): number => {
    const number = Number(text);
    if (text.trim() === "" || !Number.isFinite(number) || number <= 0) {
      throw new InvalidArgumentError("It must be a number of US dollars above 0.");
    }
    return number;
  };
  const collect = (value: string, before: string[]): string[] => [...before, value];
  program
    .option("-p, --print [prompt]", "run one prompt, print the answer and exit; piped input is context")
    .addOption(new Option("--prompt <prompt>", "the same as --print").hideHelp())
    .addOption(
      new Option("--output-format <format>", "what goes to standard output").choices(OUTPUT_FORMATS).default(
        "text",
      ),
    )
    .addOption(
      new Option("--input-format <format>", "what comes on standard input").choices(["text", "stream-json"])
        .default("text"),
    )
    .option("--include-partial-messages", "with stream-json: the live deltas too")
    .option("--replay-user-messages", "with stream-json on both sides: echo user messages")
    .option("--json-schema <schema>", "the answer must fit this JSON Schema (text, or @FILE)", parseSchema)
    .option("--append-system-prompt <text>", "add to the system prompt")
    .option("--max-turns <n>", "model requests this run may make", whole)
    .option(
      "--max-budget-usd <amount>",
      "US dollars this run may cost; its model's price must be known",
      dollars,
    )
    .option("--model <name>", "model, sent as given")
    .option("--effort <level>", "how hard the model thinks: low, medium, high or max")
    .option("--api-type <type>", "auto, anthropic, openai_compatible or replay")
    .option("--provider <name>", "the same as --api-type; replay:ID answers from a recorded session")
    .option("--replay-file <file>", "with --provider replay: what lumina session record wrote")
    .option("--base-url <url>", "the provider's address, used as given")
    .option(
      "--api-key <key>",
      "the provider's key (the variable LUMINA_API_KEY keeps it out of process lists)",
    )
    .option("--max-tokens <n>", "local context window: only lowers the model's own", whole)
    .option("--settings <file>", "one more settings file, over the user's")
    .option("--cwd <dir>", "the workspace; default is the current directory")
    .option("--session-id <id>", "id of the new session")
    .option("--resume <id>", "go on with a session")
    .option("-c, --continue", "go on with the newest session of this directory")
    .option(
      "--fork-session",
      "with --resume or --continue: go on in a new session, the old one stays as it is",
    )
    .option("--list", "list the saved sessions of every directory")
    .option("--json", "with --list: as JSON")
    .addOption(
      new Option("--permission-mode <mode>", `one of ${PERMISSION_MODES.join(", ")}`).argParser(parseMode),
    )
    .option("--yolo", "the same as --permission-mode yolo: everything but deny rules is allowed")
    .option("--allowed-tools <rules>", 'allow rules, e.g. "Bash(git log *),Edit"', collect, [])
    .addOption(new Option("--allowedTools <rules>", "").hideHelp().argParser(collect).default([]))
    .option("--disallowed-tools <rules>", "deny rules", collect, [])
    .addOption(new Option("--disallowedTools <rules>", "").hideHelp().argParser(collect).default([]))
    .option("--add-dir <dir>", "one more directory to work in", collect, [])
    .addOption(new Option("--permission-prompt <where>", "ask instead of refusing").choices(["stdio"]))
    .addOption(new Option("--permission-prompt-tool <where>", "").choices(["stdio"]).hideHelp())
    .option("--fail-on-denial", "end the run with exit 3 at the first refused call")
    .option(
      "--lockdown <modes>",
      "give up for good before the first request: read-only, workspace, offline (several with commas)",
      collect,
      [],
    )
    .option(
      "--trust-project",
      "trust the plugins, hooks and settings that this project brings, as they are now",
    )
    .option("--bare", "no project instructions or settings, no plugins, no hooks")
    .option("--verbose", "tell on standard error what happens");
}

async function runRoot(deps: CliDeps, words: string[], options: RunOptions): Promise<number> {
  const extra = options as RunOptions & {
    prompt?: string;
    allowedTools: string[];
    disallowedTools: string[];
  };
  if (options.list) {
    const { session_list } = deps.app;
    return await printSessions(session_list, deps.io, {
      all: true,
      archived: false,
      json: options.json ?? false,
    });
  }
  const printing = options.print !== undefined || extra.prompt !== undefined ||
    options.inputFormat === "stream-json";
  if (!printing) {
    if (words[0] !== undefined) {
      const known = [
        "backend",
        "config",
        "session",
        "storage",
        "plugin",
        "dev",
        "permission",
        "doctor",
        "trust",
        "services",
        "hooks",
        "help",
      ];
      const guess = nearest(words[0], known);
      const hint = guess === undefined ? 'to run a prompt: lumina -p "…"' : `did you mean ${guess}?`;
      throw new LuminaError("cli.usage", `Unknown command "${words[0]}": ${hint}`, { exit: EXIT.usage });
    }
    throw new LuminaError(
      "cli.usage",
      'This version has no terminal interface: run a prompt with lumina -p "…", or see lumina --help',
      { exit: EXIT.usage },
    );
  }
  const parts = [options.print === true ? undefined : options.print, extra.prompt, ...words];
  const prompt = parts.filter((part) => part !== undefined).join(" ");
  const output = options.outputFormat;
  requirePair(
    options.inputFormat === "stream-json",
    output === "stream-json",
    "--input-format stream-json needs --output-format stream-json",
  );
  requirePair(
    options.includePartialMessages === true,
    output === "stream-json",
    "--include-partial-messages needs --output-format stream-json",
  );
  requirePair(
    options.replayUserMessages === true,
    options.inputFormat === "stream-json",
    "--replay-user-messages needs --input-format stream-json",
  );
  requirePair(
    options.json === true,
    false,
    "--json goes with --list; for a run: --output-format json",
  );
  requirePair(
    options.inputFormat === "stream-json",
    prompt === "",
    "with --input-format stream-json the prompts come on standard input, not as an argument",
  );
  const flags = runFlags(options);
  const recorded = flags.replay !== undefined && prompt.trim() === "" && options.inputFormat === "text";
  return await (recorded ? runRecorded : runPrint)(deps.app, deps.io, deps.world, flags, {
    ...(prompt.trim() === "" ? {} : { prompt }),
    output,
    input: options.inputFormat,
    include_partial: options.includePartialMessages ?? false,
    replay_user_messages: options.replayUserMessages ?? false,
    permission_prompt: (options.permissionPrompt ?? options.permissionPromptTool) !== undefined,
    verbose: options.verbose ?? false,
    version: deps.version,
  });
}

function parseSchema(text: string): JsonObject {
  let source = text;
  try {
    if (text.startsWith("@")) source = Deno.readTextFileSync(text.slice(1));
    const schema: unknown = JSON.parse(source);
    if (isJsonObject(schema)) return schema;
  } catch (error) {
    throw new InvalidArgumentError(`It cannot be read: ${errorMessage(error)}.`);
  }
  throw new InvalidArgumentError("It must be a JSON object.");
}

/** Flags of other agents, and ours that do the same. */
const OTHER_NAMES: Readonly<Record<string, string>> = { "--dangerously-skip-permissions": "--yolo" };

/** Commander's words on one line, with the nearest flag where it found none. */
function commanderMessage(error: CommanderError, program: Command, help: string): string {
  const message = errorMessage(error).replace(/^error: /, "");
  const flag = /unknown option '(--?[^'=]+)/.exec(message)?.[1];
  if (flag === undefined || message.includes("Did you mean")) return `${message} (see ${help})`;
  const own = program.options.flatMap((option) => [option.long ?? "", option.short ?? ""]);
  // a subcommand has refused it
  if (own.includes(flag)) return `${message}: it does not go with this command (see ${help})`;
  const guess = OTHER_NAMES[flag] ?? nearest(flag, own);
  return `${message}${guess === undefined ? "" : ` (did you mean ${guess}?)`} (see ${help})`;
}

/** How the help of the command is called that these arguments begin with. */
function helpOf(program: Command, args: readonly string[]): string {
  const path = ["lumina"];
  let command: Command | undefined = program;
  for (const word of args) {
    command = command.commands.find((each) => each.name() === word);
    if (command === undefined) break;
    path.push(word);
  }
  return `${path.join(" ")} --help`;
}
