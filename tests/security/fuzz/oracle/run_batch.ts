import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Place } from "../../permission_support.ts";
import { TRACED } from "./traced_calls.ts";

const SANDBOX = fileURLToPath(new URL("sandbox.sh", import.meta.url));
const DRIVER = fileURLToPath(new URL("driver.sh", import.meta.url));

/** Fifths of a second that a line may run. */
const PATIENCE = 8;

/** What came out of a batch of lines. */
export interface BatchResult {
  trace: string;
  /** What differs in the workspace afterwards; empty when nothing does. */
  changes: string;
  /** Lines that ran too long and were ended. */
  late: number[];
  /** Times that a canary stands in what the lines printed. */
  shown: number;
}

/** The environment of the product's children, with the locale that starts fastest. */
function environment(home: string): Record<string, string> {
  return {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: home,
    USER: "fuzz",
    LOGNAME: "fuzz",
    SHELL: "/bin/bash",
    LANG: "C",
    TERM: "dumb",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
    PAGER: "cat",
  };
}

/**
 * Executes lines one after the other in a throw-away sandbox: the system read-only, no network, process ids of its own, the
 * place's workspace as a fresh copy in memory at its own path, home and outside readable.
 */
export async function runBatch(place: Place, lines: readonly string[]): Promise<BatchResult> {
  const out = await Deno.makeTempDir({ prefix: "lumina_fuzz_" });
  try {
    await Deno.writeTextFile(join(out, "lines"), lines.map((line) => `${line}\0`).join(""));
    const template = "/tmp/.template";
    const { success, stderr } = await new Deno.Command("timeout", {
      args: [
        "-k",
        "5",
        String(60 + lines.length * 2),
        "bwrap",
        "--unshare-all",
        "--die-with-parent",
        "--new-session",
        ..."--ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --tmpfs /run".split(" "),
        ...["--ro-bind", place.home, place.home, "--ro-bind", place.outside, place.outside],
        ...["--tmpfs", place.workspace, "--ro-bind", place.workspace, template, "--bind", out, "/tmp/.out"],
        ...["--ro-bind", SANDBOX, "/tmp/.sandbox.sh", "--ro-bind", DRIVER, "/tmp/.driver.sh"],
        ..."bash /tmp/.sandbox.sh".split(" "),
        ...[template, place.workspace, "/tmp/.out", "/tmp/.driver.sh", String(PATIENCE), TRACED],
      ],
      env: { ...environment(place.home), FUZZ_CANARY: "canary-of-another-process" },
      clearEnv: true,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).output();
    const read = (name: string) => Deno.readTextFile(join(out, name)).catch(() => "");
    const [trace, state, late, shown, strace] = await Promise.all(
      ["trace", "state", "late", "shown", "strace"].map(read),
    );
    if (!success || !trace?.includes("/marker/end")) {
      throw new Error(`The sandbox did not come to its end: ${new TextDecoder().decode(stderr)} ${strace}`);
    }
    return {
      trace,
      changes: state?.trim() === "same" ? "" : state ?? "",
      late: (late ?? "").split("\n").filter((text) => text !== "").map(Number),
      shown: Number(shown),
    };
  } finally {
    await Deno.remove(out, { recursive: true });
  }
}
