import { statfs } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { errorMessage } from "../base/mod.ts";
import type { AppRootPaths } from "../app_root/mod.ts";
import type { Check } from "./check.ts";

/** Less free space than this is told. */
const LOW_BYTES = 500_000_000;
/** Files that are looked at before the rest is taken to be as they are. */
const MOST_FILES = 20_000;

type RootPaths = Pick<AppRootPaths, "root" | "appDir" | "stateDir">;

/** Whether the app root is there, belongs to one user alone and has room. */
export async function checkAppRoot(paths: RootPaths): Promise<Check[]> {
  const layer = "app root";
  const { root } = paths;
  try {
    const info = await Deno.stat(root);
    if (!info.isDirectory) throw new Deno.errors.NotADirectory("it is not a directory");
  } catch (error) {
    return [{
      layer,
      what: root,
      status: "failed",
      found: errorMessage(error),
      fix: "make the folder, or name another one with LUMINA_APP_ROOT",
    }];
  }
  return [
    { layer, what: "found", status: "ok", found: root },
    await checkModes(paths),
    await checkSpace(root),
  ];
}

/**
 * Folders must be 0700 and files 0600. Left out are what is replaced with each version, which holds no secret, and what the
 * containers of services read, below a folder that is looked at.
 */
export async function checkModes({ root, appDir, stateDir }: RootPaths): Promise<Check> {
  const check = { layer: "app root", what: "modes 0700 and 0600" };
  if (Deno.build.os === "windows") {
    return { ...check, status: "skipped", found: "Windows keeps access lists" };
  }
  const open: string[] = [];
  const services = join(stateDir, "services");
  let seen = 0;
  const look = async (folder: string): Promise<void> => {
    for await (const { name, isDirectory, isSymlink } of Deno.readDir(folder)) {
      const path = join(folder, name);
      if (isSymlink || path === appDir || seen++ > MOST_FILES) continue;
      const mode = (await Deno.lstat(path)).mode ?? 0;
      if ((mode & 0o077) !== 0) open.push(path);
      if (isDirectory && dirname(path) !== services) await look(path);
    }
  };
  try {
    if ((((await Deno.stat(root)).mode ?? 0) & 0o077) !== 0) open.push(root);
    await look(root);
  } catch (error) {
    // sessions come and go meanwhile
    if (!(error instanceof Deno.errors.NotFound)) {
      return {
        ...check,
        status: "failed",
        found: errorMessage(error),
        fix: `see to it that ${root} is yours`,
      };
    }
  }
  const [first] = open;
  if (first === undefined) {
    return { ...check, status: "ok", found: `${seen} files and folders are yours alone` };
  }
  return {
    ...check,
    status: "failed",
    found: `${open.length} can be read or changed by others, the first: ${first}`,
    fix: `chmod -R go-rwx ${root}`,
  };
}

async function checkSpace(root: string): Promise<Check> {
  const check = { layer: "app root", what: "free space" };
  try {
    const { bavail, bsize } = await promisify(statfs)(root);
    const bytes = Number(bavail) * Number(bsize);
    const found = bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${(bytes / 1e6).toFixed(0)} MB`;
    if (bytes >= LOW_BYTES) return { ...check, status: "ok", found };
    return {
      ...check,
      status: "failed",
      found: `${found} are left`,
      fix: "make room: lumina storage status says what sessions take, lumina storage cleanup what could go",
    };
  } catch (error) {
    return { ...check, status: "skipped", found: errorMessage(error) };
  }
}
