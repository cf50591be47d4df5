import { dirname } from "node:path";
import { readInstructions, readInstructionsOf } from "../../agent/mod.ts";
import type { InstructionFile, InstructionOptions, RunScope } from "../../agent/mod.ts";
import { isInside } from "../../files/mod.ts";
import { contextMessages } from "../../session/mod.ts";
import { instructionOptions } from "../project_instructions.ts";
import type { FeatureScope, SessionFeature } from "./session_feature.ts";

const CHANGED = "The project's instructions have changed since the session began; this holds from now on:";

/**
 * Instructions that come while a session runs: those of a folder when the agent first touches something below it, and those
 * that a person changed, with the next prompt. The system prompt stays as it is, so that each request extends the one before.
 */
export function instructionsFeature({ parts, session }: FeatureScope): SessionFeature | undefined {
  if (parts.flags.bare) return undefined;
  const told = new Map(parts.instructions.map(({ path, text }) => [path, text]));
  /** Folders that have been looked at since the conversation was last compacted. */
  const looked = new Set<string>();
  const waiting: (InstructionFile & { directory: string })[] = [];
  /** What was told of folders below the project's own, by path. */
  const below = new Map<string, InstructionFile & { directory: string }>();
  let runs = 0;
  let compactions = 0;
  const options = (): InstructionOptions =>
    instructionOptions({
      start_dir: parts.located.project.root,
      fallback_dir: parts.app_root.instructionsDir,
      home: parts.home,
      window: session.model.window,
    }, parts.watch.current.settings);
  return {
    participant: {
      name: "instructions",
      at: {
        prompt: async ({ context }, run) => {
          if (runs++ === 0) {
            await loaded(run, parts.instructions, "session_start");
            return; // they are a part of the system prompt, as they are now
          }
          const { files, warnings } = readInstructions(options());
          const own = new Set(files.map(({ path }) => path));
          const nested = [...new Set([...below.values()].map(({ directory }) => directory))].flatMap(
            (directory) =>
              readInstructionsOf(directory, options(), own).files.map((file) => ({ ...file, directory })),
          );
          const changedBelow = nested.filter(({ path, text }) => below.get(path)?.text !== text);
          const goneBelow = [...below.keys()].filter((path) => !nested.some((file) => file.path === path));
          const changed = [...files.filter(({ path, text }) => told.get(path) !== text), ...changedBelow];
          const gone = [...[...told.keys()].filter((path) => !own.has(path)), ...goneBelow];
          if (changed.length + gone.length === 0) return;
          for (const text of warnings) run.emit({ type: "warning", text });
          told.clear();
          for (const { path, text } of files) told.set(path, text);
          for (const file of changedBelow) below.set(file.path, file);
          for (const path of goneBelow) below.delete(path);
          context.push(CHANGED, ...changed.map(block), ...gone.map(goneBlock));
          await loaded(run, changed, "include");
        },
        after_tool: ({ verdict }, run) => {
          const { root } = parts.located.project;
          const { state } = run.session;
          if (state.compactions.length !== compactions) looked.clear();
          compactions = state.compactions.length;
          for (const { resolved } of verdict.paths) {
            for (const directory of foldersBelow(root, resolved)) {
              if (looked.has(directory)) continue;
              looked.add(directory);
              const { files, warnings } = readInstructionsOf(directory, options(), new Set(told.keys()));
              for (const text of warnings) run.emit({ type: "warning", text });
              waiting.push(...files.map((file) => ({ ...file, directory })));
            }
          }
        },
        context: async ({ notes }, run) => {
          if (waiting.length === 0) return;
          const shown = JSON.stringify(contextMessages(run.session.state));
          const found = waiting.splice(0);
          for (const file of found) below.set(file.path, file);
          const fresh = found.filter((file) => !shown.includes(JSON.stringify(block(file)).slice(1, -1)));
          if (fresh.length === 0) return;
          notes.push(`Instructions for a folder that you work in:\n${fresh.map(block).join("\n")}`);
          await loaded(run, fresh, "nested_traversal");
        },
        // the system prompt says what held when the session was opened
        after_compaction: ({ notes }) => {
          const before = new Map(parts.instructions.map(({ path, text }) => [path, text]));
          const changed = [...told].filter(([path, text]) => before.get(path) !== text);
          const gone = [...before.keys()].filter((path) => !told.has(path));
          if (changed.length + gone.length === 0) return;
          const blocks = [...changed.map(([path, text]) => block({ path, text })), ...gone.map(goneBlock)];
          notes.push([CHANGED, ...blocks].join("\n"));
        },
      },
    },
  };
}

/** Tells hooks which files were read, and why. */
async function loaded(
  { hooks, signal }: RunScope,
  files: readonly InstructionFile[],
  load_reason: "session_start" | "nested_traversal" | "include",
): Promise<void> {
  if (hooks?.waits("InstructionsLoaded") !== true) return;
  for (const { path } of files) {
    const fields = { file_path: path, memory_type: "Project", load_reason };
    await hooks.run({ event: "InstructionsLoaded", subject: [load_reason], fields }, signal);
  }
}

/** The folders between the root and a path, outermost first, neither the root itself. */
function foldersBelow(root: string, path: string): string[] {
  const folders: string[] = [];
  for (let directory = dirname(path); directory !== root && isInside(root, directory);) {
    folders.unshift(directory);
    directory = dirname(directory);
  }
  return folders;
}

function block({ path, text }: InstructionFile): string {
  return `<instructions path="${path}">\n${text}\n</instructions>`;
}

function goneBlock(path: string): string {
  return `<instructions path="${path}">\nThis file is gone.\n</instructions>`;
}
