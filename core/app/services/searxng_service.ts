import { join } from "node:path";
import { makePrivateDirectory } from "../../app_root/mod.ts";
import { errorMessage, EXIT, LuminaError, sha256, writeFileAtomic } from "../../base/mod.ts";
import type { World } from "../../base/mod.ts";
import type { SearxngStart, SearxngStatus, ServicesPort } from "../../cli/mod.ts";
import { guardedBytes, systemNetwork } from "../net/guarded_fetch.ts";
import { findPrograms } from "../program_paths.ts";
import { managedSearxng, searxngFolder } from "../web/managed_searxng.ts";
import type { ManagedSearxng } from "../web/managed_searxng.ts";
import { runContainerProgram } from "./run_container_program.ts";
import { searxngSettings } from "./searxng_settings.ts";

const PROGRAMS = ["docker", "podman"] as const;
/** Between two looks whether it answers. */
const POLL_MS = 200;
/** Of one look. */
const LOOK_MS = 2_000;
const NOTE = "service.json";

export interface SearxngServiceParts {
  state_dir: string;
  world: World;
  path: string | undefined;
  /** Programs in it do not count. */
  workspace: string;
}

/**
 * SearXNG in a container that publishes one port on 127.0.0.1. What was started is kept in
 * `state/services/searxng/service.json`, so that any later process finds and ends it.
 */
export class SearxngService implements ServicesPort {
  readonly #parts: SearxngServiceParts;

  constructor(parts: SearxngServiceParts) {
    this.#parts = parts;
  }

  async searxngStatus(): Promise<SearxngStatus> {
    const noted = await managedSearxng(this.#parts.state_dir);
    if (noted === undefined) return { state: "stopped" };
    const { url, container, program } = noted;
    return { state: await answers(url) ? "running" : "silent", url, container, program };
  }

  async startSearxng({ port, image, timeout_ms, signal }: SearxngStart): Promise<SearxngStatus> {
    const before = await this.searxngStatus();
    if (before.state === "running") return before;
    const program = this.#program();
    if (before.state === "silent") await this.stopSearxng();
    const folder = searxngFolder(this.#parts.state_dir);
    const config = join(folder, "config");
    makePrivateDirectory(folder);
    // the user inside of the container must read it; nobody else gets through the folder above
    await Deno.mkdir(config, { recursive: true });
    await Deno.chmod(config, 0o755);
    await Deno.writeTextFile(join(config, "settings.yml"), searxngSettings());
    await Deno.chmod(join(config, "settings.yml"), 0o644);
    const own_port = port ?? freePort();
    const name = `lumina-searxng-${sha256(folder).slice(0, 12)}`;
    // one that an interrupted start has left
    await runContainerProgram(program, ["rm", "-f", name], signal);
    const args = [
      ...["run", "--detach", "--name", name, "--publish", `127.0.0.1:${own_port}:8080`],
      ...["--volume", `${config}:/etc/searxng:Z`, "--cap-drop", "ALL"],
      ...["CHOWN", "SETGID", "SETUID", "DAC_OVERRIDE"].flatMap((capability) => ["--cap-add", capability]),
      image,
    ];
    const { code, stdout, stderr } = await runContainerProgram(program, args, signal);
    if (code !== 0) {
      throw new LuminaError(
        "services.failed",
        `${program} cannot start SearXNG: ${lastLine(stderr) || `exit code ${code}`}`,
      );
    }
    const container = lastLine(stdout) || name;
    const noted: ManagedSearxng = { url: `http://127.0.0.1:${own_port}`, port: own_port, container, program };
    await writeFileAtomic(join(folder, NOTE), `${JSON.stringify(noted)}\n`);
    await this.#ready(noted, timeout_ms, signal);
    return { state: "running", url: noted.url, container, program };
  }

  async stopSearxng(): Promise<boolean> {
    const { state_dir } = this.#parts;
    const noted = await managedSearxng(state_dir);
    if (noted === undefined) return false;
    const { program, container } = noted;
    const { code, stderr } = await runContainerProgram(program, ["rm", "-f", container]);
    if (code !== 0 && !/no such container/i.test(stderr)) {
      throw new LuminaError(
        "services.failed",
        `${program} cannot end SearXNG (${container}): ${lastLine(stderr) || `exit code ${code}`}`,
      );
    }
    await Deno.remove(join(searxngFolder(state_dir), NOTE));
    return true;
  }

  /** Waits for its first answer; what never answers is ended. */
  async #ready(
    { url, container, program }: ManagedSearxng,
    timeout_ms: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { world } = this.#parts;
    const until = world.mono() + timeout_ms;
    try {
      for (let look = 1; !await answers(url); look++) {
        signal.throwIfAborted();
        const ended = look % 5 === 0 && await hasEnded(program, container, signal);
        if (ended || world.mono() > until) {
          const { stdout, stderr } = await runContainerProgram(program, ["logs", "--tail", "5", container]);
          const said = lastLine(`${stdout}\n${stderr}`);
          throw new LuminaError(
            "services.not_ready",
            `SearXNG ${ended ? "has ended" : `did not answer within ${timeout_ms / 1000} s`}${
              said === "" ? "" : `; its last line: ${said}`
            }`,
          );
        }
        await world.sleep(POLL_MS, signal);
      }
    } catch (error) {
      await this.stopSearxng().catch((failure) => {
        throw new LuminaError("services.failed", `${errorMessage(error)}; ${errorMessage(failure)}`);
      });
      throw error;
    }
  }

  #program(): string {
    const found = findPrograms(PROGRAMS, this.#parts.path, this.#parts.workspace);
    const program = PROGRAMS.map((name) => found[name]).find((path) => path !== undefined);
    if (program !== undefined) return program;
    throw new LuminaError(
      "services.no_program",
      "SearXNG runs in a container, and neither docker nor podman is on the PATH: install one, or set web_search_base_url to a SearXNG that runs elsewhere",
      { exit: EXIT.blocked },
    );
  }
}

/** True when it says that it is well (`/healthz`). */
async function answers(url: string): Promise<boolean> {
  try {
    const { status } = await guardedBytes({
      url: new URL("/healthz", url),
      method: "GET",
      headers: new Headers(),
      private_allowed: true,
      signal: AbortSignal.timeout(LOOK_MS),
    }, systemNetwork());
    return status === 200;
  } catch {
    return false; // nobody listens yet, or no longer
  }
}

async function hasEnded(program: string, container: string, signal: AbortSignal): Promise<boolean> {
  const { code, stdout } = await runContainerProgram(
    program,
    ["inspect", "--format", "{{.State.Running}}", container],
    signal,
  );
  return code !== 0 || stdout.trim() === "false";
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return (listener.addr as Deno.NetAddr).port;
}

/** The last line that says something: after an error docker points to its help. */
function lastLine(text: string): string {
  const lines = text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  return (lines.findLast((line) => !/ --help\b/.test(line)) ?? lines.at(-1) ?? "").slice(0, 400);
}
