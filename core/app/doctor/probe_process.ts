import { join } from "node:path";
import { errorMessage, sha256 } from "../../base/mod.ts";
import type { DoctorCheck } from "../../cli/mod.ts";
import { attemptChecks } from "../../doctor/mod.ts";
import { emptyGrant } from "../../plugin_api/mod.ts";
import type { Pack } from "../../plugin_host/mod.ts";
import { ProcessTier } from "../../plugin_host/process/mod.ts";
import { ATTEMPT_CODE } from "./attempt_code.ts";
import type { AttemptInput, AttemptResult } from "./attempt_code.ts";
import type { ProbePlace } from "./probe_place.ts";

/** How long the process may take. */
const PROCESS_MS = 30_000;

/** A pack that was granted nothing tries what it must not be able to, in the process that packs run in. */
export async function* probeProcess(place: ProbePlace): AsyncIterable<DoctorCheck> {
  const layer = "process tier";
  const input: AttemptInput = {
    outside: place.outside,
    key_file: place.key_file,
    port: place.port,
    socket: place.socket,
    program: Deno.execPath(),
    closed_folder: place.workspace,
  };
  const code = `${ATTEMPT_CODE}
export default { tools: { probe: async (input) => ({ content: JSON.stringify(await attempts(input)) }) } };`;
  const entry = new TextEncoder().encode(code);
  const tier = new ProcessTier();
  try {
    const { content } = await tier.call({
      pack: probePack(entry, join(place.outside, "pack")),
      entry: () => Promise.resolve(entry),
      tool: "probe",
      input: { ...input, closed_folder: place.workspace },
      context: {
        call_id: "doctor",
        cwd: place.workspace,
        read_roots: [],
        write_roots: [],
        deny_read: [],
        deny_write: [],
        seen: {},
        spill_dir: place.spill_dir,
        child_env: {},
        config: {},
      },
      grant: emptyGrant(),
      timeout_ms: PROCESS_MS,
      signal: AbortSignal.timeout(PROCESS_MS),
      progress() {},
    });
    const results = JSON.parse(content) as AttemptResult[];
    const fix = "this program does not hold what it should: report it, and switch plugins of others off";
    yield* attemptChecks(layer, results, fix);
  } catch (error) {
    const fix = "plugins of others cannot run here; the line says why";
    yield { layer, what: "start a process", status: "failed", found: errorMessage(error), fix };
  } finally {
    await tier.close();
  }
}

function probePack(entry: Uint8Array, folder: string): Pack {
  return {
    id: "doctor_probe",
    scope: "user",
    directory: folder,
    data_dir: folder,
    version: "1.0.0",
    enabled: true,
    grant: [],
    files: { "mod.js": sha256(entry) },
    manifest: {
      id: "doctor_probe",
      version: "1.0.0",
      api: 1,
      title: "What a pack without a grant can do",
      kinds: ["tools"],
      entry: "mod.js",
      capabilities: [],
      contributes: {
        tools: [{
          name: "probe",
          aliases: [],
          description: "Tries what it must not be able to.",
          input_schema: {},
          effect: "none",
          subject: { kind: "none" },
          capabilities: [],
          programs: [],
          parallel: true,
          repeat: "mark",
          timeout_ms: PROCESS_MS,
        }],
      },
    },
  };
}
