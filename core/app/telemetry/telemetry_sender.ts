import { errorMessage } from "../../base/mod.ts";
import type { World } from "../../base/mod.ts";
import { programCommand } from "../../plugin_host/process/mod.ts";
import { TELEMETRY_ARGUMENT } from "./telemetry_message.ts";
import type { TelemetryMessage } from "./telemetry_message.ts";

/** Messages that may wait for the exporter's process; more are dropped. */
const MOST_WAITING = 10_000;
/** How long a request of the exporter may take, and how long the exporter may take for what is left, milliseconds. */
const REQUEST_MS = 3_000;
const LEAVE_MS = 20_000;

/** Hands messages to the exporter's process. What goes wrong with it is told once and never touches a run. */
export class TelemetrySender {
  readonly #child: Deno.ChildProcess | undefined;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array> | undefined;
  readonly #world: World;
  readonly #warn: (text: string) => void;
  #waiting = 0;
  #failed = false;

  /** `env`: the user's variables of OpenTelemetry, and nothing else. */
  constructor(
    endpoint: string,
    env: Readonly<Record<string, string>>,
    world: World,
    warn: (text: string) => void,
  ) {
    this.#world = world;
    this.#warn = warn;
    const { program, args } = programCommand(TELEMETRY_ARGUMENT);
    try {
      this.#child = new Deno.Command(program, {
        args,
        cwd: "/",
        clearEnv: true,
        env: {
          OTEL_SERVICE_NAME: "lumina",
          OTEL_EXPORTER_OTLP_TIMEOUT: String(REQUEST_MS),
          ...env,
          ...(endpoint === "" ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }),
          OTEL_DENO: "true",
          OTEL_DENO_CONSOLE: "replace",
        },
        stdin: "piped",
        stdout: "null",
        stderr: "null",
        detached: true,
      }).spawn();
      this.#writer = this.#child.stdin.getWriter();
    } catch (error) {
      this.#fail(errorMessage(error));
    }
  }

  send(message: TelemetryMessage): void {
    if (this.#writer === undefined || this.#failed || this.#waiting >= MOST_WAITING) return;
    this.#waiting++;
    this.#writer.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`)).then(
      () => this.#waiting--,
      () => this.#fail("its process has ended"),
    );
  }

  /** Lets the exporter send what is left, for a while. */
  async close(): Promise<void> {
    if (this.#child === undefined) return;
    await this.#writer?.close().catch(() => {}); // its process has ended
    const enough = new AbortController();
    const late = this.#world.sleep(LEAVE_MS, enough.signal).then(() => "late", () => "left");
    const ended = await Promise.race([this.#child.status.then(() => "left"), late]);
    enough.abort();
    if (ended === "late") {
      this.#child.kill("SIGKILL");
      await this.#child.status;
      this.#fail(`what is left was not sent within ${LEAVE_MS / 1000} s`);
    }
  }

  #fail(why: string): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#warn(`Telemetry is not exported: ${why}`);
  }
}
