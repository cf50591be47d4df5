import type { Json, JsonObject } from "../types/mod.ts";

/** The services of the host, each behind the capability of its name (`fs` and `net` behind `fs.read`, `fs.write`, `net`). */
export const SERVICE_NAMES = [
  "model",
  "artifact",
  "ask",
  "session",
  "tasks",
  "journal",
  "fs",
  "net",
  "log",
  "config",
] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

/**
 * What a tool may ask of the host during a call. Each method rejects with an error whose `code` says why: `denied` (no
 * capability, or the rules of the session say no), `quota`, `invalid`, `unavailable`, `failed`.
 */
export interface PluginServices {
  model: {
    /** One answer of the session's model, from the pack's own budget of tokens. */
    complete(request: { system?: string; prompt: string; max_tokens?: number }): Promise<{ text: string }>;
  };
  /** Files of this session that belong to the pack. */
  artifact: {
    put(name: string, content: string): Promise<{ name: string; bytes: number }>;
    get(name: string): Promise<string>;
    list(): Promise<{ name: string; bytes: number }[]>;
  };
  ask: {
    /** Asks the person; rejects with `unavailable` where nobody can be asked. */
    question(text: string, options?: string[]): Promise<string>;
  };
  session: {
    /** The conversation's texts, newest last; never what tools were given or gave. */
    messages(options?: { limit?: number }): Promise<{ role: "user" | "assistant"; text: string }[]>;
  };
  tasks: {
    list(): Promise<Json[]>;
    create(task: JsonObject): Promise<Json>;
    update(id: string, change: JsonObject): Promise<Json>;
  };
  journal: {
    /** Records something of the pack's own in the session, at most 16 KiB. */
    emit(name: string, data: JsonObject): Promise<void>;
  };
  /** Files, judged as the session's rules say; for packs without a grant of their own. */
  fs: {
    read(path: string): Promise<string>;
    write(path: string, content: string): Promise<void>;
    list(path: string): Promise<{ name: string; kind: "file" | "directory" | "link" }[]>;
  };
  net: {
    /** A GET or POST through the host; every hop is judged. */
    fetch(
      url: string,
      options?: { method?: "GET" | "POST"; headers?: Record<string, string>; body?: string },
    ): Promise<{ status: number; headers: Record<string, string>; body: string }>;
  };
  log: {
    /** For people: shown with the pack's name; never in the conversation. */
    write(level: "info" | "warning", text: string): Promise<void>;
  };
  config: {
    /** The pack's section of the settings, checked against its schema. */
    get(): Promise<JsonObject>;
  };
}
