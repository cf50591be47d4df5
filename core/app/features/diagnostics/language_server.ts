import { pathToFileURL } from "node:url";
import { LuminaError } from "../../../base/mod.ts";
import type { World } from "../../../base/mod.ts";
import { isJsonObject } from "../../../types/mod.ts";
import type { Json, JsonObject } from "../../../types/mod.ts";
import { LspConnection } from "./lsp_connection.ts";
import { readProblems } from "./problems.ts";
import type { Problem } from "./problems.ts";

/** What a server is started with. */
export interface ServerStart {
  name: string;
  program: string;
  args: readonly string[];
  /** All of its environment. */
  env: Readonly<Record<string, string>>;
  workspace: string;
  initialization_options: Json | undefined;
  world: World;
}

/** How long a server that publishes by itself must be silent after it has published, milliseconds: some do so in parts. */
const SETTLED_MS = 250;
/** How long a server may take to get ready, and to end by itself, milliseconds. */
const READY_MS = 60_000;
const LEAVE_MS = 1_000;

interface OpenFile {
  version: number;
  text: string;
  problems: Problem[];
  /** Called at each publication. */
  published: Set<() => void>;
}

/** One language server, in a process group of its own. It has what it needs over its own pipes alone. */
export class LanguageServer {
  readonly name: string;
  readonly #start: ServerStart;
  readonly #child: Deno.ChildProcess;
  readonly #connection: LspConnection;
  readonly #ready: Promise<JsonObject>;
  readonly #files = new Map<string, OpenFile>();
  readonly #gone = new AbortController();

