import { errorMessage } from "../../base/mod.ts";
import type { Grant } from "../../plugin_api/mod.ts";
import { InputValidator, WorkerTier } from "../../plugin_host/mod.ts";
import type { ToolCatalog } from "../../plugin_host/mod.ts";
import { PERMISSION_MODES } from "../../types/mod.ts";
import type { DoctorCheck } from "../../cli/mod.ts";
import { attemptChecks } from "../../doctor/mod.ts";
import type { Attempt } from "../../doctor/mod.ts";
import { SessionTools } from "../session_tools.ts";
import type { ToolScope } from "../session_tools.ts";
import { ATTEMPT_CODE } from "./attempt_code.ts";
import type { AttemptInput, AttemptResult } from "./attempt_code.ts";
import type { ProbePlace } from "./probe_place.ts";

/** How long a worker may take. */
const WORKER_MS = 20_000;

/** Takes down which grants a session would start workers with, and starts none. */
class GrantRecorder extends WorkerTier {
  readonly grants = new Map<string, Grant>();

  override warm(grant: Grant): void {
    this.grants.set(JSON.stringify(grant), grant);
  }
}

/** For each mode: workers with exactly the grants of the bundled tools try what they must not be able to. */
export async function* probeWorkers(
  place: ProbePlace,
  catalog: ToolCatalog,
  scope: ToolScope,
  entry: URL,
): AsyncIterable<DoctorCheck> {
  for (const mode of PERMISSION_MODES) {
    const recorder = new GrantRecorder(entry);
    const tools = new SessionTools(catalog, recorder, new InputValidator(), { ...scope, mode });
    for (const { name } of tools.tools) tools.prepare(name);
    const input: AttemptInput = {
      outside: place.outside,
      key_file: place.key_file,
      port: place.port,
      socket: place.socket,
      program: Deno.execPath(),
      closed_folder: mode === "plan" ? place.workspace : undefined,
    };
    const failed: Attempt[] = [];
    let tried: string[] = [];
    for (const grant of recorder.grants.values()) {
      const results = await inWorker(grant, input);
      tried = results.map(({ what }) => what);
      failed.push(...results.filter(({ held }) => !held));
    }
    const layer = "worker tier";
    if (failed.length > 0) {
      const fix =
        "this program does not hold what it should: report it, and do not use it for work you do not trust";
      yield* attemptChecks(
        layer,
        failed.map((each) => ({ ...each, what: `mode ${mode}: ${each.what}` })),
        fix,
      );
    } else {
      const found = `${recorder.grants.size} grants: ${tried.join(", ")}`;
      yield { layer, what: `mode ${mode}: what no grant names`, status: "ok", found };
    }
  }
}

/** Runs the attempts in a worker with a grant. */
async function inWorker(grant: Grant, input: AttemptInput): Promise<AttemptResult[]> {
  const code =
    `${ATTEMPT_CODE}\nself.onmessage = async ({ data }) => self.postMessage(await attempts(data));`;
  const worker = new Worker(`data:text/javascript,${encodeURIComponent(code)}`, {
    type: "module",
    deno: { permissions: { ...grant, ffi: [], import: [] } },
  } as WorkerOptions);
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    return await new Promise<AttemptResult[]>((resolve, reject) => {
      timer = setTimeout(() => reject(new Error("the worker does not answer")), WORKER_MS);
      worker.onmessage = ({ data }: MessageEvent<AttemptResult[]>) => resolve(data);
      worker.onerror = (event) => {
        event.preventDefault();
        reject(new Error(event.message));
      };
      worker.postMessage(input);
    });
  } catch (error) {
    return [{ what: "start a worker", held: false, found: errorMessage(error) }];
  } finally {
    clearTimeout(timer);
    worker.terminate();
  }
}
