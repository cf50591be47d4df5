import type { Json, JsonObject } from "../types/mod.ts";
import type { PluginServices, ServiceName } from "./services.ts";

/** Sends one request to a service; rejects with an error that has a `code`. */
export type ServiceRequest = (service: ServiceName, method: string, params: JsonObject) => Promise<Json>;

/** The services as a plugin sees them, over `request`. The host checks what comes and what it gives. */
export function serviceClient(request: ServiceRequest): PluginServices {
  /** Absent and undefined are the same on the wire. */
  const ask = async <T>(service: ServiceName, method: string, params: Record<string, unknown>): Promise<T> =>
    await request(service, method, JSON.parse(JSON.stringify(params))) as T;
  return {
    model: { complete: (options) => ask("model", "complete", options) },
    artifact: {
      put: (name, content) => ask("artifact", "put", { name, content }),
      get: (name) => ask("artifact", "get", { name }),
      list: () => ask("artifact", "list", {}),
    },
    ask: { question: (text, options) => ask("ask", "question", { text, options }) },
    session: { messages: (options) => ask("session", "messages", { ...options }) },
    tasks: {
      list: () => ask("tasks", "list", {}),
      create: (task) => ask("tasks", "create", { task }),
      update: (id, change) => ask("tasks", "update", { id, change }),
    },
    journal: { emit: (name, data) => ask("journal", "emit", { name, data }) },
    fs: {
      read: (path) => ask("fs", "read", { path }),
      write: (path, content) => ask("fs", "write", { path, content }),
      list: (path) => ask("fs", "list", { path }),
    },
    net: { fetch: (url, options) => ask("net", "fetch", { url, ...options }) },
    log: { write: (level, text) => ask("log", "write", { level, text }) },
    config: { get: () => ask("config", "get", {}) },
  };
}

/** What a plugin reads when the host refuses a request. */
export class ServiceError extends Error {
  override name = "ServiceError";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
