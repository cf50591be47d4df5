import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type {
  CallContext,
  ConfinementLevel,
  HostMessage,
  JsonObject,
  ToolOutcome,
} from "../../core/plugin_api/mod.ts";
import type { WorkerMessage } from "../../core/plugin_api/mod.ts";

/** What one call gave: the outcome, whether the plugin was busy then, and how long it took. */
export interface CallResult extends ToolOutcome {
  busy: boolean;
  ms: number;
}

export interface ShellHostOptions {
  sandbox?: boolean;
  /** In its place: how far commands are held back. */
  level?: ConfinementLevel;
  network?: boolean;
  /** Hidden places, and what is open inside of them: below the root. */
  secrets?: string[];
  open?: string[];
  write_roots?: string[];
  /** Further keys of the sandbox. */
  more?: JsonObject;
  env?: Record<string, string>;
  config?: JsonObject;
  deny_read?: string[];
  deny_write?: string[];
  /** Hide the folder that holds the spill folder from sandboxed commands. */
  hide_app?: boolean;
  /** The root is the workspace: what is hidden lies inside of it. */
  whole_root?: boolean;
  /** Another shell than bash. */
  shell?: string;
}

/** A call under way. */
export interface LiveCall {
  result: Promise<CallResult>;
  cancel(): void;
  /** Resolves when the live output holds `text`. */
  shows(text: string): Promise<string>;
}

export const BASH = "/usr/bin/bash";
export const BWRAP = "/usr/bin/bwrap";

/** A host of the shell plugin alone, in a worker with the lists that the plugin asks for and nothing more. */
export class ShellHost implements AsyncDisposable {
  readonly root: string;
  readonly workspace: string;
  readonly spill: string;
  readonly #worker: Worker;
  readonly #options: ShellHostOptions;
  readonly #waiting = new Map<
    number,
    { done: (result: CallResult) => void; progress: (text: string) => void }
  >();
  /** What the plugin has told between its calls. */
  readonly notices: JsonObject[] = [];
  #onNotice: () => void = () => {};
  #calls = 0;
  #closed: Promise<void> | undefined;
  #onClosed: () => void = () => {};

