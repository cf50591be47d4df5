import { errorMessage } from "../../base/mod.ts";
import type { World } from "../../base/mod.ts";
import type { HookHandler, HookSource } from "../../extension/mod.ts";
import { packHooks } from "../../plugin_host/mod.ts";
import type { Pack, PackHook } from "../../plugin_host/mod.ts";
import type { HookEvent, HookInput, HookReply } from "../../types/mod.ts";
import type { PackCalls } from "./pack_calls.ts";

/** What runs the hooks of packs. */
export type HookCalls = Pick<PackCalls, "callHook" | "isDisabled">;

/** How long a process may take to be started and loaded, and one that does not heed its cancellation to be ended, milliseconds. */
const START_MS = 22_000;

/**
 * The hooks of the packs that may run. Each is named by the id of its pack. What goes wrong in one is a reply that decides
 * nothing; a pack that is not tried again in this session has no hooks any more. Those of a project's pack never allow.
 */
export class PackHooks implements HookSource {
  readonly #hooks: readonly { pack: Pack; hook: PackHook; key: string }[];
  readonly #calls: HookCalls;
  readonly #world: Pick<World, "uuid">;
  readonly #off: (id: string) => boolean;

  /** @param off says of a pack's id whether the settings of the moment switch it off. */
  constructor(
    packs: readonly Pack[],
    calls: HookCalls,
    world: Pick<World, "uuid">,
    off: (id: string) => boolean,
  ) {
    this.#hooks = packs.flatMap((pack) =>
      packHooks(pack.manifest).map((hook, index) => ({ pack, hook, key: `pack:${pack.id}:${index}` }))
    );
    this.#calls = calls;
    this.#world = world;
    this.#off = off;
  }

  /** True where no pack brings a hook. */
  get empty(): boolean {
    return this.#hooks.length === 0;
  }

  handlers(event: HookEvent): readonly HookHandler[] {
    return this.#hooks.filter(({ pack, hook }) =>
      hook.event === event && !this.#off(pack.id) && !this.#calls.isDisabled(pack.id)
    ).map(({ pack, hook, key }) => ({
      name: pack.id,
      source: pack.scope === "project" ? "repo" : "pack",
      event,
      ...(hook.matcher === undefined ? {} : { matcher: hook.matcher }),
      key,
      // the pack's process keeps to the hook's own time, which counts from when it has been loaded
      timeout_ms: hook.timeout_ms + START_MS,
      run: (input, signal) => this.#run(pack, hook, input, signal),
    }));
  }

  async #run(pack: Pack, hook: PackHook, input: HookInput, signal: AbortSignal): Promise<HookReply> {
    try {
      const call_id = `hook-${this.#world.uuid()}`;
      const { content, is_error, data } = await this.#calls.callHook(pack, hook, input, call_id, signal);
      if (is_error === true) return { kind: "error", message: oneLine(content, pack.id) };
      return data === undefined ? { kind: "none" } : { kind: "json", value: data };
    } catch (error) {
      signal.throwIfAborted();
      return { kind: "error", message: oneLine(errorMessage(error), pack.id) };
    }
  }
}

/** The pack's name stands before it already, and what a pack throws may be of any form. */
function oneLine(text: string, id: string): string {
  const line = text.replace(`Pack "${id}": `, "").replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  return line.length > 500 ? `${line.slice(0, 499)}…` : line;
}
