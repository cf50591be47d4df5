import type {
  HookContext,
  HookEvent,
  HookHandler,
  HookOutput,
  JsonObject,
  PluginServices,
} from "../lumina.d.ts";

/** What a test may decide about a call. */
export interface CallOptions {
  cwd?: string;
  signal?: AbortSignal;
  /** Stand-ins for the services that the hook uses; every other one is refused. */
  services?: Partial<PluginServices>;
}

/** Calls a hook the way the host does: `fields` are those of the event, such as `tool_name` and `tool_input`. */
export async function callHook(
  handler: HookHandler,
  event: HookEvent,
  fields: JsonObject,
  options: CallOptions = {},
): Promise<HookOutput | undefined> {
  const cwd = options.cwd ?? "/";
  const context: HookContext = {
    call_id: "test",
    cwd,
    read_roots: [],
    write_roots: [],
    config: {},
    signal: options.signal ?? new AbortController().signal,
    services: services(options.services ?? {}),
  };
  const input = {
    session_id: "test",
    transcript_path: "",
    cwd,
    hook_event_name: event,
    ...fields,
  };
  return await handler(input, context);
}

/** The given services; any other answers as a host that refuses. */
function services(given: Partial<PluginServices>): PluginServices {
  const refuse = new Proxy({}, {
    get: () => () =>
      Promise.reject(
        Object.assign(new Error("This test has no such service"), {
          code: "denied",
        }),
      ),
  });
  return new Proxy(given, {
    get: (target, name) => target[name as keyof PluginServices] ?? refuse,
  }) as PluginServices;
}
