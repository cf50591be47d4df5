import type { HostMessage, WorkerMessage } from "./rpc.ts";
import { RPC_VERSION } from "./rpc.ts";
import type { PluginModule, ToolOutcome } from "./tool.ts";

/** The part of a worker's global scope that serving needs. */
export interface WorkerScope {
  postMessage(message: WorkerMessage): void;
  onmessage: ((event: MessageEvent<HostMessage>) => void) | null;
  close(): void;
}

/**
 * Serves plugins inside a worker: answers calls from the host until it says close. Each plugin is loaded at its
 * first call. Never throws; a handler's exception becomes an error outcome with its message.
 */
export function servePlugins(
  scope: WorkerScope,
  loaders: Readonly<Record<string, () => Promise<PluginModule>>>,
): void {
  const loaded = new Map<string, Promise<PluginModule>>();
  const ready = new Set<PluginModule>();
  const running = new Map<number, AbortController>();

  const load = (id: string): Promise<PluginModule> => {
    let plugin = loaded.get(id);
    if (plugin === undefined) {
      const loader = loaders[id];
      if (loader === undefined) throw new Error(`This worker has no plugin "${id}"`);
      plugin = loader();
      plugin.then((module) => ready.add(module), () => loaded.delete(id));
      loaded.set(id, plugin);
    }
    return plugin;
  };

  const call = async (message: HostMessage & { type: "call" }): Promise<void> => {
    const abort = new AbortController();
    running.set(message.id, abort);
    let outcome: ToolOutcome;
    try {
      const plugin = await load(message.plugin);
      const handler = plugin.tools[message.tool];
      if (handler === undefined) throw new Error(`Plugin "${message.plugin}" has no tool "${message.tool}"`);
      outcome = await handler(message.input, {
        ...message.context,
        signal: abort.signal,
        progress: (text) => scope.postMessage({ type: "progress", id: message.id, text }),
      });
    } catch (error) {
      outcome = { content: error instanceof Error ? error.message : String(error), is_error: true };
    }
    running.delete(message.id);
    scope.postMessage({ type: "outcome", id: message.id, outcome, busy: isBusy() });
  };

  const isBusy = () => running.size > 0 || [...ready].some((plugin) => plugin.busy?.() ?? false);

  const close = async (): Promise<void> => {
    for (const abort of running.values()) abort.abort(new Error("The host is closing"));
    await Promise.allSettled([...ready].map((plugin) => plugin.close?.()));
    scope.postMessage({ type: "closed" });
  };

  scope.onmessage = ({ data }) => {
    if (data.type === "call") void call(data);
    else if (data.type === "cancel") running.get(data.id)?.abort(new Error(data.reason));
    else void close();
  };
  scope.postMessage({ type: "hello", version: RPC_VERSION });
}
