import { errorMessage } from "../base/mod.ts";
import {
  type FlagSettings,
  type LoadedSettings,
  loadSettings,
  type LoadSettingsOptions,
  managedPlaceOf,
  settingsFiles,
} from "./load_settings.ts";
import { fileStamp } from "./settings_file.ts";

/** What a reload found. */
export interface SettingsReload {
  /** True when `current` is another object than before. */
  readonly changed: boolean;
  /** New warnings, each told once. */
  readonly warnings: readonly string[];
}

/** Settings that follow their files. Every session has its own; nothing is shared. */
export class SettingsWatch {
  #options: LoadSettingsOptions;
  #stamps: string;
  #current: LoadedSettings;

  private constructor(options: LoadSettingsOptions, stamps: string, current: LoadedSettings) {
    this.#options = options;
    this.#stamps = stamps;
    this.#current = current;
  }

  /** Loads for the first time; throws what `loadSettings` throws. */
  static async open(options: LoadSettingsOptions): Promise<SettingsWatch> {
    const stamps = await stampsOf(options);
    return new SettingsWatch(options, stamps, await loadSettings(options));
  }

  /** The last good settings. */
  get current(): LoadedSettings {
    return this.#current;
  }

  /**
   * Gives flags a new value from now on, or until the function that it returns is called. Throws what `loadSettings`
   * throws, and changes nothing then.
   */
  async pin(flags: FlagSettings): Promise<() => void> {
    const before = { options: this.#options, current: this.#current };
    const options = { ...this.#options, flags: { ...this.#options.flags, ...flags } };
    this.#current = await loadSettings(options);
    this.#options = options;
    return () => {
      this.#options = before.options;
      this.#current = before.current;
    };
  }

  /**
   * Looks at the files and reads them again when one has changed; call it before each turn. A broken file keeps the
   * last good settings and is told once. Never throws.
   */
  async reload(): Promise<SettingsReload> {
    const stamps = await stampsOf(this.#options);
    if (stamps === this.#stamps) return { changed: false, warnings: [] };
    this.#stamps = stamps;
    try {
      const known = new Set(this.#current.warnings);
      this.#current = await loadSettings(this.#options);
      return { changed: true, warnings: this.#current.warnings.filter((line) => !known.has(line)) };
    } catch (error) {
      return { changed: false, warnings: [`${errorMessage(error)} (the last good settings stay in force)`] };
    }
  }
}

/** The state of all files before they are read, so that a change while reading is seen next time. */
async function stampsOf(options: LoadSettingsOptions): Promise<string> {
  const files = [managedPlaceOf(options)?.file, ...settingsFiles(options)];
  const stamps = files.map((file) => file === undefined ? "" : fileStamp(file));
  return (await Promise.all(stamps)).join("\n");
}
