import { join } from "node:path";
import type { CommandFiles } from "../commands/command_files.ts";
import type { FeatureScope, SessionFeature } from "./session_feature.ts";

/** Slash commands from Markdown files: those of the project, of the user and of packs. Looked for when they are asked for. */
export function commandFilesFeature(scope: FeatureScope): SessionFeature | undefined {
  if (scope.depth > 0) return undefined;
  let files: Promise<CommandFiles> | undefined;
  const loaded = () =>
    files ??= import("../commands/command_files.ts").then(({ CommandFiles }) => new CommandFiles(scope));
  return {
    participant: {
      name: "command_files",
      at: {
        session_start: async () => {
          if (!mayHaveFiles(scope.parts)) return;
          const [{ fileProblems }, agents] = await Promise.all([
            import("../commands/file_problems.ts"),
            scope.shared.agents?.types(),
          ]);
          for (const text of await fileProblems(scope.parts, agents?.problems)) {
            scope.tell({ type: "warning", text });
          }
        },
      },
    },
    commands: {
      list: async () => await (await loaded()).list(),
      run: async (name, args, signal) => await (await loaded()).run(name, args, signal),
    },
  };
}

/** A few looks at the disk, for every start of a session. */
function mayHaveFiles({ app_root, flags, located }: FeatureScope["parts"]): boolean {
  if (flags.bare) return false;
  const places = [
    join(located.project.root, ".Lumina"),
    join(located.project.root, ".claude"),
    app_root.configDir,
  ];
  return places.some((place) => {
    try {
      return [...Deno.readDirSync(place)].some(({ name }) => FOLDERS.includes(name));
    } catch {
      return false; // none, or one that whoever reads it will tell of
    }
  });
}

const FOLDERS = ["commands", "output-styles", "agents"];
