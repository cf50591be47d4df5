import { fileURLToPath } from "node:url";
import { projectIdentity, startDirectory } from "../app_root/mod.ts";
import type { AppRoot } from "../app_root/mod.ts";
import { EXIT, LuminaError, nearest } from "../base/mod.ts";
import type { RunFlags } from "../cli/mod.ts";
import { loadSettings } from "../config/mod.ts";
import { explain } from "../permission/mod.ts";
import { readCatalog } from "../plugin_host/mod.ts";
import type { CatalogTool } from "../plugin_host/mod.ts";
import type { JsonObject } from "../types/mod.ts";
import { hasPacks } from "./plugins/has_packs.ts";
import { sessionPacks } from "./plugins/session_packs.ts";
import { sandboxPolicy } from "./sandbox_available.ts";
import { sessionPolicy } from "./session_policy.ts";

/** Says how a call written as `Tool(subject)` would be judged here and now. */
export async function explainCall(
  call: string,
  flags: RunFlags,
  app_root: AppRoot,
  home: string,
  root: URL,
): Promise<string[]> {
  const [, name, subject] = /^\s*([A-Za-z_][\w-]*)(?:\(([\s\S]*)\))?\s*$/.exec(call) ?? [];
  const project = projectIdentity(startDirectory(flags.cwd));
  const loaded = await loadSettings({ app_root, project_dir: project.root, env: Deno.env, home });
  const bundled = readCatalog(fileURLToPath(new URL("plugins", root)));
  const { disabled_plugins: disabled } = loaded.settings;
  const { catalog } = hasPacks(app_root, project)
    ? await sessionPacks({ bundled, app_root, project, root, disabled })
    : { catalog: bundled };
  const tool = name === undefined ? undefined : catalog.find(name);
  if (tool === undefined) {
    const guess = nearest(name ?? call, catalog.tools.map((known) => known.name));
    const hint = guess === undefined ? "" : `; did you mean ${guess}?`;
    throw new LuminaError(
      "cli.usage",
      `Cannot explain ${JSON.stringify(call)}: write Tool(subject), as in "Bash(git status)"${hint}`,
      {
        exit: EXIT.usage,
      },
    );
  }
  const policy = await sessionPolicy({
    loaded,
    flags,
    app_root,
    project,
    home,
    spill_dir: app_root.spillDir(project.id, "none"),
    kept: { source: { origin: "session", base_dir: project.root } },
    shell: { cwd: project.root },
    sandbox: await sandboxPolicy(project.root),
    env: Deno.env,
  });
  const verdict = await policy.gate.judge(tool, subjectInput(tool, subject ?? ""));
  const hidden = policy.hidden(tool) ? ["the tool is denied as a whole: the model does not see it"] : [];
  return [
    `mode ${policy.mode}`,
    ...hidden,
    ...explain(verdict),
    ...policy.warnings.map((text) => `warning: ${text}`),
  ];
}

function subjectInput(tool: CatalogTool, subject: string): JsonObject {
  return tool.subject.kind === "none" ? {} : { [tool.subject.param]: subject };
}
