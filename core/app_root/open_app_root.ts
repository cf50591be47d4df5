import { dirname, join } from "node:path";
import { errorMessage, EXIT, LuminaError, type World, writeFileAtomic } from "../base/mod.ts";
import { isJsonObject, type Json, type JsonObject } from "../types/mod.ts";
import { type AppRootPaths, appRootPaths, LAYERS } from "./app_root_paths.ts";
import { exists, installResources } from "./install_resources.ts";
import { makePrivateDirectory, tightenMode } from "./private_directory.ts";

/** The layout this program writes. */
export const LAYOUT_VERSION = 2;

/** An app root that is ready: its layers exist and can be written. */
export interface AppRoot extends AppRootPaths {
  /** Where skills and teams are read: `app/resources`, or the embedded copy where that could not be written. */
  readonly resourcesDir: string;
  /** What went less well than it should, one line each. */
  readonly warnings: readonly string[];
}

export interface OpenAppRootOptions {
  /** This program's version; another one than last time renews `app/resources`. */
  version: string;
  /** Folder with the embedded `skills` and `teams`. */
  embedded: string;
  world: World;
}

/**
 * Opens the app root and makes what is missing: five layers with mode 0700, `layout.json` (0600), and the embedded
 * skills and teams in `app/resources`. A later start of the same version reads one small file, looks at three folders and changes nothing.
 * Nothing optional is ever a reason to refuse. Throws `app_root.unwritable` (exit 2) when the root itself cannot be
 * made or written, `app_root.newer_layout` (exit 2) when a later Lumina has changed its shape.
 */
export function openAppRoot(root: string, options: OpenAppRootOptions): AppRoot {
  const paths = appRootPaths(root);
  const layout = readLayout(paths);
  const version = layout?.layout_version;
  if (typeof version === "number" && version > LAYOUT_VERSION) {
    throw new LuminaError(
      "app_root.newer_layout",
      `${paths.layoutFile} has layout ${version}, this Lumina knows ${LAYOUT_VERSION}: use a newer Lumina, or set LUMINA_APP_ROOT to another folder`,
      { exit: EXIT.usage },
    );
  }
  const installed = layout?.resources === "installed";
  const resourcesDir = installed ? join(paths.appDir, "resources") : options.embedded;
  if (
    version === LAYOUT_VERSION && layout?.installed_version === options.version &&
    exists(paths.sessionsDir) &&
    (!installed || exists(resourcesDir))
  ) {
    try {
      tightenMode(root);
    } catch (error) {
      throw unwritable(root, error);
    }
    return { ...paths, resourcesDir, warnings: [] };
  }
  return createAppRoot(paths, options);
}

function createAppRoot(paths: AppRootPaths, options: OpenAppRootOptions): AppRoot {
  const warnings: string[] = [];
  try {
    makePrivateDirectory(paths.root);
    for (const layer of LAYERS) makePrivateDirectory(join(paths.root, layer));
    for (const path of [paths.sessionsDir, dirname(paths.sessionsDir)]) makePrivateDirectory(path);
    tightenFiles(paths.configDir);
  } catch (error) {
    throw unwritable(paths.root, error);
  }
  let resourcesDir = join(paths.appDir, "resources");
  try {
    installResources(options.embedded, paths.appDir, options.world.uuid());
  } catch (error) {
    resourcesDir = options.embedded;
    warnings.push(
      `Cannot write skills and teams to ${paths.appDir} (${
        errorMessage(error)
      }): the copy inside the program serves`,
    );
  }
  const layout: JsonObject = {
    layout_version: LAYOUT_VERSION,
    installed_version: options.version,
    platform: `${Deno.build.os}-${Deno.build.arch}`,
    resources: resourcesDir === options.embedded ? "embedded" : "installed",
    updated_at: new Date(options.world.now()).toISOString(),
  };
  try {
    writeFileAtomic(paths.layoutFile, JSON.stringify(layout, null, 2) + "\n");
  } catch (error) {
    throw unwritable(paths.root, error);
  }
  return { ...paths, resourcesDir, warnings };
}

/** `layout.json`, or undefined when it is absent or not ours: it is written anew then. */
function readLayout(paths: AppRootPaths): JsonObject | undefined {
  let text: string;
  try {
    text = Deno.readTextFileSync(paths.layoutFile);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw unwritable(paths.root, error);
  }
  try {
    const value: Json = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    // a torn or foreign file carries nothing that cannot be written again
    return undefined;
  }
}

/** Settings and keys that somebody copied in with wide modes become the owner's alone. */
function tightenFiles(directory: string): void {
  for (const entry of Deno.readDirSync(directory)) {
    if (entry.isFile) tightenMode(join(directory, entry.name));
  }
}

function unwritable(root: string, cause: unknown): LuminaError {
  return new LuminaError(
    "app_root.unwritable",
    `Cannot use the app folder ${root} (${
      errorMessage(cause)
    }): make it writable, or set LUMINA_APP_ROOT to a folder that is`,
    { exit: EXIT.usage, cause },
  );
}
