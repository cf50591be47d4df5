import { errorMessage } from "../base/mod.ts";
import { childEnvironment } from "./child_environment.ts";
import type { LoadedSettings } from "./load_settings.ts";
import type { SettingName } from "./setting_keys.ts";
import { invalidSettings } from "./settings_file.ts";

/** Time a key helper may take. */
export const KEY_HELPER_TIMEOUT_MS = 30_000;

export interface ApiKeyPorts {
  /** Runs a command line in the system's shell with exactly this environment, and gives its standard output. */
  run(command: string, options: { env: Record<string, string>; timeout_ms: number }): Promise<string>;
  env: { toObject(): Record<string, string> };
}

const SOURCES = {
  main: ["api_key", "api_key_file", "api_key_helper"],
  fallback: ["fallback_api_key", "fallback_api_key_file"],
} as const satisfies Record<string, readonly SettingName[]>;

/** The setting that gives the key of the main or of the fallback model; undefined when none is set. */
export function keySetting(loaded: LoadedSettings, which: keyof typeof SOURCES): SettingName | undefined {
  let chosen: SettingName | undefined;
  for (const name of SOURCES[which]) {
    if (loaded.settings[name] === undefined) continue;
    if (chosen === undefined || loaded.sources[name].rank > loaded.sources[chosen].rank) chosen = name;
  }
  return chosen;
}

/** Finds the keys that settings name. A helper runs once; `forget()` makes it run again. */
export class ApiKeys {
  #ports: ApiKeyPorts;
  #helped = new Map<string, Promise<string>>();

  constructor(ports: ApiKeyPorts) {
    this.#ports = ports;
  }

  /**
   * The key of the main or of the fallback model; undefined when none is set, as for servers without keys. The
   * strongest layer decides between text, file and helper; inside one layer, in that order. Throws `config.invalid`
   * (exit 2) when a file cannot be read, a helper fails, or what comes out is no key.
   */
  async resolve(loaded: LoadedSettings, which: keyof typeof SOURCES): Promise<string | undefined> {
    const chosen = keySetting(loaded, which);
    if (chosen === undefined) return undefined;
    const text = String(loaded.settings[chosen]);
    const key = chosen.endsWith("_file")
      ? await readKeyFile(text, chosen, loaded)
      : chosen.endsWith("_helper")
      ? await this.#help(text, chosen, loaded)
      : text;
    if (/^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(key)) return key;
    const fault = key === ""
      ? "gives an empty key"
      : "gives more than one line, or characters that no key has";
    throw await invalidKey(chosen, fault, loaded);
  }

  /** Forgets what helpers said, after a provider has refused a key. */
  forget(): void {
    this.#helped.clear();
  }

  async #help(command: string, name: SettingName, loaded: LoadedSettings): Promise<string> {
    let answer = this.#helped.get(command);
    if (answer === undefined) {
      const env = childEnvironment(this.#ports.env, loaded.settings);
      answer = this.#ports.run(command, { env, timeout_ms: KEY_HELPER_TIMEOUT_MS });
      this.#helped.set(command, answer);
    }
    try {
      return (await answer).trim();
    } catch (error) {
      this.#helped.delete(command);
      throw await invalidKey(name, `failed: ${errorMessage(error)}`, loaded, error);
    }
  }
}

async function readKeyFile(path: string, name: SettingName, loaded: LoadedSettings): Promise<string> {
  try {
    return (await Deno.readTextFile(path)).trim();
  } catch (error) {
    throw await invalidKey(name, `cannot be read: ${errorMessage(error)}`, loaded, error);
  }
}

async function invalidKey(name: SettingName, fault: string, loaded: LoadedSettings, cause?: unknown) {
  return invalidSettings(`"${name}" (${await loaded.where(name)}) ${fault}`, { key: name }, cause);
}
