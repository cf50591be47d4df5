import type { GatePort, ToolPort } from "../agent/mod.ts";
import type { Verdict } from "../types/mod.ts";

/**
 * What a run has read that is secret: from then on a call of this run that reaches the network is asked about. A call counts
 * when it starts, whether it reads to its end or not.
 */
export class RunTaint {
  #read: string | undefined;

  /** What was read first, as the call named it; undefined while nothing was. */
  get read(): string | undefined {
    return this.#read;
  }

  /** A new run has read nothing. */
  begin(): void {
    this.#read = undefined;
  }

  note({ reads_secret }: Verdict): void {
    this.#read ??= reads_secret;
  }

  /** The same gate, watched: what a pack reads through the host is judged and runs without a call of its own. */
  watchGate(gate: GatePort): GatePort {
    return {
      judge: async (tool, input) => {
        const verdict = await gate.judge(tool, input);
        if (verdict.behavior === "allow") this.note(verdict);
        return verdict;
      },
    };
  }

  /** The same tools, watched. */
  watch(tools: ToolPort): ToolPort {
    return {
      tools: tools.tools,
      find: (name) => tools.find(name),
      check: (tool, input) => tools.check(tool, input),
      prepare: (name) => tools.prepare(name),
      call: (tool, input, run) => {
        this.note(run.verdict);
        return tools.call(tool, input, run);
      },
    };
  }
}
