import { childEnvironment } from "../../../config/mod.ts";
import type { FeatureScope, SessionFeature } from "../session_feature.ts";
import type { Watched } from "./language_servers.ts";

/** What language servers find in files that a call has changed, below the call's result. */
export function diagnosticsFeature({ depth, parts, shared, tell }: FeatureScope): SessionFeature | undefined {
  // a program leaves what a locked run has given up behind
  if (parts.lockdown !== undefined) return undefined;
  const settings = () => parts.watch.current.settings;
  const watched = new Map<string, Watched[]>();
  return {
    participant: {
      name: "diagnostics",
      at: {
        async before_tool({ tool, block, verdict }, { signal, world }) {
          const { lsp_servers } = settings();
          if (tool.effect !== "write" || Object.keys(lsp_servers).length === 0) return;
          const paths = verdict.paths.filter(({ access }) => access === "write").map(({ resolved }) =>
            resolved
          );
          if (paths.length === 0) return;
          const { LanguageServers } = await import("./language_servers.ts");
          const servers = shared.language_servers ??= new LanguageServers({
            workspace: parts.located.project.root,
            path: parts.env.get("PATH"),
            env: childEnvironment(parts.env, settings()),
            world,
            warn: (text) => tell({ type: "warning", text }),
          });
          watched.set(block.call_id, servers.watch(paths, lsp_servers, signal));
        },
        async after_tool(moment, { signal }) {
          const mine = watched.get(moment.block.call_id) ?? [];
          watched.delete(moment.block.call_id);
          const { language_servers: servers } = shared;
          if (servers === undefined || mine.length === 0 || moment.outcome.is_error === true) return;
          const { lsp_servers, lsp_timeout_ms } = settings();
          const found = await servers.report(mine, lsp_servers, lsp_timeout_ms, signal);
          if (found === "") return;
          moment.outcome = { ...moment.outcome, content: `${moment.outcome.content}${found}` };
        },
      },
    },
    // one set of servers for all agents of a session
    close: async () => {
      if (depth === 0) await shared.language_servers?.close();
    },
  };
}
