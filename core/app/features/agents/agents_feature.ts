import type { HostTool } from "../../../agent/mod.ts";
import type { FeatureScope, SessionFeature } from "../session_feature.ts";
import type { AgentManager } from "./agent_manager.ts";
import type { SubAgents } from "./sub_agents.ts";

/** Sub-agents: the tools that start, read and stop them, and what the model is told of them with a prompt. */
export function agentsFeature(scope: FeatureScope): SessionFeature | undefined {
  const { lockdown, watch } = scope.parts;
  // a locked run has no place of its own for anybody else
  if (lockdown !== undefined || scope.depth >= watch.current.settings.agent_max_depth) return undefined;
  let made: Promise<AgentManager> | undefined;
  let manager: AgentManager | undefined;
  const load = () =>
    made ??= import("./agent_manager.ts").then(({ AgentManager }) => manager = new AgentManager(scope));
  const agents: SubAgents = {
    run: async (request, signal) => await (await load()).run(request, signal),
    types: async () => await (await load()).types(),
  };
  scope.shared.agents = agents;
  const tool = (name: "Agent" | "AgentOutput" | "AgentStop"): HostTool => ({
    name,
    call: async (input, run) => {
      const { recording } = scope.parts;
      if (recording !== undefined) {
        return (await import("./recorded_outcome.ts")).recordedOutcome(recording, run.call_id);
      }
      const [{ callAgentTool }, manager] = await Promise.all([import("./agent_tools.ts"), load()]);
      return await callAgentTool(name, manager, input, run);
    },
  });
  let told = "";
  const listing = async () => (await import("./agent_listing.ts")).agentListing(scope);
  return {
    tools: [tool("Agent"), tool("AgentOutput"), tool("AgentStop")],
    participant: {
      name: "agents",
      at: {
        prompt: async ({ context }, run) => {
          if (run.session !== scope.parts.session) return;
          const interrupted = run.session.state.agents.filter(({ untold }) => untold !== undefined);
          if (interrupted.length > 0) {
            context.push((await import("./agent_listing.ts")).interruptedText(interrupted));
          }
          const types = await listing();
          if (types !== told && types !== "") context.push(types);
          told = types;
        },
        after_compaction: async ({ notes }) => {
          if (told !== "") notes.push(await listing());
        },
      },
    },
    besideUse: () => manager?.besideUse() ?? [],
    besideDenied: () => manager?.besideDenied() ?? [],
    awaits: () => (manager?.background ?? 0) > 0,
    close: async () => await (await made)?.close(),
  };
}
