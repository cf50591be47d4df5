import { EXIT } from "../base/mod.ts";
import type { ExitCode } from "../base/mod.ts";

/** Aborts on SIGINT and SIGTERM and remembers which came; a second signal ends the process at once. */
export class SignalAbort {
  readonly controller = new AbortController();
  #exit: ExitCode | undefined;
  #stop: (() => void)[] = [];

  constructor() {
    this.#listen("SIGINT", EXIT.interrupted, "interrupted (SIGINT)");
    if (Deno.build.os !== "windows") this.#listen("SIGTERM", EXIT.terminated, "terminated (SIGTERM)");
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** The exit code of the signal that came; undefined when none did. */
  get exit(): ExitCode | undefined {
    return this.#exit;
  }

  /** Gives the signals back. */
  stop(): void {
    for (const stop of this.#stop) stop();
  }

  #listen(name: Deno.Signal, exit: ExitCode, reason: string): void {
    const handler = () => {
      if (this.#exit !== undefined) Deno.exit(exit);
      this.#exit = exit;
      this.controller.abort(new Error(reason));
    };
    Deno.addSignalListener(name, handler);
    this.#stop.push(() => Deno.removeSignalListener(name, handler));
  }
}
