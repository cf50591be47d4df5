import { Compactor, contextUse } from "../agent/mod.ts";
import type { CompactReport, ContextUse, HookPort, RunScope, Stages, ToolPort } from "../agent/mod.ts";
import { LuminaError, sha256 } from "../base/mod.ts";
import type { OpenModel } from "../model/mod.ts";
import { join } from "node:path";
import { makePrivateDirectory } from "../app_root/mod.ts";
import type { RunEvent } from "../types/mod.ts";
import type { SessionParts } from "./session_parts.ts";

/** Files above this are not shown again after a compaction. */
const MOST_FILE_BYTES = 80_000;

/** What a session's conversation takes of its model's window, and what is done about it. */
export class SessionContext {
  readonly #parts: SessionParts;
  /** Keeps the conversation within the window; undefined where answers come from a recording, which has no window. */
  readonly compactor: Compactor | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    if (parts.watch.current.settings.api_type !== "replay") this.compactor = this.#compactor();
  }

  /** What the sub-agents of a run need for the same: each has a conversation of its own. */
  forChildren(): { compactor?: () => Compactor } {
    return this.compactor === undefined ? {} : { compactor: () => this.#compactor() };
  }

  /** What a run needs to keep its conversation within the window. */
  forRun(): { compactor?: Compactor } {
    return this.compactor === undefined ? {} : { compactor: this.compactor };
  }

  /** Who uses what of the window. */
  use(model: OpenModel, tools: ToolPort): ContextUse {
    const { session, watch, instructions } = this.#parts;
    return contextUse(session.state, {
      model: model.name,
      window: model.window,
      threshold: watch.current.settings.compaction_threshold,
      tools: tools.tools,
      instructions,
    });
  }

  /** Compacts between two runs; see `FeatureSession.compact`. */
  async compact(
    between: {
      model: OpenModel;
      tools: ToolPort;
      stages: Stages;
      hooks?: HookPort;
      emit(event: RunEvent): void;
    },
    instructions: string,
    signal: AbortSignal,
  ): Promise<CompactReport> {
    const { session, world } = this.#parts;
    const { model, tools, stages, hooks, emit } = between;
    if (session.state.run !== null) {
      throw new LuminaError("session.busy", "Cannot compact the conversation while a run goes on", {
        exit: 5,
      });
    }
    if (this.compactor === undefined) {
      throw new LuminaError(
        "agent.compaction_failed",
        "A replayed conversation is not compacted: it has no window",
      );
    }
    const scope: RunScope = { run_id: "", session, model, world, signal, emit };
    return await this.compactor.compact(
      {
        session,
        model,
        tools,
        stages,
        ...(hooks === undefined ? {} : { hooks }),
        scope,
        cost: (name, usage) => model.costOf(name, usage),
      },
      instructions,
      signal,
    );
  }

  #compactor(): Compactor {
    const { watch, world, files, makeModel, lockdown } = this.#parts;
    return new Compactor({
      world,
      threshold: () => watch.current.settings.compaction_threshold,
      prompt: () => Deno.readTextFile(new URL("resources/prompts/compaction.md", files.root)),
      summaryModel: async () => {
        const name = watch.current.settings.compaction_model;
        if (name === undefined || name === "") return undefined;
        const model = await makeModel((made) => ({ ...made, primary: { ...made.primary, model: name } }));
        return { model, close: () => model.close() };
      },
      readSeen,
      ...(lockdown === undefined ? { keep: (call_id, content) => this.#keep(call_id, content) } : {}),
    });
  }

  /** The place of a result in the session's own folder. */
  async #keep(call_id: string, content: string): Promise<string | undefined> {
    const { app_root, located } = this.#parts;
    const folder = app_root.spillDir(located.project.id, located.session_id);
    const file = join(folder, `result-${call_id}.txt`);
    try {
      makePrivateDirectory(folder);
      await Deno.writeTextFile(file, content, { mode: 0o600 });
      return file;
    } catch {
      return undefined; // a full or closed disk: the marker then says that the call would have to be made again
    }
  }
}

/** The text of a file that is still, byte for byte, what the model read; it learns nothing that it had not seen. */
async function readSeen(path: string, hash: string): Promise<string | undefined> {
  try {
    const { isFile, size } = await Deno.lstat(path);
    if (!isFile || size > MOST_FILE_BYTES) return undefined;
    const bytes = await Deno.readFile(path);
    return sha256(bytes) === hash ? new TextDecoder("utf-8", { fatal: true }).decode(bytes) : undefined;
  } catch {
    return undefined; // gone, closed or no text: it is named without its text
  }
}
