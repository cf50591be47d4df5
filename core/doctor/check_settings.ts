import { errorMessage, LuminaError } from "../base/mod.ts";
import { keySetting, loadSettings } from "../config/mod.ts";
import type { LoadedSettings } from "../config/mod.ts";
import type { Check } from "./check.ts";

/** Where settings come from. */
export interface SettingsPlace {
  app_root: { readonly settingsFile: string };
  project_dir: string;
  env: { get(name: string): string | undefined };
  home: string;
}

/** Whether the settings can be read, and name a model and a key. A key is never shown, no helper is run. */
export async function checkSettings(place: SettingsPlace): Promise<Check[]> {
  let loaded: LoadedSettings;
  try {
    loaded = await loadSettings(place);
  } catch (error) {
    if (!(error instanceof LuminaError)) throw error;
    return [{
      layer: "settings",
      what: "can be read",
      status: "failed",
      found: error.message,
      fix: "correct that line; lumina config docs says what each key may hold",
    }];
  }
  const checks: Check[] = [
    { layer: "settings", what: "can be read", status: "ok", found: place.app_root.settingsFile },
    ...loaded.warnings.map((found): Check => ({ layer: "settings", what: "warning", status: "note", found })),
  ];
  if (loaded.settings.api_type === "replay") return checks;
  return [...checks, await checkModel(loaded), await checkKey(loaded)];
}

async function checkModel(loaded: LoadedSettings): Promise<Check> {
  const check = { layer: "model", what: "configured" };
  const { api_model } = loaded.settings;
  if (api_model !== undefined && api_model !== "") {
    return { ...check, status: "ok", found: `${api_model} (${await loaded.where("api_model")})` };
  }
  return {
    ...check,
    status: "failed",
    found: "no model is named",
    fix: "set LUMINA_API_MODEL, or lumina config set api_model NAME",
  };
}

async function checkKey(loaded: LoadedSettings): Promise<Check> {
  const check = { layer: "model", what: "key" };
  const name = keySetting(loaded, "main");
  if (name === undefined) {
    return {
      ...check,
      status: "note",
      found: "no key is set: only a server that asks for none answers",
      fix: "set LUMINA_API_KEY, or api_key_file in settings.json",
    };
  }
  const where = await loaded.where(name);
  if (name === "api_key") return { ...check, status: "ok", found: `api_key is set (${where})` };
  if (name === "api_key_helper") {
    return { ...check, status: "ok", found: `api_key_helper gives it (${where}; not run)` };
  }
  const file = String(loaded.settings[name]);
  try {
    const { size, mode } = await Deno.stat(file);
    if (size === 0) throw new Error("it is empty");
    const shared = Deno.build.os !== "windows" && ((mode ?? 0) & 0o077) !== 0;
    return shared
      ? {
        ...check,
        status: "note",
        found: `${file} can be read by others on this machine`,
        fix: `chmod 600 ${file}`,
      }
      : { ...check, status: "ok", found: `${file} holds it (${where})` };
  } catch (error) {
    return {
      ...check,
      status: "failed",
      found: `${name} names ${file}: ${errorMessage(error)}`,
      fix: "write the key there, or name another file",
    };
  }
}
