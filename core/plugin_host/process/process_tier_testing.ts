import { sha256 } from "../../base/mod.ts";
import { emptyGrant } from "../../plugin_api/mod.ts";
import type {
  CallContext,
  CapabilityRequest,
  Contributions,
  PackLimits,
  ToolOutcome,
} from "../../plugin_api/mod.ts";
import type { PackCall } from "../packs/pack_call.ts";
import type { Pack } from "../packs/pack.ts";
import { ProcessTier } from "./process_tier.ts";
import type { CrashInfo, ProcessTierOptions } from "./process_tier.ts";
import type { QuotaTrip } from "./quota.ts";

type ServiceKind = Extract<CapabilityRequest, string>;

/** A pack that is one text of JavaScript, and the tier that runs it. */
export interface TestPack extends AsyncDisposable {
  tier: ProcessTier;
  trips: QuotaTrip[];
  crashes: CrashInfo[];
  data_dir: string;
  call(tool: string, options?: Partial<PackCall>): Promise<ToolOutcome>;
  /** The one line of a call that fails, and its code. */
  failure(tool: string, options?: Partial<PackCall>): Promise<{ code: string; message: string }>;
}

const context: CallContext = {
  call_id: "call-1",
  cwd: "/",
  read_roots: [],
  write_roots: [],
  deny_read: [],
  deny_write: [],
  seen: {},
  spill_dir: "/",
  child_env: {},
  config: {},
};

/** @param source the module; `tools` in it are the bodies of async functions `(input, context)`, by name. */
export async function testPack(
  source: string | Record<string, string>,
  options: ProcessTierOptions & {
    own_limits?: Partial<PackLimits>;
    files?: Record<string, string>;
    /** What tools name, by tool; the pack asks for all of it and has it. */
    capabilities?: Record<string, ServiceKind[]>;
    hooks?: Contributions["hooks"];
  } = {},
): Promise<TestPack> {
  const { own_limits, files, capabilities = {}, hooks, ...tier_options } = options;
  const asked = [...new Set(Object.values(capabilities).flat())];
  const text = typeof source === "string" ? source : toolsModule(source);
  const entry = new TextEncoder().encode(text);
  const data_dir = await Deno.realPath(await Deno.makeTempDir({ prefix: "lumina-pack-" }));
  const trips: QuotaTrip[] = [];
  const crashes: CrashInfo[] = [];
  const names = typeof source === "string" ? [] : Object.keys(source);
  const pack: Pack = {
    id: "sample",
    scope: "user",
    directory: data_dir,
    version: "1.0.0",
    enabled: true,
    grant: asked,
    files: files ?? { "mod.js": sha256(entry) },
    data_dir,
    manifest: {
      id: "sample",
      version: "1.0.0",
      api: 1,
      title: "Sample",
      kinds: ["tools"],
      entry: "mod.js",
      capabilities: asked,
      ...(own_limits === undefined ? {} : { limits: own_limits }),
      contributes: {
        ...(hooks === undefined ? {} : { hooks }),
        tools: names.map((name) => ({
          name,
          aliases: [],
          description: name,
          input_schema: {},
          effect: "none",
          subject: { kind: "none" },
          capabilities: capabilities[name] ?? [],
          programs: [],
          parallel: true,
          repeat: "mark",
          timeout_ms: 20_000,
        })),
      },
    },
  };
  const tier = new ProcessTier({
    back_off_ms: [0, 0, 0, 0],
    onQuota: (trip) => trips.push(trip),
    onCrash: (info) => crashes.push(info),
    ...tier_options,
  });
  const call = (tool: string, more: Partial<PackCall> = {}): Promise<ToolOutcome> =>
    tier.call({
      pack,
      entry: () => Promise.resolve(entry),
      tool,
      input: {},
      context,
      grant: emptyGrant(),
      timeout_ms: 20_000,
      signal: new AbortController().signal,
      progress: () => {},
      ...more,
    });
  return {
    tier,
    trips,
    crashes,
    data_dir,
    call,
    async failure(tool, more) {
      try {
        const outcome = await call(tool, more);
        throw new Error(`The call gave ${JSON.stringify(outcome).slice(0, 200)}`);
      } catch (error) {
        const { code, message } = error as { code?: string; message: string };
        if (code === undefined) throw error;
        return { code, message };
      }
    },
    async [Symbol.asyncDispose]() {
      await tier.close();
      await Deno.remove(data_dir, { recursive: true });
    },
  };
}

function toolsModule(tools: Record<string, string>): string {
  const bodies = Object.entries(tools).map(([name, body]) =>
    `${name}: async (input, context) => { ${body} }`
  );
  // a message as the host would get it from the worker, written past everything to standard output
  return `const raw = (value) => {
    const body = typeof value === "string" ? new TextEncoder().encode(value) : new TextEncoder().encode(JSON.stringify(value));
    const frame = new Uint8Array(4 + body.length);
    new DataView(frame.buffer).setUint32(0, body.length);
    frame.set(body, 4);
    for (let at = 0; at < frame.length;) at += Deno.stdout.writeSync(frame.subarray(at));
  };
  export default { tools: { ${bodies.join(",\n")} } };`;
}
