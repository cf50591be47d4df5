import type { AppRoot } from "../app_root/mod.ts";
import { projectIdentity, startDirectory } from "../app_root/mod.ts";
import type { Json } from "../types/mod.ts";
import { TrustFile } from "./plugins/trust_file.ts";
import { assertSetting, editSetting, loadSettings, redactSettings, SETTING_NAMES } from "../config/mod.ts";

/** Effective settings of a project, secrets masked, with where each comes from. */
export async function listConfig(
  app_root: AppRoot,
  home: string,
  cwd: string | undefined,
): Promise<{ key: string; value: string; source: string }[]> {
  const project = projectIdentity(startDirectory(cwd));
  const project_trusted = new TrustFile(app_root, project.id).trustedSettings();
  const loaded = await loadSettings({
    app_root,
    project_dir: project.root,
    project_trusted,
    env: Deno.env,
    home,
  });
  const shown = redactSettings(loaded.settings);
  return await Promise.all(SETTING_NAMES.map(async (key) => ({
    key,
    value: JSON.stringify(shown[key]) ?? "not set",
    source: await loaded.where(key),
  })));
}

/** Changes one key of the user's file, after checking it. The value is JSON when it reads as JSON, else a text. */
export async function setConfig(app_root: AppRoot, key: string, value: string): Promise<{ file: string }> {
  const path = key.split(".");
  const parsed = parseValue(value);
  assertSetting(path, parsed);
  await editSetting(app_root.settingsFile, path, parsed);
  return { file: app_root.settingsFile };
}

function parseValue(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text; // a plain text needs no quotes
  }
}
