import { appRootPaths } from "../../core/app_root/mod.ts";
import { systemWorld } from "../../core/base/mod.ts";
import { openJournal } from "../../core/journal/mod.ts";
import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import type {
  ProviderScriptInput,
  RecordedRequest,
  ScriptedProvider,
} from "../../core/model/scripted/mod.ts";
import type { JsonObject, StoredEvent } from "../../core/types/mod.ts";
import { startLumina } from "./run_lumina.ts";
import type { LuminaProcess, LuminaResult } from "./run_lumina.ts";
import { tempDir } from "./temp_dir.ts";
import type { TempDir } from "./temp_dir.ts";

export const WIRES = ["anthropic", "openai_compatible"] as const;
export type Wire = (typeof WIRES)[number];

// deno-lint-ignore no-explicit-any -- lines of a public format, which the tests take apart field by field
export type Line = Record<string, any>;

/** A run with `--output-format stream-json`. */
export interface AgentRun extends LuminaResult {
  lines: Line[];
  /** The lines of each prompt, up to its result. */
  prompts: Line[][];
  session_id: string;
}

export interface RunSettings {
  wire?: Wire;
  /** Settings as environment variables without their prefix: `API_MAX_ATTEMPTS`. */
  settings?: Record<string, string>;
  /** Further variables as they stand. */
  env?: Record<string, string>;
  cwd?: string;
  stdin?: string | Uint8Array;
  /** A compiled program; `main.ts` in this Deno without it. */
  artifact?: string;
}

/** A workspace, an AppRoot that outlives each run, and a scripted provider, for runs of the real program. */
export class AgentProject implements AsyncDisposable {
  /** The workspace. */
  readonly dir: TempDir;
  readonly app_root: string;
  readonly provider: ScriptedProvider;
  readonly #root: TempDir;

  private constructor(dir: TempDir, root: TempDir, provider: ScriptedProvider) {
    this.dir = dir;
    this.#root = root;
    this.app_root = root.path;
    this.provider = provider;
  }

  static async open(script: ProviderScriptInput): Promise<AgentProject> {
    const provider = await startScriptedProvider(script);
    return new AgentProject(await tempDir("lumina-ws-"), await tempDir("lumina-root-"), provider);
  }

  /** Starts the program; nothing but the model's address and key is set. */
  start(args: readonly string[], options: RunSettings = {}): Promise<LuminaProcess> {
    const wire = options.wire ?? "anthropic";
    const env: Record<string, string> = {
      LUMINA_API_KEY: "sk-scripted",
      LUMINA_API_MODEL: "scripted-model",
      LUMINA_API_TYPE: wire,
      LUMINA_API_BASE_URL: wire === "anthropic" ? this.provider.url : `${this.provider.url}/v1`,
    };
    for (const [name, value] of Object.entries(options.settings ?? {})) env[`LUMINA_${name}`] = value;
    Object.assign(env, options.env);
    return startLumina(args, {
      app_root: this.app_root,
      cwd: options.cwd ?? this.dir.path,
      env,
      ...(options.artifact === undefined ? {} : { artifact: options.artifact }),
    });
  }

  /** Runs the program to its end. */
  async run(args: readonly string[], options: RunSettings = {}): Promise<LuminaResult> {
    await using run = await this.start(args, options);
    await run.writeAll(options.stdin ?? "");
    return await run.finished;
  }

  /** Runs one prompt with `--output-format stream-json`. */
  async stream(prompt: string, args: readonly string[] = [], options: RunSettings = {}): Promise<AgentRun> {
    return readRun(await this.run(["-p", prompt, "--output-format", "stream-json", ...args], options));
  }

  /** Runs several prompts in one process and session, one after the other. */
  async converse(
    prompts: readonly (string | Line)[],
    args: readonly string[] = [],
    options: RunSettings = {},
  ): Promise<AgentRun> {
    const stdin = prompts.map((prompt) => `${JSON.stringify(userLine(prompt))}\n`).join("");
    const formats = ["--input-format", "stream-json", "--output-format", "stream-json"];
    return readRun(await this.run(["-p", ...formats, ...args], { ...options, stdin }));
  }

  /** All events of a session that no process owns. */
  async journal(session_id: string): Promise<StoredEvent[]> {
    const path = `${appRootPaths(this.app_root).sessionDir(session_id)}/runtime.sqlite`;
    const journal = await openJournal(path, { readonly: true, world: systemWorld });
    try {
      return await journal.read({ limit: 5000 });
    } finally {
      await journal.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.provider.close();
    await this.dir[Symbol.asyncDispose]();
    await this.#root[Symbol.asyncDispose]();
  }
}

/** A user message for `--input-format stream-json`; other lines pass as they are. */
export function userLine(prompt: string | Line): Line {
  return typeof prompt === "string" ? { type: "user", message: { role: "user", content: prompt } } : prompt;
}

/** Reads what a stream-json run printed; throws on a line that is no JSON. */
export function readRun(result: LuminaResult): AgentRun {
  const lines: Line[] = result.stdout.split("\n").filter((line) => line !== "").map((line) =>
    JSON.parse(line)
  );
  const prompts: Line[][] = [[]];
  for (const line of lines) {
    prompts.at(-1)?.push(line);
    if (line["type"] === "result") prompts.push([]);
  }
  if (prompts.at(-1)?.length === 0) prompts.pop();
  return {
    ...result,
    lines,
    prompts,
    session_id: lines.find((line) => "session_id" in line)?.["session_id"] ?? "",
  };
}

/** The last `result` line. */
export function resultOf(lines: readonly Line[]): Line {
  const result = lines.findLast((line) => line["type"] === "result");
  if (result === undefined) throw new Error(`no result among ${JSON.stringify(lines)}`);
  return result;
}

/** The tool results among lines, in the order in which they were printed. */
export function toolResults(lines: readonly Line[]): { id: string; content: string; is_error: boolean }[] {
  return lines.filter((line) => line["type"] === "user" && Array.isArray(line["message"].content))
    .flatMap((line) => line["message"].content as Line[])
    .filter((block) => block["type"] === "tool_result")
    .map((block) => ({
      id: block["tool_use_id"],
      content: block["content"],
      is_error: block["is_error"] === true,
    }));
}

/** What a request tells the model of its last tool results, on either wire: text and whether it failed. */
export function sentResults(request: RecordedRequest | undefined): { content: string; is_error: boolean }[] {
  const messages = (request?.body as { messages?: Line[] } | undefined)?.messages ?? [];
  const last = messages.slice(messages.findLastIndex((message) => message["role"] === "assistant") + 1);
  if (request?.wire !== "anthropic") {
    return last.filter((message) => message["role"] === "tool").map((message) => ({
      content: String(message["content"]),
      is_error: String(message["content"]).startsWith("[ERROR] "),
    }));
  }
  const blocks: Line[] = last.flatMap((message) =>
    Array.isArray(message["content"]) ? message["content"] : []
  );
  return blocks.filter((block) => block["type"] === "tool_result").map((block) => ({
    content: typeof block["content"] === "string"
      ? block["content"]
      : (block["content"] as Line[]).map((part) => part["text"]).join(""),
    is_error: block["is_error"] === true,
  }));
}

/** The payload of an event as a bag of fields. */
export function payload(event: StoredEvent | undefined): Line {
  return (event?.payload ?? {}) as JsonObject;
}
