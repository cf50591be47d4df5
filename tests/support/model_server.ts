import { runSharedTool, type Skip } from "./shared_tool.ts";

/** A real model server on loopback: OpenAI's wire under `/v1`, Anthropic's at `/v1/messages`. */
export interface ModelServer extends AsyncDisposable {
  /** Without a path. */
  url: string;
}

/**
 * Starts the real model server with a window of `context` tokens, or says why there is none. Disposing stops it, unless it
 * was already running.
 */
export async function startModelServer(context = 8192): Promise<ModelServer | Skip> {
  const status = await runSharedTool("model-server", "status");
  if ("skip" in status) return status;
  const was_up = /^chat: up/m.test(status.stdout);
  const started = await runSharedTool("model-server", "chat-start", String(context));
  if ("skip" in started) return started;
  const url = /^LUMINA_TEST_MODEL_URL=(\S+)$/m.exec(started.stdout)?.[1];
  if (url === undefined) throw new Error(`model-server printed no address: ${started.stdout}`);
  return {
    url,
    async [Symbol.asyncDispose]() {
      if (!was_up) await runSharedTool("model-server", "chat-stop");
    },
  };
}
