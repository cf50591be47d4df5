import { errorMessage, LuminaError } from "../../base/mod.ts";

const MOST_BYTES = 4 * 1024 * 1024;

/**
 * Runs a person's own command in the shell with exactly the given environment and a text on its standard input; what it
 * prints is the answer. It is ended with the signal. Throws `web.search` and the signal's reason.
 */
export async function runCommand(
  command: string,
  input: string,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string> {
  const windows = Deno.build.os === "windows";
  const child = new Deno.Command(windows ? "cmd" : "/bin/sh", {
    args: windows ? ["/d", "/s", "/c", command] : ["-c", command],
    env: { ...env },
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
    signal,
  }).spawn();
  const writing = (async () => {
    const writer = child.stdin.getWriter();
    try {
      await writer.write(new TextEncoder().encode(input));
      await writer.close();
    } catch {
      // a command that does not read its input has closed it
    }
  })();
  const { success, code, stdout } = await child.output();
  await writing;
  signal.throwIfAborted();
  if (!success) {
    throw new LuminaError("web.search", `web_search_custom.command ended with exit code ${code}`);
  }
  if (stdout.length > MOST_BYTES) {
    throw new LuminaError("web.search", `web_search_custom.command printed more than ${MOST_BYTES} bytes`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(stdout);
  } catch (error) {
    throw new LuminaError("web.search", `web_search_custom.command printed no text: ${errorMessage(error)}`);
  }
}
