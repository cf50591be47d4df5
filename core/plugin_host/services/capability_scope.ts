import { isInside, resolvePath } from "../../files/mod.ts";
import { hostOfUrl, matchesHost, readHostPattern } from "../../permission/mod.ts";
import { requestKind } from "../../plugin_api/mod.ts";
import type { CapabilityKind, CapabilityRequest } from "../../plugin_api/mod.ts";
import { serviceFailure } from "./service_failure.ts";
import type { ServiceMethod } from "./service_params.ts";
import type { ServicePack, ServicePorts } from "./service_port.ts";

/** The capability that each service stands behind; a pack's own log and settings need none. */
const NEEDED: Readonly<Record<ServiceMethod, CapabilityKind | undefined>> = {
  "model.complete": "model",
  "artifact.put": "artifact",
  "artifact.get": "artifact",
  "artifact.list": "artifact",
  "ask.question": "ask",
  "session.messages": "session.read",
  "tasks.list": "tasks",
  "tasks.create": "tasks",
  "tasks.update": "tasks",
  "journal.emit": "journal.emit",
  "fs.read": "fs.read",
  "fs.list": "fs.read",
  "fs.write": "fs.write",
  "net.fetch": "net",
  "log.write": undefined,
  "config.get": undefined,
};

/** Throws `denied` unless the manifest asks for what the service needs and the person granted it. */
export function requireCapability(pack: ServicePack, method: ServiceMethod): void {
  const kind = NEEDED[method];
  if (kind === undefined) return;
  const asked = pack.manifest.capabilities.some((request) => requestKind(request) === kind);
  const granted = asked && grants(pack, kind).length > 0;
  if (granted) return;
  const why = asked ? "it was not granted, or the tool does not name it" : "its manifest does not ask for it";
  throw serviceFailure("denied", `${method} needs the capability ${kind} of the plugin ${pack.id}: ${why}`);
}

/**
 * Throws `denied` for a path outside what the grant names; a plain kind names the workspace. A grant with an empty list is
 * for the host's service alone: any path then, each judged by the session's rules.
 */
export function requirePath(
  pack: ServicePack,
  kind: "fs.read" | "fs.write",
  resolved: string,
  ports: Pick<ServicePorts, "workspace" | "roots" | "home" | "dataDir">,
): void {
  const named = grants(pack, kind).map((request) =>
    typeof request === "object" && "paths" in request ? request.paths : ["workspace"]
  );
  if (named.some((paths) => paths.length === 0)) return;
  const roots = named.flat().flatMap((path) =>
    path === "workspace"
      ? ports.roots
      : path === "data"
      ? ports.dataDir(pack)
      : resolvePath(path, { cwd: ports.workspace, home: ports.home })
  );
  if (roots.some((root) => isInside(root, resolved))) return;
  throw serviceFailure(
    "denied",
    `The plugin ${pack.id} was granted ${kind} for ${named.flat().join(", ")} alone`,
  );
}

/** The same for the host of a URL: `name`, `name:port` or `*.name`; a plain kind and an empty list are any host. */
export function requireHost(pack: ServicePack, url: URL): void {
  const named = grants(pack, "net").map((request) =>
    typeof request === "object" && "hosts" in request ? request.hosts : []
  );
  if (named.some((hosts) => hosts.length === 0)) return;
  if (named.flat().some((host) => isHost(host, url))) return;
  throw serviceFailure(
    "denied",
    `The plugin ${pack.id} was granted net for ${named.flat().join(", ")} alone`,
  );
}

function grants(pack: ServicePack, kind: CapabilityKind): CapabilityRequest[] {
  return pack.grant.filter((request) => requestKind(request) === kind);
}

function isHost(granted: string, url: URL): boolean {
  const pattern = readHostPattern(granted);
  const host = hostOfUrl(url.href);
  return pattern !== undefined && host !== undefined && matchesHost(pattern, host);
}
