import { errorMessage, EXIT, LuminaError, nearest } from "../../base/mod.ts";
import type { AppPort, SessionCatalogue } from "../../cli/mod.ts";
import type {
  CommandInfo,
  CommandProvider,
  CommandReply,
  RunEvent,
  RunResult,
  TurnLimits,
} from "../../types/mod.ts";
import { NO_USAGE } from "../../types/mod.ts";
import type { FeatureScope } from "../features/session_feature.ts";
import type { Builtin, BuiltinReply, CommandContext } from "./command.ts";
import { ownApp } from "./own_app.ts";
import { parseCommand, typedArgs } from "./parse_command.ts";
import type { CommandCall } from "./parse_command.ts";
import { BUILTINS } from "./table.ts";

/** What a prompt that is a slash command became. */
export type TakenCommand =
  | { kind: "answered"; result: RunResult }
  | {
    kind: "prompt";
    text: string;
    /** Travels before the text; may be empty. */
    context: string;
    turn: TurnLimits;
    /** Who narrows the run, as a refusal says it. */
    by: string;
  };

export interface SessionCommandsOptions {
  scope: FeatureScope;
  app: AppPort;
  /** Skills, command files, packs; in this order, behind the builtins. */
  providers: readonly CommandProvider[];
  /** Tells that a turn begins that no model is asked in. */
  begin(): Promise<void>;
  /** Renews what lists show of the session. */
  save(): void;
}

/** The slash commands of one session. */
export class SessionCommands {
  readonly #options: SessionCommandsOptions;
  readonly #app: AppPort;

  constructor(options: SessionCommandsOptions) {
    this.#options = options;
    this.#app = ownApp(options.app, options.scope);
  }

  /** Every command there is; a name that two have belongs to the first. */
  async list(): Promise<CommandInfo[]> {
    return (await this.#all()).map(({ info }) => info);
  }

  /** What a client may offer a person. */
  async catalogue(): Promise<SessionCatalogue> {
    const { parts, session } = this.#options.scope;
    const { settings } = parts.watch.current;
    const { styleNames } = await import("./output_styles.ts");
    return {
      commands: await this.list(),
      agents: (await this.#options.scope.shared.agents?.types())?.types ?? [],
      output_style: settings.output_style,
      output_styles: await styleNames(parts),
      model: session.model.name,
    };
  }

  /** What is wrong with the files of commands, skills and agents, one line each. */
  async problems(): Promise<string[]> {
    const { fileProblems } = await import("./file_problems.ts");
    const { parts, shared } = this.#options.scope;
    return await fileProblems(parts, (await shared.agents?.types())?.problems);
  }

  /**
   * Runs a prompt that is a slash command. Undefined for one that is none: it goes to the model as it stands. Never throws
   * for what a command says; one that was interrupted has that as its result, and the session goes on.
   */
  async take(
    prompt: { text: string; typed?: boolean },
    emit: (event: RunEvent) => void,
    signal: AbortSignal,
  ): Promise<TakenCommand | undefined> {
    const call = parseCommand(prompt.text);
    if (call === undefined) return undefined;
    const { world, session } = this.#options.scope.parts;
    const started = world.mono();
    const before = { ...session.state.spent };
    const all = await this.#all();
    const wanted = call.name.toLowerCase();
    const found = all.find(({ info }) =>
      [info.name, ...info.aliases].some((name) => name.toLowerCase() === wanted)
    );
    if (found === undefined && isPath(`/${call.name}`)) return undefined;
    let reply: BuiltinReply;
    await this.#options.scope.parts.recorded;
    this.#options.save(); // lists that a command makes read it
    try {
      reply = found === undefined
        ? failed(unknown(call.name, all.map(({ info }) => info)))
        : await this.#run(found, call, prompt.typed ?? true, signal);
    } catch (error) {
      reply = signal.aborted
        ? { kind: "error", code: INTERRUPTED, message: errorMessage(signal.reason) }
        : failed(error);
    }
    if (found !== undefined) {
      await session.execute({
        type: "note_command",
        name: found.info.name,
        args: found.builtin?.secret_args ? "" : call.args.slice(0, 1000),
        source: found.info.source,
        outcome: reply.kind,
      });
    }
    if (reply.kind === "prompt") return promptOf(reply, found?.info.name ?? call.name);
    await this.#options.begin();
    const { usd, unpriced } = session.state.spent;
    const cost_usd = unpriced > before.unpriced ? null : usd - before.usd;
    const result = { ...answer(reply, Math.round(world.mono() - started)), cost_usd };
    if (reply.kind !== "error") {
      const data = reply.kind === "session" ? { session_id: reply.session_id } : reply.data;
      const name = found?.info.name ?? call.name;
      emit({ type: "command_output", name, text: reply.text, ...(data === undefined ? {} : { data }) });
    }
    emit({ type: "run_finished", run_id: `command-${world.uuid()}`, result });
    return { kind: "answered", result };
  }

  async #run(
    found: Found,
    { args }: CommandCall,
    typed: boolean,
    signal: AbortSignal,
  ): Promise<BuiltinReply> {
    const { builtin, provider, info } = found;
    if (provider !== undefined) return await provider.run(info.name, args, signal);
    const context: CommandContext = {
      ...this.#options.scope,
      app: this.#app,
      typed,
      list: () => this.list(),
      problems: () => this.problems(),
      unknown,
      other: async (name, words, stop) => await this.#other(name, words, stop),
    };
    return await builtin!.run(context, typedArgs(args), signal); // one of both is there
  }

  async #other(name: string, args: string, signal: AbortSignal): Promise<CommandReply | undefined> {
    for (const provider of this.#options.providers) {
      if ((await provider.list()).some((info) => info.name === name)) {
        return await provider.run(name, args, signal);
      }
    }
    return undefined;
  }

