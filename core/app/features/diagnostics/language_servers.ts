import { extname, isAbsolute } from "node:path";
import { errorMessage, LuminaError } from "../../../base/mod.ts";
import type { World } from "../../../base/mod.ts";
import type { LanguageServerSettings } from "../../../config/mod.ts";
import { isInside } from "../../../files/mod.ts";
import { findPrograms } from "../../program_paths.ts";
import { languageId } from "./language_id.ts";
import { LanguageServer } from "./language_server.ts";
import { newProblems, problemsText } from "./problems.ts";
import type { Problem } from "./problems.ts";

/** What the servers of a session are made from. */
export interface ServersParts {
  workspace: string;
  path: string | undefined;
  /** What every child process gets of the environment. */
  env: Readonly<Record<string, string>>;
  world: World;
  warn(text: string): void;
}

/** Waits in a row that a server may let pass before it is given up. */
const MOST_LATE = 2;
/** Larger files are not shown to servers. */
const MOST_BYTES = 1024 * 1024;
/** Files of one call that are looked at. */
const MOST_FILES = 10;

/** A file that a call may change, with what its server knew of it before. */
export interface Watched {
  path: string;
  server: string;
  /** Undefined where the server has not been asked about the file's text before the call. */
  before: Promise<Problem[]>;
}

/** The language servers of a session: each is started by the first edit of one of its files and given up when it fails. */
export class LanguageServers {
  readonly #parts: ServersParts;
  readonly #running = new Map<string, LanguageServer>();
  readonly #given_up = new Set<string>();
  readonly #late = new Map<string, number>();

  constructor(parts: ServersParts) {
    this.#parts = parts;
  }

  /** Begins to look at files as they are before a call; waits for nothing. */
  watch(
    paths: readonly string[],
    settings: Readonly<Record<string, LanguageServerSettings>>,
    signal: AbortSignal,
  ): Watched[] {
    return paths.slice(0, MOST_FILES).flatMap((path) => {
      const found = Object.entries(settings).find(([_name, { extensions }]) =>
        extensions.includes(extname(path).toLowerCase())
      );
      if (found === undefined) return [];
      const server = this.#server(...found);
      if (server === undefined) return [];
      const text = readText(path);
      const language = languageId(path, found[1].languages);
      const before = text === undefined ? Promise.resolve([]) : server.look(path, language, text, signal);
      before.catch(() => {}); // told by report()
      return [{ path, server: found[0], before }];
    });
  }

  /** What is new in the files after the call, for the model; empty when nothing is. Throws the signal's reason alone. */
  async report(
    watched: readonly Watched[],
    settings: Readonly<Record<string, LanguageServerSettings>>,
    limit_ms: number,
    signal: AbortSignal,
  ): Promise<string> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(limit_ms)]);
    const texts = await Promise.all(watched.map(async ({ path, server: name, before }) => {
      const text = readText(path);
      const server = this.#running.get(name);
      if (text === undefined || server === undefined) return "";
      try {
        const old = await orAborted(before, limit);
        const after = await server.look(path, languageId(path, settings[name]?.languages ?? {}), text, limit);
        this.#late.delete(name);
        const found = newProblems(old, after);
        return found.length === 0 ? "" : problemsText(path, found);
      } catch (error) {
        signal.throwIfAborted();
        if (limit.aborted) this.#wasLate(name, limit_ms);
        else this.#giveUp(name, errorMessage(error));
        return "";
      }
    }));
    return texts.join("");
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running.values()].map((server) => server.close()));
    this.#running.clear();
  }

  #server(name: string, settings: LanguageServerSettings): LanguageServer | undefined {
    const running = this.#running.get(name);
    if (running !== undefined || this.#given_up.has(name)) return running;
    const { workspace, env, world } = this.#parts;
    try {
      const server = new LanguageServer({
        name,
        program: this.#program(settings.command),
        args: settings.args,
        env: { ...env, ...settings.env },
        workspace,
        initialization_options: settings.initialization_options,
        world,
      });
      this.#running.set(name, server);
      return server;
    } catch (error) {
      this.#giveUp(name, errorMessage(error));
      return undefined;
    }
  }

  #program(command: string): string {
    const { workspace, path } = this.#parts;
    if (isAbsolute(command)) {
      const real = Deno.realPathSync(command);
      if (!isInside(workspace, real)) return real;
      throw new LuminaError("lsp.program", `${command} lies in the workspace, which must not bring its own`);
    }
    const found = findPrograms([command], path, workspace)[command];
    if (found !== undefined) return found;
    throw new LuminaError("lsp.program", `there is no program ${command} on the PATH outside the workspace`);
  }

  #wasLate(name: string, limit_ms: number): void {
    const times = (this.#late.get(name) ?? 0) + 1;
    this.#late.set(name, times);
    if (times >= MOST_LATE) {
      this.#giveUp(name, `it did not answer within ${limit_ms} ms, ${times} times in a row (lsp_timeout_ms)`);
    }
  }

  /** Told once: a server that was given up is not started again in this session. */
  #giveUp(name: string, why: string): void {
    const server = this.#running.get(name);
    this.#running.delete(name);
    server?.close().catch((error) => this.#parts.warn(`The language server ${name}: ${errorMessage(error)}`));
    if (this.#given_up.has(name)) return;
    this.#given_up.add(name);
    this.#parts.warn(`No diagnostics of the language server "${name}" in this session: ${why}`);
  }
}

/** A plain file's text; undefined where there is none, or too much. */
function readText(path: string): string | undefined {
  try {
    const { isFile, size } = Deno.statSync(path);
    return isFile && size <= MOST_BYTES ? Deno.readTextFileSync(path) : undefined;
  } catch {
    return undefined; // not there, or not to be read: nothing is said of it
  }
}

async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return await new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
