import { basename } from "node:path";
import { userInfo } from "node:os";
import type { AppRoot } from "../../../app_root/mod.ts";
import { loadSettings } from "../../../config/mod.ts";
import type { LoadedSettings } from "../../../config/mod.ts";
import { knownSecrets } from "./known_secrets.ts";
import type { MaskOptions } from "./mask_text.ts";

/** The settings as a session in a directory has them; of a directory that is gone, those of the user. */
export async function settingsFor(app_root: AppRoot, home: string, cwd: string): Promise<LoadedSettings> {
  const here = isDirectory(cwd) ? { project_dir: cwd } : {};
  return await loadSettings({ app_root, ...here, env: Deno.env, home });
}

/** What has to be masked on this machine. `loaded` is undefined when the settings cannot be read. */
export async function maskWith(
  loaded: LoadedSettings | undefined,
  home: string,
): Promise<Omit<MaskOptions, "emails">> {
  return { secrets: await knownSecrets(loaded, Deno.env), home, user: userName(home) };
}

function userName(home: string): string {
  try {
    return userInfo().username;
  } catch {
    return basename(home); // an account without a name, as in some containers
  }
}

function isDirectory(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false; // gone, or not to be looked at
  }
}