  constructor(options: ShellHostOptions = {}) {
    this.#options = options;
    this.root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "lumina_shell_" }));
    this.workspace = options.whole_root === true ? this.root : join(this.root, "workspace");
    this.spill = join(this.root, "app", "spill");
    Deno.mkdirSync(this.workspace, { recursive: true });
    Deno.mkdirSync(this.spill, { recursive: true });
    this.#worker = new Worker(new URL("./shell_worker.ts", import.meta.url), {
      type: "module",
      deno: {
        permissions: {
          read: [this.workspace, this.spill],
          write: [this.spill],
          run: [options.shell ?? BASH, BWRAP],
          env: [],
          net: [],
          sys: [],
          ffi: [],
          import: [],
        },
      },
    } as WorkerOptions);
    this.#worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) => this.#receive(data);
  }

  /** Runs a call to its end. */
  call(tool: string, input: JsonObject): Promise<CallResult> {
    return this.start(tool, input).result;
  }

  bash(command: string, more: JsonObject = {}): Promise<CallResult> {
    return this.call("Bash", { command, ...more });
  }

  start(tool: string, input: JsonObject): LiveCall {
    const id = ++this.#calls;
    const started = performance.now();
    let live = "";
    let look = () => {};
    const result = new Promise<CallResult>((resolve) => {
      this.#waiting.set(id, {
        done: (value) => resolve({ ...value, ms: performance.now() - started }),
        progress: (text) => {
          live += text;
          look();
        },
      });
    });
    this.#send({ type: "call", id, plugin: "tools_shell", tool, input, context: this.#context() });
    return {
      result,
      cancel: () => this.#send({ type: "cancel", id, reason: "interrupted" }),
      shows: (text) =>
        new Promise((resolve, reject) => {
          look = () => live.includes(text) && resolve(live);
          look();
          result.then(() =>
            live.includes(text) || reject(new Error(`ended without showing ${text}: ${live}`))
          );
        }),
    };
  }

  /** Reads a background shell until `done` holds for what it has given so far. */
  async readUntil(shell_id: string, done: (all: string, last: CallResult) => boolean): Promise<string> {
    let all = "";
    for (;;) {
      const last = await this.call("BashOutput", { shell_id });
      assert.ok(!last.is_error, last.content);
      all += `${last.content}\n`;
      if (done(all, last)) return all;
      assert.ok(last.data?.["running"], `ended too early: ${all}`);
    }
  }

  /** The first notice of this type, as soon as there is one. */
  notice(type: string): Promise<JsonObject> {
    return new Promise((resolve) => {
      this.#onNotice = () => {
        const found = this.notices.find((notice) => notice["type"] === type);
        if (found !== undefined) resolve(found);
      };
      this.#onNotice();
    });
  }

  /** Asks the plugin to end everything; the worker ends. */
  close(): Promise<void> {
    return this.#closed ??= new Promise((resolve) => {
      this.#onClosed = resolve;
      this.#send({ type: "close" });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    this.#worker.terminate();
    await Deno.remove(this.root, { recursive: true });
  }

  #send(message: HostMessage): void {
    this.#worker.postMessage(message);
  }

  #receive(message: WorkerMessage): void {
    if (message.type === "closed") return this.#onClosed();
    if (message.type === "hello" || message.type === "failed") return;
    if (message.type === "notice") {
      this.notices.push(message.data);
      return this.#onNotice();
    }
    const waiting = this.#waiting.get(message.id);
    if (message.type === "progress") return waiting?.progress(message.text);
    if (message.type !== "outcome") throw new Error(`unexpected ${message.type}`);
    this.#waiting.delete(message.id);
    waiting?.done({ ...message.outcome, busy: message.busy, ms: 0 });
  }

  #context(): CallContext {
    const {
      sandbox = false,
      level = sandbox ? "closed" : "none",
      network = level !== "closed",
      more = {},
      write_roots = [this.workspace],
      env = {},
      config = {},
      deny_read = [],
      deny_write = [],
      hide_app,
      shell = BASH,
    } = this.#options;
    const below = (names: string[] = []) => names.map((name) => join(this.root, name));
    const open = below(this.#options.open);
    const secrets = below(this.#options.secrets).filter((path) => existsSync(path));
    return {
      call_id: crypto.randomUUID(),
      cwd: this.workspace,
      read_roots: [this.workspace],
      write_roots,
      deny_read,
      deny_write,
      seen: {},
      spill_dir: this.spill,
      confinement: { level, network, secrets: [] },
      child_env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: this.root, LANG: "C.UTF-8", ...env },
      config: {
        bash_path: shell,
        bwrap_path: BWRAP,
        sandbox: {
          secrets: secrets.map((path) => ({ path, dir: Deno.statSync(path).isDirectory })),
          hide: [
            ...hide_app ? [{ path: join(this.root, "app"), dir: true }] : [],
            ...level === "guarded" ? [{ path: `/proc/${Deno.pid}`, dir: true }] : [],
          ],
          open,
          ...more,
        },
        ...config,
      },
    };
  }
}

/** True while a process with this pid runs (a zombie does not). */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
    return !/^\d+ \(.*\) [ZX] /s.test(stat);
  } catch {
    return false; // gone
  }
}

/** Pids of the running processes whose command line holds `text`. */
export async function pidsWith(text: string): Promise<number[]> {
  const pids: number[] = [];
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const line = await Deno.readTextFile(`/proc/${name}/cmdline`);
      if (line.includes(text) && await isAlive(Number(name))) pids.push(Number(name));
    } catch {
      // ended while we looked
    }
  }
  return pids;
}