  /** Starts the program. Throws when it cannot be started. */
  constructor(start: ServerStart) {
    this.name = start.name;
    this.#start = start;
    this.#child = new Deno.Command(start.program, {
      args: [...start.args],
      cwd: start.workspace,
      clearEnv: true,
      env: { ...start.env },
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
      detached: true,
    }).spawn();
    this.#connection = new LspConnection(this.#child.stdout, this.#child.stdin, {
      asked: (method, params) => this.#asked(method, params),
      told: (method, params) => this.#told(method, params),
    });
    this.#connection.ended.then((error) =>
      this.#gone.abort(error ?? new LuminaError("lsp.ended", "it has ended"))
    );
    this.#ready = this.#initialize();
    this.#ready.catch(() => {}); // told to whoever waits for it
  }

  /** The last problems of a file as the server was told of it. */
  known(path: string): Problem[] {
    return this.#files.get(path)?.problems ?? [];
  }

  /**
   * Tells the server what a file holds, and gives its problems when they are known. Throws `lsp.ended` when the server is gone,
   * and the signal's reason.
   */
  async look(path: string, language: string, text: string, signal: AbortSignal): Promise<Problem[]> {
    const limit = AbortSignal.any([signal, this.#gone.signal]);
    const abilities = await until(this.#ready, limit);
    const open = this.#files.get(path);
    if (open?.text === text) return open.problems;
    const uri = pathToFileURL(path).href;
    const file: OpenFile = open ?? { version: 0, text, problems: [], published: new Set() };
    file.version++;
    file.text = text;
    this.#files.set(path, file);
    const published = this.#settled(file, limit);
    published.catch(() => {}); // a server that is asked need not publish
    if (open === undefined) {
      const document = { uri, languageId: language, version: file.version, text };
      this.#connection.notify("textDocument/didOpen", { textDocument: document });
    } else {
      this.#connection.notify("textDocument/didChange", {
        textDocument: { uri, version: file.version },
        contentChanges: [{ text }],
      });
    }
    this.#connection.notify("textDocument/didSave", { textDocument: { uri } });
    if (abilities["diagnosticProvider"] === undefined) await published;
    else {
      const asked = this.#connection.request("textDocument/diagnostic", { textDocument: { uri } });
      const report = await until(asked, limit);
      if (isJsonObject(report) && report["items"] !== undefined) {
        file.problems = readProblems(report["items"]);
      }
    }
    return file.problems;
  }

  /** Lets the server leave, and ends what is left of its group. */
  async close(): Promise<void> {
    const left = (async () => {
      await this.#ready;
      await this.#connection.request("shutdown", null);
      this.#connection.notify("exit", null);
      await this.#child.status;
    })().catch(() => {}); // it is ended below
    const enough = new AbortController();
    await Promise.race([left, this.#start.world.sleep(LEAVE_MS, enough.signal).catch(() => {})]);
    enough.abort();
    this.kill();
    await this.#child.status;
    await this.#connection.ended;
    await this.#connection.close();
  }

  /** Ends the group at once. */
  kill(): void {
    try {
      if (Deno.build.os === "windows") this.#child.kill("SIGKILL");
      else Deno.kill(-this.#child.pid, "SIGKILL");
    } catch (error) {
      // it has ended already
      if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
    }
  }

  async #initialize(): Promise<JsonObject> {
    const { workspace, initialization_options, world } = this.#start;
    const uri = pathToFileURL(workspace).href;
    const enough = new AbortController();
    const late = world.sleep(READY_MS, enough.signal).then(() => {
      const seconds = READY_MS / 1000;
      throw new LuminaError("lsp.slow", `it was not ready within ${seconds} s`);
    });
    try {
      const answer = await Promise.race([
        late,
        this.#connection.request("initialize", {
          processId: Deno.pid, // it ends when this process is gone
          clientInfo: { name: "lumina" },
          rootPath: workspace,
          rootUri: uri,
          workspaceFolders: [{ uri, name: "workspace" }],
          capabilities: {
            general: { positionEncodings: ["utf-16"] },
            workspace: { configuration: true, workspaceFolders: true },
            textDocument: {
              synchronization: { didSave: true },
              publishDiagnostics: { versionSupport: true, relatedInformation: false },
              diagnostic: {},
            },
          },
          ...(initialization_options === undefined ? {} : { initializationOptions: initialization_options }),
        }),
      ]);
      this.#connection.notify("initialized", {});
      const abilities = isJsonObject(answer) ? answer["capabilities"] : undefined;
      return abilities !== undefined && isJsonObject(abilities) ? abilities : {};
    } finally {
      enough.abort();
    }
  }

  #asked(method: string, params: Json): Json | undefined {
    switch (method) {
      case "workspace/configuration": {
        const items = isJsonObject(params) ? params["items"] : undefined;
        return Array.isArray(items) ? items.map(() => null) : [];
      }
      case "workspace/workspaceFolders":
        return [{ uri: pathToFileURL(this.#start.workspace).href, name: "workspace" }];
      case "client/registerCapability":
      case "client/unregisterCapability":
      case "window/workDoneProgress/create":
      case "window/showMessageRequest":
      case "workspace/diagnostic/refresh":
        return null;
      default:
        return undefined; // nothing is edited or opened for a server
    }
  }

  #told(method: string, params: Json): void {
    if (method !== "textDocument/publishDiagnostics" || !isJsonObject(params)) return;
    const { uri, version, diagnostics } = params;
    for (const [path, file] of this.#files) {
      if (pathToFileURL(path).href !== uri && decoded(pathToFileURL(path).href) !== decoded(String(uri))) {
        continue;
      }
      if (typeof version === "number" && version < file.version) continue; // of the text before
      file.problems = readProblems(diagnostics);
      for (const tell of file.published) tell();
    }
  }

  /** Resolves when the server has published and then been silent for a while. */
  async #settled(file: OpenFile, limit: AbortSignal): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let tell = () => {};
    const settled = new Promise<void>((resolve) => {
      tell = () => {
        clearTimeout(timer);
        timer = setTimeout(resolve, SETTLED_MS);
      };
      file.published.add(tell);
    });
    try {
      await until(settled, limit);
    } finally {
      clearTimeout(timer);
      file.published.delete(tell);
    }
  }
}

/** Servers encode what they give back in their own ways. */
function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}

/** The promise's result, or the signal's reason when it aborts first. */
async function until<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let onAbort = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
