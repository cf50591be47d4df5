import { isInside, PathPattern, resolvePath } from "../../core/files/mod.ts";
import type { ToolContext } from "../../core/plugin_api/mod.ts";
import { ToolFailure } from "./tool_failure.ts";

/** A path that this call may use. */
export interface JudgedPath {
  /** Absolute, with every link resolved. */
  path: string;
  /** As the model wrote it. */
  shown: string;
}

/**
 * Resolves the path of a call and judges it by the roots and deny patterns of the call, so that a link inside the
 * workspace leads nowhere else. Throws `ToolFailure` when it is refused.
 */
export function judgedPath(
  context: ToolContext,
  given: string,
  access: "read" | "write",
  is_directory = false,
): JudgedPath {
  const home = context.child_env["HOME"];
  if (/^~($|\/)/.test(given) && home === undefined) {
    throw new ToolFailure(
      `Cannot ${access} "${given}": the home folder is not known here; give an absolute path`,
    );
  }
  const path = resolvePath(given, { cwd: context.cwd, home: home ?? context.cwd });
  requireAccess(context, { path, shown: given }, access, is_directory);
  return { path, shown: given };
}

/** Judges a path that is already resolved. Throws `ToolFailure` when it is refused. */
export function requireAccess(
  context: ToolContext,
  { path, shown }: JudgedPath,
  access: "read" | "write",
  is_directory = false,
): void {
  const roots = access === "read" ? context.read_roots : context.write_roots;
  const leads = path.endsWith(shown) ? "" : `it is ${path}, `;
  if (!roots.some((root) => isInside(root, path))) {
    const may = roots.length === 0
      ? `no folder may be ${access === "read" ? "read" : "written"}`
      : roots.join(", ");
    throw new ToolFailure(
      `Cannot ${access} "${shown}": ${leads}outside of what this call may ${access} (${may})`,
    );
  }
  if (isDenied(context, path, access, is_directory)) {
    throw new ToolFailure(
      `Cannot ${access} "${shown}": ${leads}${leads === "" ? "" : "and "}a deny rule covers it`,
    );
  }
}

/** True when a deny rule names the path or a folder above it. */
export function isDenied(
  context: ToolContext,
  path: string,
  access: "read" | "write",
  is_directory: boolean,
): boolean {
  const patterns = access === "read" ? context.deny_read : context.deny_write;
  return patterns.some((pattern) => PathPattern.fromAbsolute(pattern).matches(path, is_directory));
}
