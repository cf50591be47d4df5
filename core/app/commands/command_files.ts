import { join } from "node:path";
import { EXIT, LuminaError } from "../../base/mod.ts";
import {
  findCommandFiles,
  positionalArguments,
  skillParts,
  splitWords,
  substitute,
} from "../../extension/mod.ts";
import type { CommandFile, CommandPlace, FileProblem, Skill } from "../../extension/mod.ts";
import type { CommandInfo, CommandReply, TurnLimits } from "../../types/mod.ts";
import type { FeatureScope } from "../features/session_feature.ts";
import { mentionedFiles } from "./mentioned_files.ts";

/** What says where command files are. */
export interface CommandPlaces {
  app_root: Pick<FeatureScope["parts"]["app_root"], "configDir">;
  catalog: Pick<FeatureScope["parts"]["catalog"], "packs">;
  flags: { bare: boolean };
  located: { project: { root: string } };
}

/** Where command files are looked for; the first that has a name wins: the project's folders, the user's, packs. */
export function commandPlaces(
  { app_root, catalog, flags, located: { project } }: CommandPlaces,
): CommandPlace[] {
  if (flags.bare) return [];
  const theirs = [".Lumina", ".claude"].map((folder): CommandPlace => ({
    source: "project",
    directory: join(project.root, folder, "commands"),
    within: project.root,
  }));
  return [
    ...theirs,
    { source: "user", directory: join(app_root.configDir, "commands") },
    ...catalog.packs.flatMap(({ id, directory, manifest }): CommandPlace[] => {
      const files = manifest.contributes.commands ?? [];
      return files.length === 0 ? [] : [{ source: "pack", directory, files, pack: id, within: directory }];
    }),
  ];
}

/** The command files of one session. */
export class CommandFiles {
  readonly #scope: FeatureScope;

  constructor(scope: FeatureScope) {
    this.#scope = scope;
  }

  /** The files as they are now, and what is wrong with some of them. */
  async look(): Promise<{ commands: CommandFile[]; problems: FileProblem[] }> {
    return await findCommandFiles(commandPlaces(this.#scope.parts));
  }

  async list(): Promise<CommandInfo[]> {
    const { commands } = await this.look();
    return commands.filter(({ user_invocable }) => user_invocable).map((command) => ({
      name: command.name,
      aliases: [],
      argument_hint: command.argument_hint,
      description: command.description,
      source: command.source,
      file: command.file,
    }));
  }

  /** The prompt that a command's file makes of what was typed. Throws `command.…`, `skill.…` and the signal's reason. */
  async run(name: string, args: string, signal: AbortSignal): Promise<CommandReply> {
    const { commands } = await this.look();
    const command = commands.find((each) => each.name === name);
    if (command === undefined) {
      throw new LuminaError("command.unknown", `The file of /${name} is not there any more`, {
        exit: EXIT.usage,
      });
    }
    const text = await this.#text(command, args, signal);
    const display = args === "" ? `/${name}` : `/${name} ${args}`;
    if (command.fork || command.agent !== undefined) {
      const call = JSON.stringify({
        subagent_type: command.agent ?? "general-purpose",
        description: `/${name}`,
        prompt: text,
        ...(command.model === undefined ? {} : { model: command.model }),
      });
      const prompt =
        `Call the Agent tool with ${call} now, once. Its result is for the person: answer with it.`;
      return { kind: "prompt", prompt, display, hidden: true };
    }
    return { kind: "prompt", prompt: text, display, turn: this.#limits(command), hidden: true };
  }

  /** The file's text with its arguments, the output of its commands and the files that it mentions. */
  async #text(command: CommandFile, args: string, signal: AbortSignal): Promise<string> {
    const { parts, session } = this.#scope;
    const { root } = parts.located.project;
    const values = { SESSION_ID: session.session_id, PROJECT_DIR: root };
    const given = {
      text: args,
      words: splitWords(args),
      names: command.arguments,
      variables: Object.fromEntries(
        Object.entries(values).flatMap((
          [key, value],
        ) => [[`LUMINA_${key}`, value], [`CLAUDE_${key}`, value]]),
      ),
    };
    let placed = false;
    const put = (text: string) => substitute(positionalArguments(text), given, () => placed = true);
    const pieces = skillParts(command.body);
    const mentions = pieces.flatMap((part) => part.kind === "text" ? [...part.text.matchAll(MENTION)] : [])
      .map(([, path = ""]) => put(path).trim());
    const made = pieces.map((part) =>
      part.kind === "command" ? { run: put(part.command) } : { text: put(part.text) }
    );
    const lines = made.flatMap(({ run }) => run ?? []);
    const outputs = lines.length === 0 ? [] : await this.#run(lines, command, signal);
    const body = made.map(({ text }) => text ?? outputs.shift() ?? "").join("").trim();
    const rest = placed || args === "" ? "" : `\n\nARGUMENTS: ${args}`;
    const files = mentions.length === 0
      ? ""
      : await mentionedFiles(mentions, root, await session.callPorts(signal), parts.world, signal);
    return body + rest + files;
  }

  async #run(lines: readonly string[], command: CommandFile, signal: AbortSignal): Promise<string[]> {
    const { parts, session } = this.#scope;
    const { settings } = parts.watch.current;
    if (!settings.skill_commands) {
      throw new LuminaError(
        "skill.command_refused",
        `/${command.name} was not run: its file runs commands, and the setting skill_commands is false`,
        { exit: EXIT.blocked },
      );
    }
    const { runSkillCommands } = await import("../features/skills/skill_commands.ts");
    const skill: Skill = { ...command, directory: command.file };
    return await runSkillCommands(lines, skill, await session.callPorts(signal), {
      session: parts.session,
      world: parts.world,
      max_chars: settings.skill_command_max_chars,
      signal,
      who: `/${command.name}`,
    });
  }

  /** A person's own file may allow; one of the repository or of a pack only leaves less. */
  #limits({ source, allowed_tools, model, effort }: CommandFile): TurnLimits {
    const { catalog } = this.#scope.parts;
    const named = (rule: string) => catalog.find((rule.split("(", 1)[0] ?? "").trim()) !== undefined;
    return {
      ...(allowed_tools === undefined
        ? {}
        : source === "user"
        ? { allow: allowed_tools.filter(named) }
        : { allowed_tools: [...allowed_tools] }),
      ...(model === undefined ? {} : { model }),
      ...(effort === undefined ? {} : { effort }),
    };
  }
}

/** `@path` where a word begins; the path may hold placeholders. */
const MENTION = /(?<![\w@`])@((?:\$\w+(?:\[\d+\])?|[\w~/.-])+)/g;
