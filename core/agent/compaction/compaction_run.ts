import type { Model } from "../../model/mod.ts";
import type { Session } from "../../session/mod.ts";
import type { Usage } from "../../types/mod.ts";
import type { HookPort, ToolPort } from "../ports.ts";
import type { RunScope, Stages } from "../stages.ts";

/** The run in which a conversation is compacted, or what stands for one between two runs. */
export interface CompactionRun {
  session: Session;
  model: Model;
  tools: Pick<ToolPort, "tools" | "find">;
  stages?: Stages;
  hooks?: HookPort;
  scope: RunScope;
  /** What holds for the whole run and came with its prompt: said again when that is gone. */
  standing?: string;
  cost(model: string, usage: Usage): number | null;
  /** Told of what each request for a summary used. */
  used?(use: { model: string; usage: Usage; cost_usd: number | null }): void;
}
