// Entry of the worker inside a pack's process. It holds exactly what was granted, and loads the pack's module from the
// verified bytes alone.
import { servePlugins } from "../../plugin_api/mod.ts";
import type { HookHandler, ServedPlugin, WorkerMessage, WorkerScope } from "../../plugin_api/mod.ts";
import type { LoadMessage } from "./init_frame.ts";
import { Outbox } from "./outbox.ts";
import { runtimeFault } from "./runtime_fault.ts";

const scope = self as unknown as Omit<WorkerScope, "postMessage" | "onmessage"> & {
  postMessage(message: WorkerMessage | "ready"): void;
  onmessage: ((event: MessageEvent<LoadMessage>) => void) | null;
};

scope.onmessage = ({ data }) => void load(data);
// the process gives up its own permissions before it sends anything
scope.postMessage("ready");

async function load({ pack, tools, hooks, entry }: LoadMessage): Promise<void> {
  logToStderr();
  tellOfTheEnd();
  let module: ServedPlugin;
  try {
    const fault = await runtimeFault();
    if (fault !== undefined) throw new Error(fault);
    const loaded: Record<string, unknown> = await import(`data:text/javascript;base64,${entry}`);
    module = { ...checked(loaded["default"], tools, hooks.length > 0), hooks: exportedHooks(loaded, hooks) };
  } catch (error) {
    scope.postMessage({ type: "failed", message: error instanceof Error ? error.message : String(error) });
    return;
  }
  const outbox = new Outbox((message) => scope.postMessage(message));
  servePlugins({
    postMessage: (message) => outbox.push(message),
    set onmessage(handler: WorkerScope["onmessage"]) {
      (self as unknown as WorkerScope).onmessage = handler;
    },
    close: () => {},
  }, { [pack]: () => Promise.resolve(module) });
}

/** What the default export brings; a pack that has hooks and no tool needs none. */
function checked(module: unknown, tools: readonly string[], has_hooks: boolean): ServedPlugin {
  const holder = typeof module === "object" && module !== null ? module : {};
  const found = "tools" in holder ? holder.tools : has_hooks && tools.length === 0 ? {} : undefined;
  if (typeof found !== "object" || found === null) throw new Error("its default export has no tools");
  for (const tool of tools) {
    if (!Object.hasOwn(found, tool) || typeof (found as Record<string, unknown>)[tool] !== "function") {
      throw new Error(`its default export has no tool ${tool}, which the manifest names`);
    }
  }
  const { busy, close } = holder as ServedPlugin;
  return {
    tools: found as ServedPlugin["tools"],
    ...(busy === undefined ? {} : { busy: () => busy.call(holder) }),
    ...(close === undefined ? {} : { close: () => close.call(holder) }),
  };
}

function exportedHooks(
  module: Record<string, unknown>,
  names: readonly string[],
): Record<string, HookHandler> {
  return Object.fromEntries(names.map((name) => {
    const handler = module[name];
    if (typeof handler !== "function") {
      throw new Error(`it does not export the function ${name}, which the manifest names as a hook`);
    }
    return [name, handler as HookHandler];
  }));
}

/** Standard output carries the messages, so what a pack logs goes to standard error. */
function logToStderr(): void {
  // deno-lint-ignore no-console -- this is what a pack's own logging is turned into
  const toStderr = (...values: unknown[]) => console.error(...values);
  Object.assign(console, {
    log: toStderr,
    info: toStderr,
    debug: toStderr,
    dir: toStderr,
    dirxml: toStderr,
    table: toStderr,
    group: toStderr,
    count: toStderr,
    timeLog: toStderr,
    timeEnd: toStderr,
  });
}

/** A worker that ends itself says nothing to whoever started it; this one does. */
function tellOfTheEnd(): void {
  const ended = (message: string) => () => {
    scope.postMessage({ type: "failed", message });
  };
  Object.defineProperty(Deno, "exit", { value: ended("it called Deno.exit"), configurable: true });
  Object.defineProperty(globalThis, "close", { value: ended("it closed its worker"), configurable: true });
}
