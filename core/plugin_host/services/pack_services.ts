import { canonicalJson } from "../../base/mod.ts";
import { byteLength } from "../../plugin_api/mod.ts";
import type { Json } from "../../types/mod.ts";
import { ArtifactFiles } from "./artifact_files.ts";
import { requireCapability } from "./capability_scope.ts";
import { listFolder, readFile, writeFile } from "./file_service.ts";
import { fetchUrl } from "./net_service.ts";
import { packConfig } from "./pack_config.ts";
import { askQuestion } from "./question_service.ts";
import { RequestQuota } from "./request_quota.ts";
import { asServiceError, serviceFailure } from "./service_failure.ts";
import { serviceMethod, serviceParams } from "./service_params.ts";
import type { ServiceMethod, ServiceParams } from "./service_params.ts";
import type { PackServices, ServiceCall, ServicePorts } from "./service_port.ts";

/** Bytes of one record of a pack in the journal, as canonical JSON. */
const MOST_EVENT_BYTES = 16 * 1024;
/** Messages of the conversation when a pack does not say how many. */
const USUAL_MESSAGES = 50;
/** What one call may write to people and to the journal. */
const MOST_LINES = 20;
const MOST_EVENTS = 50;

type Service<M extends ServiceMethod> = (
  params: ServiceParams<M>,
  call: ServiceCall,
  ports: ServicePorts,
  quota: RequestQuota,
) => Promise<Json> | Json;

const SERVICES: { readonly [M in ServiceMethod]: Service<M> } = {
  "model.complete": async ({ system, prompt, max_tokens }, call, ports) => ({
    text: await ports.complete({
      system: system ?? "",
      prompt,
      ...(max_tokens === undefined ? {} : { max_tokens }),
    }, call),
  }),
  "artifact.put": ({ name, content }, call, ports) => artifacts(call, ports).put(name, content),
  "artifact.get": ({ name }, call, ports) => artifacts(call, ports).get(name),
  "artifact.list": (_params, call, ports) => artifacts(call, ports).list(),
  "ask.question": ({ text, options }, call, ports) => askQuestion(text, options ?? [], call, ports),
  "session.messages": ({ limit }, _call, ports) => ports.messages(limit ?? USUAL_MESSAGES),
  "tasks.list": (_params, _call, { tasks }) => tasks.list(),
  "tasks.create": ({ task }, { signal }, { tasks }) => tasks.create(task, signal),
  "tasks.update": ({ id, change }, { signal }, { tasks }) => tasks.update(id, change, signal),
  "journal.emit": async ({ name, data }, { pack, call_id }, ports, quota) => {
    quota.take(call_id, "events", MOST_EVENTS);
    requireSize("The data of an event", canonicalJson(data), MOST_EVENT_BYTES);
    await ports.emit(pack.id, name, data, call_id);
    return null;
  },
  "fs.read": ({ path }, call, ports) => readFile(path, call, ports),
  "fs.write": async ({ path, content }, call, ports) => {
    await writeFile(path, content, call, ports);
    return null;
  },
  "fs.list": ({ path }, call, ports) => listFolder(path, call, ports),
  "net.fetch": (params, call, ports) => fetchUrl(params, call, ports),
  "log.write": async ({ level, text }, call, ports, quota) => {
    quota.take(call.call_id, "lines of the log", MOST_LINES);
    await ports.log(level, text, call);
    return null;
  },
  "config.get": (_params, { pack }, ports) => packConfig(pack, ports),
};

/**
 * The services of the host for the packs of one run. Every request is checked in this order: it exists, the call has not
 * asked too often, the manifest asks for the capability and the person granted it, its parameters are exactly what the
 * service takes. What touches files or the network is then judged by the session's rules. Rejects with a `ServiceError`
 * (`denied`, `quota`, `invalid`, `unavailable`, `failed`) and with nothing else; an abort is `failed` too.
 */
export function packServices(ports: ServicePorts): PackServices {
  const quota = new RequestQuota();
  return async (pack, call_id, { service, method, params }, signal = new AbortController().signal) => {
    try {
      const key = serviceMethod(service, method);
      quota.take(call_id, "requests to services", ports.max_requests(pack));
      requireCapability(pack, key);
      const checked = serviceParams(key, params);
      signal.throwIfAborted();
      const run = SERVICES[key] as Service<ServiceMethod>;
      const value = await run(checked, { pack, call_id, signal }, ports, quota);
      requireSize(`The answer of ${key}`, JSON.stringify(value), ports.max_answer_bytes(pack));
      return value;
    } catch (error) {
      throw asServiceError(error);
    }
  };
}

function artifacts({ pack }: ServiceCall, { artifacts_dir }: ServicePorts): ArtifactFiles {
  return new ArtifactFiles(artifacts_dir, pack.id);
}

function requireSize(what: string, json: string, most: number): void {
  const bytes = byteLength(json);
  if (bytes > most) throw serviceFailure("quota", `${what} has ${bytes} bytes; at most ${most} are taken`);
}
