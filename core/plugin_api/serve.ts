import type { Json, JsonObject } from "../types/mod.ts";
import { Credit } from "./credit.ts";
import type { HostMessage, WorkerMessage } from "./rpc.ts";
import { API_VERSION, RPC_VERSION } from "./rpc.ts";
import { serviceClient, ServiceError } from "./service_client.ts";
import { answerHook } from "./answer_hook.ts";
import type { HookHandler } from "./hook.ts";
import type { PluginModule, ToolContext, ToolOutcome } from "./tool.ts";

/** A plugin as it is served: its module, and its exports that answer events. */
export interface ServedPlugin extends PluginModule {
  hooks?: Readonly<Record<string, HookHandler>>;
}

/** The part of a worker's global scope that serving needs. */
export interface WorkerScope {
  postMessage(message: WorkerMessage): void;
  onmessage: ((event: MessageEvent<HostMessage>) => void) | null;
  close(): void;
}

interface RunningCall {
  abort: AbortController;
  credit: Credit;
}

/**
 * Serves plugins inside a worker: answers calls from the host until it says close. Each plugin is loaded at its
 * first call. Never throws; a handler's exception becomes an error outcome with its message.
 */
export function servePlugins(
  scope: WorkerScope,
  loaders: Readonly<Record<string, () => Promise<ServedPlugin>>>,
): void {
  const loaded = new Map<string, Promise<ServedPlugin>>();
  const ready = new Set<ServedPlugin>();
  const running = new Map<number, RunningCall>();
  const requests = new Map<number, { resolve(value: Json): void; reject(error: unknown): void }>();
  let last_request = 0;

  const load = (id: string): Promise<ServedPlugin> => {
    let plugin = loaded.get(id);
    if (plugin === undefined) {
      const loader = loaders[id];
      if (loader === undefined) throw new Error(`This worker has no plugin "${id}"`);
      plugin = loader();
      plugin.then((module) => {
        ready.add(module);
        module.connect?.((data) => scope.postMessage({ type: "notice", plugin: id, data }));
      }, () => loaded.delete(id));
      loaded.set(id, plugin);
    }
    return plugin;
  };

  const call = async (message: HostMessage & { type: "call" }): Promise<void> => {
    const { id } = message;
    const abort = new AbortController();
    const credit = new Credit(abort.signal);
    running.set(id, { abort, credit });
    let outcome: ToolOutcome;
    try {
      const plugin = await load(message.plugin);
      const context: ToolContext = {
        ...message.context,
        signal: abort.signal,
        progress: (text) => scope.postMessage({ type: "progress", id, text }),
        write: async (text) => {
          for (const piece of credit.pieces(text)) {
            await credit.take(piece);
            scope.postMessage({ type: "chunk", id, text: piece });
          }
        },
        services: serviceClient((service, method, params) => {
          const request = ++last_request;
          const answer = Promise.withResolvers<Json>();
          requests.set(request, answer);
          scope.postMessage({ type: "request", request, id, service, method, params });
          return answer.promise;
        }),
      };
      outcome = message.hook === undefined
        ? await callTool(message.plugin, plugin, message.tool, message.input, context)
        : await answerHook(plugin.hooks?.[message.hook], message.hook, message.input, context);
    } catch (error) {
      outcome = { content: error instanceof Error ? error.message : String(error), is_error: true };
    }
    running.delete(id);
    const busy = isBusy();
    try {
      scope.postMessage({ type: "outcome", id, outcome, busy });
    } catch (error) {
      const content = `The result of ${message.hook ?? message.tool} cannot be sent: ${
        error instanceof Error ? error.message : String(error)
      }`;
      scope.postMessage({ type: "outcome", id, outcome: { content, is_error: true }, busy });
    }
  };

  const isBusy = () => running.size > 0 || [...ready].some((plugin) => plugin.busy?.() ?? false);

  const close = async (): Promise<void> => {
    for (const { abort } of running.values()) abort.abort(new Error("The host is closing"));
    await Promise.allSettled([...ready].map((plugin) => plugin.close?.()));
    scope.postMessage({ type: "closed" });
  };

  const answer = (message: HostMessage & { type: "answer" }): void => {
    const waiting = requests.get(message.request);
    requests.delete(message.request);
    if (message.ok) waiting?.resolve(message.value);
    else waiting?.reject(new ServiceError(message.code, message.message));
  };

  scope.onmessage = ({ data }) => {
    switch (data.type) {
      case "call":
        return void call(data);
      case "cancel":
        return running.get(data.id)?.abort.abort(new Error(data.reason));
      case "credit":
        return running.get(data.id)?.credit.give(data.bytes);
      case "answer":
        return answer(data);
      case "close":
        return void close();
    }
  };
  scope.postMessage({ type: "hello", version: RPC_VERSION, api: API_VERSION });
}

async function callTool(
  id: string,
  plugin: PluginModule,
  tool: string,
  input: JsonObject,
  context: ToolContext,
): Promise<ToolOutcome> {
  const handler = plugin.tools[tool];
  if (handler === undefined) throw new Error(`Plugin "${id}" has no tool "${tool}"`);
  return await handler(input, context);
}
