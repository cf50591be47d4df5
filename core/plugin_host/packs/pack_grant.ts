import { join } from "node:path";
import { isInside, PathPattern } from "../../files/mod.ts";
import { isSensitiveName } from "../../permission/mod.ts";
import { emptyGrant } from "../../plugin_api/mod.ts";
import type { CapabilityRequest, Grant, ToolManifest } from "../../plugin_api/mod.ts";
import type { Verdict } from "../../types/mod.ts";
import { linkFreeParts, writableParts } from "./link_free_parts.ts";
import type { Pack } from "./pack.ts";

/** What the session allows at most. Paths are real paths. */
export interface PackGrantScope {
  /** Workspace and added directories. */
  roots: readonly string[];
  /** Folder of Lumina itself: never granted, nor anything around it. */
  app_root: string;
  home: string;
  /** Deny rules as absolute patterns. */
  deny: { read: readonly string[]; write: readonly string[] };
  /** Programs that were found outside the workspace, by name. */
  programs: Readonly<Record<string, string>>;
  /** What the kernel said of this call. */
  verdict: Pick<Verdict, "paths" | "mode">;
}

/**
 * The exact Deno permissions of one call: what the tool needs, of what its pack asks for, of what a person granted, of what
 * the session allows. A folder in which a deny rule may hold, or that holds Lumina's own, is not granted as a whole: Deno's
 * permissions know no exceptions, so there the pack goes through the host's `fs` service, which judges each path. Of a folder
 * with links that lead out of it the rest is granted (`linkFreeParts`), because Deno would follow them. What may be written in
 * the workspace by a tool that names its path is that path alone; by any other what lies there, without what runs code or
 * grants rights (`.git`, `.Lumina`, `.claude`, settings of editors and shells): its `fs` service asks for these. In mode
 * `plan` nothing is written there.
 */
export function packGrant(
  pack: Pick<Pack, "manifest" | "grant" | "data_dir">,
  tool: ToolManifest,
  scope: PackGrantScope,
): Grant {
  const grant = emptyGrant();
  const key = (request: CapabilityRequest) => JSON.stringify(request);
  const granted = new Set(pack.grant.map(key));
  for (const request of pack.manifest.capabilities) {
    const kind = typeof request === "string" ? request : request.kind;
    // what a person has not granted word for word is not granted
    if (!granted.has(key(request)) || !tool.capabilities.includes(kind)) continue;
    addRequest(grant, request, pack.data_dir, tool, scope);
  }
  for (const access of ["read", "write"] as const) {
    grant[access] = grant[access].flatMap((path) => path === pack.data_dir ? [path] : linkFreeParts(path));
  }
  for (const list of Object.values(grant) as string[][]) list.splice(0, list.length, ...new Set(list));
  return grant;
}

function addRequest(
  grant: Grant,
  request: CapabilityRequest,
  data_dir: string,
  tool: ToolManifest,
  scope: PackGrantScope,
): void {
  const { programs } = scope;
  const kind = typeof request === "string" ? request : request.kind;
  switch (kind) {
    case "fs.read":
    case "fs.write": {
      const paths = typeof request === "string" ? ["workspace"] : (request as { paths: string[] }).paths;
      const access = kind === "fs.read" ? "read" : "write";
      for (const path of paths) grant[access].push(...pathGrant(path, access, data_dir, tool, scope));
      return;
    }
    case "net":
      grant.net.push(...(typeof request === "string" ? [] : (request as { hosts: string[] }).hosts));
      return;
    case "run": {
      const asked = typeof request === "string"
        ? tool.programs
        : (request as { programs: string[] }).programs;
      const names = tool.programs.length === 0 ? asked : asked.filter((name) => tool.programs.includes(name));
      grant.run.push(...names.flatMap((name) => programs[name] ?? []));
      return;
    }
    case "env":
      if (typeof request !== "string") grant.env.push(...(request as { names: string[] }).names);
      return;
    case "sys":
      if (typeof request !== "string") grant.sys.push(...(request as { kinds: string[] }).kinds);
      return;
    default:
      return; // a service of the host, which judges it itself
  }
}

function pathGrant(
  path: string,
  access: "read" | "write",
  data_dir: string,
  tool: ToolManifest,
  scope: PackGrantScope,
): string[] {
  const { roots, verdict, home, deny, app_root } = scope;
  if (path === "data") return [data_dir];
  const open = (root: string) =>
    !isInside(root, app_root) && !isInside(app_root, root) &&
    !deny[access].some((pattern) => PathPattern.fromAbsolute(pattern).mayMatchBelow(root));
  if (path === "workspace") {
    const judged = verdict.paths.filter((fact) => fact.access === access).map(({ resolved }) => resolved);
    if (access === "write") {
      if (verdict.mode === "plan" || (tool.effect !== "write" && tool.effect !== "run")) return [];
      return tool.subject.kind === "path" || tool.subject.kind === "patch"
        ? judged
        : roots.filter(open).flatMap((root) => writableParts(root, isSensitiveName));
    }
    // what the call was judged for may be read also where the whole may not
    return [...roots.filter(open), ...verdict.paths.map(({ resolved }) => resolved)];
  }
  if (access === "write" && (verdict.mode === "plan" || (tool.effect !== "write" && tool.effect !== "run"))) {
    return [];
  }
  const place = path.startsWith("~/") ? join(home, path.slice(2)) : path;
  let real: string;
  try {
    real = Deno.realPathSync(place);
  } catch {
    return []; // what is not there cannot be touched; a link that appears there later is none of what was granted
  }
  return open(real) ? [real] : [];
}
