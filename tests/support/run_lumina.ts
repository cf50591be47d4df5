import { join, resolve } from "node:path";
import { TextLineStream } from "./text_line_stream.ts";
import { RUN_FLAGS } from "../../scripts/run_flags.ts";
import { REPO_ROOT } from "./repo_root.ts";
import { tempDir } from "./temp_dir.ts";

/** Variables of this process that a run inherits; everything else must be given. */
const INHERITED = ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "USER", "DENO_DIR", "XDG_CACHE_HOME"];

export interface LuminaOptions {
  /** Added to a short allow-list of this process's variables. */
  env?: Record<string, string>;
  cwd?: string;
  /** AppRoot of the run; by default a temporary one that is removed when the run has ended. */
  app_root?: string;
  /** The compiled program to run; by default the program in this Deno, see `luminaCommand`. */
  artifact?: string;
  /** Kills the run (SIGTERM) when it aborts. */
  signal?: AbortSignal;
}

export interface LuminaResult {
  /** Exit code; 128 + n when signal n ended it. */
  code: number;
  stdout: string;
  stderr: string;
}

/** A run that is still going. Disposing kills it and waits for its end. */
export interface LuminaProcess extends AsyncDisposable {
  readonly pid: number;
  /** The lines of stdout as they come, from the first; ends with the run. May be used once. */
  lines(): AsyncIterable<string>;
  /** The text of stderr as it comes, in pieces of any length. May be used once. */
  errors(): AsyncIterable<string>;
  /** Writes to stdin. */
  write(text: string): Promise<void>;
  closeInput(): Promise<void>;
  /** Writes a whole stdin and closes it; a program that ends without reading is no error. */
  writeAll(input: string | Uint8Array): Promise<void>;
  kill(signal?: Deno.Signal): void;
  /** The end of the run, with everything it printed. */
  readonly finished: Promise<LuminaResult>;
}

/** Runs the real command line to its end. `stdin` is empty unless given. */
export async function runLumina(
  args: readonly string[],
  options: LuminaOptions & { stdin?: string | Uint8Array } = {},
): Promise<LuminaResult> {
  await using run = await startLumina(args, options);
  await run.writeAll(options.stdin ?? "");
  return await run.finished;
}

/** Starts the real command line with all three pipes open. */
export async function startLumina(
  args: readonly string[],
  options: LuminaOptions = {},
): Promise<LuminaProcess> {
  const own_root = options.app_root === undefined ? await tempDir("lumina-app-root-") : undefined;
  const env: Record<string, string> = {};
  for (const name of INHERITED) {
    const value = Deno.env.get(name);
    if (value !== undefined) env[name] = value;
  }
  const { program, flags } = luminaCommand(options.artifact);
  const child = new Deno.Command(program, {
    args: [...flags, ...args],
    clearEnv: true,
    env: {
      ...env,
      NO_COLOR: "1",
      // requests come when a test's script expects them; the tests of the history switch it on
      LUMINA_SESSION_MEMORY_TURN_INTERVAL: "0",
      LUMINA_APP_ROOT: options.app_root ?? own_root?.path ?? "",
      ...options.env,
    },
    cwd: options.cwd ?? REPO_ROOT,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  }).spawn();
  const [live, kept] = child.stdout.tee();
  const [live_errors, kept_errors] = child.stderr.tee();
  const input = child.stdin.getWriter();
  let used = false;
  let errors_used = false;

  async function finish(): Promise<LuminaResult> {
    const [status, stdout, stderr] = await Promise.all([child.status, text(kept), text(kept_errors)]);
    if (!used) await live.cancel();
    if (!errors_used) await live_errors.cancel();
    await input.close().catch(() => {}); // closed before, or the program went without reading
    await own_root?.[Symbol.asyncDispose]();
    return { code: status.code, stdout, stderr };
  }
  const finished = finish();

  const run: LuminaProcess = {
    pid: child.pid,
    finished,
    lines() {
      used = true;
      return live.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream());
    },
    errors() {
      errors_used = true;
      return live_errors.pipeThrough(new TextDecoderStream());
    },
    write: (part) => input.write(new TextEncoder().encode(part)),
    closeInput: () => input.close(),
    async writeAll(all) {
      try {
        await input.write(typeof all === "string" ? new TextEncoder().encode(all) : all);
        await input.close();
      } catch {
        // the program ended without reading its input: its exit code and output tell the rest
      }
    },
    kill(signal = "SIGTERM") {
      try {
        child.kill(signal);
      } catch {
        // it has ended already
      }
    },
    async [Symbol.asyncDispose]() {
      run.kill("SIGKILL");
      await finished;
    },
  };
  return run;
}

/**
 * The program and the arguments before Lumina's own: a compiled file, the bundle that `scripts/run_tests.ts` makes of this
 * checkout, or its sources.
 */
export function luminaCommand(artifact?: string): { program: string; flags: string[] } {
  if (artifact !== undefined) return { program: artifact, flags: [] };
  const bundled = Deno.env.get("LUMINA_TEST_PROGRAM");
  return bundled === undefined ? sourceCommand("main.ts") : command(["--no-config"], bundled);
}

/** A module of the sources instead, with the permissions of the program. */
export function sourceCommand(module: string): { program: string; flags: string[] } {
  return command(["--config", join(REPO_ROOT, "deno.json")], module);
}

function command(config: readonly string[], module: string): { program: string; flags: string[] } {
  const flags = ["run", "--quiet", "--no-check", ...config, ...RUN_FLAGS, resolve(REPO_ROOT, module)];
  return { program: Deno.execPath(), flags };
}

function text(stream: ReadableStream<Uint8Array>): Promise<string> {
  return new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).text();
}
