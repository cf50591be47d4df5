import { errorMessage, EXIT, LuminaError } from "../../base/mod.ts";
import type { ProviderScriptInput } from "./script_schema.ts";
import { startScriptedProvider } from "./start_scripted_provider.ts";

/**
 * `lumina dev provider`: serves a script file (JSON) until `signal` aborts. Prints the address on a line of its own, then
 * one line a request. Throws `model.script_unreadable` or `model.script_invalid` (exit 2), `model.script_port`.
 */
export async function runScriptedProvider(options: {
  script_file: string;
  port: number;
  signal: AbortSignal;
  print: (line: string) => void;
}): Promise<void> {
  const { script_file, port, signal, print } = options;
  await using provider = await startScriptedProvider(await readScript(script_file), {
    port,
    onRequest: (request) => print(`${request.n} ${request.wire} ${request.path} ${request.raw.length} bytes`),
  });
  print(provider.url);
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** The script's shape is checked by the provider itself. */
async function readScript(path: string): Promise<ProviderScriptInput> {
  try {
    return JSON.parse((await Deno.readTextFile(path)).replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new LuminaError(
      "model.script_unreadable",
      `Cannot read the provider script ${path}: ${errorMessage(error)}`,
      { exit: EXIT.usage, cause: error },
    );
  }
}
