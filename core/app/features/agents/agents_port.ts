import { projectIdentity, startDirectory } from "../../../app_root/mod.ts";
import type { AppRoot } from "../../../app_root/mod.ts";
import type { AgentsPort } from "../../../cli/mod.ts";
import { loadSettings } from "../../../config/mod.ts";
import { agentTypes } from "./agent_types.ts";
import { Worktrees } from "./worktree.ts";

/** `lumina agents …` over the files of a project. Throws `config.…` and `cli.usage`. */
export function agentsPort(
  { app_root, home, root }: { app_root: AppRoot; home: string; root: URL },
): AgentsPort {
  const worktreesOf = async (cwd: string | undefined) => {
    const project = projectIdentity(startDirectory(cwd));
    const env = Deno.env;
    const loaded = await loadSettings({ app_root, project_dir: project.root, env, home });
    return new Worktrees({ project_root: project.root, env, settings: () => loaded.settings });
  };
  const never = new AbortController().signal;
  return {
    async list({ cwd }) {
      const project = projectIdentity(startDirectory(cwd));
      const { types, problems } = await agentTypes({
        files: { root },
        app_root,
        project_root: project.root,
      });
      return {
        agents: types.map((type) => ({
          name: type.name,
          description: type.description,
          source: type.source,
          file: type.file ?? null,
          tools: type.tools === undefined ? null : [...type.tools],
          disallowed_tools: [...type.disallowed_tools],
          model: type.model ?? null,
          max_turns: type.max_turns ?? null,
          permission_mode: type.permission_mode ?? null,
          background: type.background,
          isolation: type.isolation ?? null,
        })),
        worktrees: await (await worktreesOf(cwd)).list(never),
        problems: problems.map(({ file, line, message }) =>
          `${file}${line === undefined ? "" : `:${line}`}: ${message}`
        ),
      };
    },
    async prune({ cwd }) {
      const worktrees = await worktreesOf(cwd);
      const removed: { path: string; branch: string }[] = [];
      const kept: { path: string; branch: string }[] = [];
      for (const worktree of await worktrees.list(never)) {
        (await worktrees.removeClean(worktree, never) ? removed : kept).push(worktree);
      }
      return { removed, kept };
    },
  };
}
