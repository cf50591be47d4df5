import type { CapabilityRequest } from "../../plugin_api/mod.ts";

/**
 * What of `wanted` nobody has granted yet. Each path, host, program or name counts for itself; a kind without names is a
 * thing of its own, since each use of it is asked about, whether it is a plain kind or an empty list; only that the plain
 * kinds of files are those of the workspace.
 */
export function newRequests(
  wanted: readonly CapabilityRequest[],
  granted: readonly CapabilityRequest[],
): CapabilityRequest[] {
  const known = new Set(granted.flatMap(keysOf));
  return wanted.flatMap((request): CapabilityRequest[] => {
    const fresh = (items: readonly string[]) =>
      items.filter((item) => !known.has(keyOf(kindOf(request), item)));
    const keys = keysOf(request);
    if (typeof request === "string" || keys[0] === keyOf(request.kind, "")) {
      return keys.every((key) => known.has(key)) ? [] : [request];
    }
    switch (request.kind) {
      case "fs.read":
      case "fs.write":
        return some(fresh(request.paths), (paths) => ({ kind: request.kind, paths }));
      case "net":
        return some(fresh(request.hosts), (hosts) => ({ kind: request.kind, hosts }));
      case "run":
        return some(fresh(request.programs), (programs) => ({ kind: request.kind, programs }));
      case "env":
        return some(fresh(request.names), (names) => ({ kind: request.kind, names }));
      case "sys":
        return some(fresh(request.kinds), (kinds) => ({ kind: request.kind, kinds }));
    }
  });
}

function some(items: string[], make: (items: string[]) => CapabilityRequest): CapabilityRequest[] {
  return items.length === 0 ? [] : [make(items)];
}

function kindOf(request: CapabilityRequest): string {
  return typeof request === "string" ? request : request.kind;
}

function keyOf(kind: string, item: string): string {
  return `${kind}\n${item}`;
}

function keysOf(request: CapabilityRequest): string[] {
  if (typeof request === "string") {
    return [keyOf(request, request === "fs.read" || request === "fs.write" ? "workspace" : "")];
  }
  const { kind, ...lists } = request;
  const items = Object.values(lists).flat();
  return items.length === 0 ? [keyOf(kind, "")] : items.map((item) => keyOf(kind, item));
}
