/** What a plugin may ask for. Each kind has exactly one Deno permission, or is a service of the host. */
export const CAPABILITY_KINDS = [
  "fs.read",
  "fs.write",
  "net",
  "run",
  "env",
  "sys",
  "model",
  "memory",
  "session.spawn",
  "session.read",
  "tasks",
  "artifact",
  "ask",
  "journal.emit",
] as const;
export type CapabilityKind = (typeof CAPABILITY_KINDS)[number];

/**
 * What a pack asks for: a kind alone, or a kind narrowed to what it names. Paths are `workspace`, `data` (the pack's own
 * folder), absolute, or begin with `~/`; hosts are `name`, `name:port` or `*.name`; programs are plain names. No paths and no
 * hosts: through the host's services alone, which judge each path and each address.
 */
export type CapabilityRequest =
  | CapabilityKind
  | { kind: "fs.read" | "fs.write"; paths: string[] }
  | { kind: "net"; hosts: string[] }
  | { kind: "run"; programs: string[] }
  | { kind: "env"; names: string[] }
  | { kind: "sys"; kinds: string[] };

/** The kind that a request is of. */
export function requestKind(request: CapabilityRequest): CapabilityKind {
  return typeof request === "string" ? request : request.kind;
}

/**
 * Exact Deno permission lists of a worker or process: real paths, host[:port], program names or paths, variable
 * names, sys kinds. An empty list is "none"; there is no "all".
 */
export interface Grant {
  read: string[];
  write: string[];
  net: string[];
  run: string[];
  env: string[];
  sys: string[];
}

/** A grant of nothing. */
export function emptyGrant(): Grant {
  return { read: [], write: [], net: [], run: [], env: [], sys: [] };
}
