import { homedir } from "node:os";
import { posix, win32 } from "node:path";
import { EXIT, LuminaError } from "../base/mod.ts";

/** Where variables are read: `Deno.env` or a test's own. */
export interface EnvReader {
  get(name: string): string | undefined;
}

/** The user's home folder: `HOME` (Windows: `USERPROFILE`), else what the system says; "" when nothing is known. */
export function homeDirectory(env: EnvReader, os: string = Deno.build.os): string {
  const named = env.get(os === "windows" ? "USERPROFILE" : "HOME");
  if (named !== undefined && named.trim() !== "") return named;
  try {
    return homedir() ?? "";
  } catch {
    // the account has no entry in the user database: the same as no home
    return "";
  }
}

/**
 * The folder that holds everything Lumina keeps, absolute and without `..`: `LUMINA_APP_ROOT` with `~` expanded, on
 * Windows `%LOCALAPPDATA%\LuminaCode`, else `<home>/.lumina`. Touches no disk. Throws `app_root.invalid` (exit 2) for a
 * relative path, a file system's root, a drive or a bare share, and when no home folder is known.
 */
export function resolveAppRoot(env: EnvReader, home: string, os: string = Deno.build.os): string {
  const path = os === "windows" ? win32 : posix;
  const named = env.get("LUMINA_APP_ROOT")?.trim() ?? "";
  let root: string;
  if (named !== "") {
    root = named;
    if (/^~($|[/\\])/.test(named)) {
      root = path.join(requireHome(home, "~ in LUMINA_APP_ROOT"), named.slice(1));
    }
    if (!path.isAbsolute(root)) {
      throw invalid(
        `LUMINA_APP_ROOT is "${named}", which is not absolute: give a whole path or start it with ~/`,
      );
    }
  } else {
    const local = os === "windows" ? env.get("LOCALAPPDATA")?.trim() ?? "" : "";
    root = local !== ""
      ? path.join(local, "LuminaCode")
      : path.join(requireHome(home, "the app folder"), ".lumina");
    if (!path.isAbsolute(root)) {
      throw invalid(`The app folder would be "${root}", which is not absolute: set LUMINA_APP_ROOT`);
    }
  }
  const clean = trimSeparators(path.normalize(root), path.parse(root).root.length);
  if (isTopOfDisk(clean, os)) {
    throw invalid(
      `The app folder cannot be "${clean}", the top of a disk: set LUMINA_APP_ROOT to a folder of its own`,
    );
  }
  return clean;
}

function requireHome(home: string, purpose: string): string {
  if (home.trim() === "") {
    throw invalid(`No home folder is known for ${purpose}: set LUMINA_APP_ROOT or HOME`);
  }
  return home;
}

function trimSeparators(path: string, keep: number): string {
  let end = path.length;
  while (end > Math.max(keep, 1) && (path[end - 1] === "/" || path[end - 1] === "\\")) end--;
  return path.slice(0, end);
}

function isTopOfDisk(path: string, os: string): boolean {
  if (os !== "windows") return path === "/";
  const parsed = win32.parse(path);
  return trimSeparators(parsed.root, 0).length >= trimSeparators(path, 0).length;
}

function invalid(message: string): LuminaError {
  return new LuminaError("app_root.invalid", message, { exit: EXIT.usage });
}
