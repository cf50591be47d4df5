import { EXIT } from "../base/mod.ts";
import type { ExitCode } from "../base/mod.ts";

/** Aborts on SIGINT, SIGTERM and a closed terminal (SIGHUP, unless `nohup` has it ignored) and remembers which came; a second signal ends the process at once. */
export class SignalAbort {
  readonly controller = new AbortController();
  #exit: ExitCode | undefined;
  #stop: (() => void)[] = [];

  constructor() {
    this.#listen("SIGINT", EXIT.interrupted, "interrupted (SIGINT)");
    if (Deno.build.os === "windows") return;
    this.#listen("SIGTERM", EXIT.terminated, "terminated (SIGTERM)");
    if (!hangupIgnored()) {
      this.#listen("SIGHUP", EXIT.terminated, "terminated: the terminal was closed (SIGHUP)");
    }
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

/** True when whoever started us wants SIGHUP to be ignored; listening would undo that. */
function hangupIgnored(): boolean {
  try {
    const ignored = /^SigIgn:\s*([0-9a-f]+)$/m.exec(Deno.readTextFileSync("/proc/self/status"))?.[1] ?? "0";
    return (BigInt(`0x${ignored}`) & 1n) === 1n;
  } catch {
    return false; // no such file on this system: nobody can tell
  }
}
