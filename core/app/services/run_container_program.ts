import { errorMessage, LuminaError } from "../../base/mod.ts";

/** How a program ended, and what it said. */
export interface ProgramEnd {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs docker or podman to its end with the environment of this process. Throws `services.failed` and the signal's reason. */
export async function runContainerProgram(
  program: string,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<ProgramEnd> {
  signal?.throwIfAborted();
  try {
    const { code, stdout, stderr } = await new Deno.Command(program, {
      args: [...args],
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      ...(signal === undefined ? {} : { signal }),
    }).output();
    signal?.throwIfAborted();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return { code, stdout: text(stdout), stderr: text(stderr) };
  } catch (error) {
    signal?.throwIfAborted();
    throw new LuminaError("services.failed", `Cannot run ${program}: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}