  async #all(): Promise<Found[]> {
    const all: Found[] = BUILTINS.map((builtin) => ({
      info: { ...builtin.info, source: "builtin" },
      builtin,
    }));
    const taken = new Set(all.flatMap(({ info }) => [info.name, ...info.aliases]));
    for (const provider of this.#options.providers) {
      for (const info of await provider.list()) {
        if (taken.has(info.name)) continue;
        taken.add(info.name);
        all.push({ info: { ...info, aliases: info.aliases.filter((alias) => !taken.has(alias)) }, provider });
      }
    }
    return all;
  }
}

/** The code of a run, or a command, that a person or a signal ended. */
const INTERRUPTED = "agent.interrupted";

interface Found {
  info: CommandInfo;
  builtin?: Builtin;
  provider?: CommandProvider;
}

/** No such command: the nearest name, exit 2. */
function unknown(name: string, all: readonly CommandInfo[]): LuminaError {
  const guess = nearest(name, all.flatMap((info) => [info.name, ...info.aliases]));
  const hint = guess === undefined ? "/help lists them" : `did you mean /${guess}?`;
  return new LuminaError("command.unknown", `Unknown command /${name.slice(0, 80)}: ${hint}`, {
    exit: EXIT.usage,
  });
}

function failed(error: unknown): BuiltinReply {
  const exit = error instanceof LuminaError ? error.exit : EXIT.failed;
  const code = error instanceof LuminaError ? { code: error.code } : {};
  return { kind: "error", message: errorMessage(error), exit, ...code };
}

/** What a person typed is what transcripts show; a text that stands for it travels before it. */
function promptOf(reply: BuiltinReply & { kind: "prompt" }, name: string): TakenCommand {
  const { prompt, display, hidden = false, turn = {} } = reply;
  const shared = { kind: "prompt" as const, turn, by: `/${name}` };
  return hidden
    ? { ...shared, text: display, context: `<command name="${name}">\n${prompt}\n</command>` }
    : { ...shared, text: prompt, context: "" };
}

/** A turn without a model. */
function answer(reply: Exclude<BuiltinReply, { kind: "prompt" }>, duration_ms: number): RunResult {
  const shared = {
    turns: 0,
    usage: NO_USAGE,
    models: {},
    cost_usd: 0,
    duration_ms,
    duration_api_ms: 0,
    denials: [],
  };
  if (reply.kind === "error") {
    return {
      ...shared,
      status: reply.code === INTERRUPTED ? "interrupted" : "failed",
      answer: "",
      error: { code: reply.code ?? "command.failed", message: reply.message },
      ...(reply.code === INTERRUPTED ? {} : { exit: reply.exit ?? EXIT.usage }),
    };
  }
  const next = reply.kind === "session"
    ? { session_id: reply.session_id }
    : reply.end
    ? "end" as const
    : undefined;
  return {
    ...shared,
    status: "success",
    answer: reply.text,
    ...(next === undefined ? {} : { next }),
  };
}

function isPath(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false; // nothing is there, or nothing that this process may look at
  }
}
