import assert from "node:assert/strict";
import { appRootPaths } from "../../core/app_root/mod.ts";
import type { ScriptedProvider } from "../../core/model/scripted/mod.ts";
import type { JsonObject } from "../../core/types/mod.ts";
import { readRun, resultOf, toolResults, userLine } from "../support/agent_project.ts";
import type { AgentRun, Line } from "../support/agent_project.ts";
import { startLumina } from "../support/run_lumina.ts";
import type { LuminaProcess } from "../support/run_lumina.ts";
import { tempDir } from "../support/temp_dir.ts";
import type { TempDir } from "../support/temp_dir.ts";

export interface SettingsRunOptions {
  args?: readonly string[];
  env?: Record<string, string>;
  /** Start directory inside the workspace. */
  cwd?: string;
  /** Put into the user's file before the start. */
  settings?: JsonObject;
  /** Called with the workspace and the AppRoot before the start. */
  prepare?(workspace: TempDir, app: TempDir): Promise<unknown>;
}

/** The settings that reach a scripted provider over Anthropic's wire. */
export function reach(provider: Pick<ScriptedProvider, "url">, more: JsonObject = {}): JsonObject {
  return { api_key: "k", api_model: "m", api_type: "anthropic", api_base_url: provider.url, ...more };
}

/**
 * One process of the real program with a workspace and an AppRoot of its own. It takes prompts one after the other, and
 * each turn may write the user's settings before it.
 */
export class SettingsRun implements AsyncDisposable {
  readonly workspace: TempDir;
  readonly app: TempDir;
  readonly #process: LuminaProcess;
  readonly #lines: AsyncIterator<string>;

  private constructor(workspace: TempDir, app: TempDir, process: LuminaProcess) {
    this.workspace = workspace;
    this.app = app;
    this.#process = process;
    this.#lines = process.lines()[Symbol.asyncIterator]();
  }

  static async start(options: SettingsRunOptions = {}): Promise<SettingsRun> {
    const [workspace, app] = [await tempDir("lumina-ws-"), await tempDir("lumina-root-")];
    await writeSettings(app, options.settings ?? {});
    await options.prepare?.(workspace, app);
    const formats = ["--input-format", "stream-json", "--output-format", "stream-json"];
    const process = await startLumina(["-p", ...formats, ...options.args ?? []], {
      cwd: workspace.join(options.cwd ?? "."),
      app_root: app.path,
      env: options.env ?? {},
    });
    return new SettingsRun(workspace, app, process);
  }

  /** Writes the settings when they are given, runs a prompt, and gives its lines. */
  async turn(settings?: JsonObject): Promise<Line[]> {
    if (settings !== undefined) await writeSettings(this.app, settings);
    await this.#process.write(`${JSON.stringify(userLine("go"))}\n`);
    const lines: Line[] = [];
    while (lines.at(-1)?.["type"] !== "result") {
      const { done, value } = await this.#lines.next();
      if (done) throw new Error(`the run ended early: ${(await this.#process.finished).stderr}`);
      lines.push(JSON.parse(value));
    }
    return lines;
  }

  /** A turn that must end well; gives its answer. */
  async answer(settings?: JsonObject): Promise<string> {
    const result = resultOf(await this.turn(settings));
    assert.equal(result["is_error"], false, JSON.stringify(result));
    return result["result"];
  }

  /** A turn that must fail; gives its error in words. */
  async failure(settings?: JsonObject): Promise<string> {
    const result = resultOf(await this.turn(settings));
    assert.equal(result["is_error"], true, JSON.stringify(result));
    return result["errors"].join("\n");
  }

  /** Ends the input and waits for the end. */
  async end(): Promise<{ code: number; stderr: string }> {
    await this.#process.closeInput();
    return await this.#process.finished;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
    await this.workspace[Symbol.asyncDispose]();
    await this.app[Symbol.asyncDispose]();
  }
}

/** One prompt in a process of its own. */
export async function runOnce(options: SettingsRunOptions): Promise<AgentRun> {
  await using workspace = await tempDir("lumina-ws-");
  await using app = await tempDir("lumina-root-");
  await writeSettings(app, options.settings ?? {});
  await options.prepare?.(workspace, app);
  await using process = await startLumina(
    ["-p", "go", "--output-format", "stream-json", ...options.args ?? []],
    { cwd: workspace.join(options.cwd ?? "."), app_root: app.path, env: options.env ?? {} },
  );
  await process.closeInput();
  return readRun(await process.finished);
}

/** What each call of a run gave, in order. */
export function outcomes(lines: readonly Line[]): { content: string; is_error: boolean }[] {
  return toolResults(lines).map(({ content, is_error }) => ({ content, is_error }));
}

async function writeSettings(app: TempDir, settings: JsonObject): Promise<void> {
  const file = appRootPaths(app.path).settingsFile;
  await app.write(file.slice(app.path.length + 1), JSON.stringify(settings));
}
