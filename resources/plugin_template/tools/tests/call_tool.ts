import type { JsonObject, PluginModule, PluginServices, ToolContext } from "../lumina.d.ts";

/** What a test may decide about a call. */
export interface CallOptions {
  cwd?: string;
  signal?: AbortSignal;
  /** Stand-ins for the services that the tool uses; every other one is refused. */
  services?: Partial<PluginServices>;
}

/** Calls a tool the way the host does: the result is what it wrote, then the content of its outcome. */
export async function callTool(
  pack: PluginModule,
  name: string,
  input: JsonObject,
  options: CallOptions = {},
): Promise<{ content: string; is_error: boolean }> {
  const handler = pack.tools[name];
  if (handler === undefined) throw new Error(`The pack has no tool ${name}`);
  const cwd = options.cwd ?? "/";
  const signal = options.signal ?? new AbortController().signal;
  const chunks: string[] = [];
  const context: ToolContext = {
    call_id: "test",
    cwd,
    read_roots: [cwd],
    write_roots: [cwd],
    deny_read: [],
    deny_write: [],
    seen: {},
    spill_dir: cwd,
    child_env: {},
    config: {},
    signal,
    progress() {},
    write(text) {
      if (signal.aborted) return Promise.reject(signal.reason);
      chunks.push(text);
      return Promise.resolve();
    },
    services: services(options.services ?? {}),
  };
  try {
    const outcome = await handler(input, context);
    return { content: chunks.join("") + outcome.content, is_error: outcome.is_error ?? false };
  } catch (error) {
    // the host turns an exception into an error result
    return { content: error instanceof Error ? error.message : String(error), is_error: true };
  }
}

/** The given services; any other answers as a host that refuses. */
function services(given: Partial<PluginServices>): PluginServices {
  const refuse = new Proxy({}, {
    get: () => () =>
      Promise.reject(Object.assign(new Error("This test has no such service"), { code: "denied" })),
  });
  return new Proxy(given, {
    get: (target, name) => target[name as keyof PluginServices] ?? refuse,
  }) as PluginServices;
}
