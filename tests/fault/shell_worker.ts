import type { HostMessage, WorkerMessage } from "../../core/plugin_api/mod.ts";
import plugin from "../../plugins/tools_shell/mod.ts";

// The worker side of the tests' small host: one plugin, the messages of core/plugin_api.
const scope = self as unknown as {
  onmessage: (event: MessageEvent<HostMessage>) => void;
  postMessage: (message: WorkerMessage) => void;
  close(): void;
};
const running = new Map<number, AbortController>();

// The wall clock of this worker jumps an hour forth and back at every look: no time limit may depend on it.
let looks = 0;
const HOUR_MS = 3_600_000;
Date.now = () => (looks++ % 2) * HOUR_MS;

scope.onmessage = async ({ data }) => {
  if (data.type === "cancel") return running.get(data.id)?.abort(new Error(data.reason));
  if (data.type === "close") {
    await plugin.close?.();
    scope.postMessage({ type: "closed" });
    return scope.close();
  }
  const { id, tool, input, context } = data;
  const abort = new AbortController();
  running.set(id, abort);
  const handler = plugin.tools[tool];
  try {
    if (!handler) throw new Error(`no tool ${tool}`);
    const outcome = await handler(input, {
      ...context,
      signal: abort.signal,
      progress: (text) => scope.postMessage({ type: "progress", id, text }),
    });
    scope.postMessage({ type: "outcome", id, outcome, busy: plugin.busy?.() ?? false });
  } catch (error) {
    const content = error instanceof Error ? error.message : String(error);
    scope.postMessage({ type: "outcome", id, outcome: { content, is_error: true }, busy: false });
  } finally {
    running.delete(id);
  }
};
