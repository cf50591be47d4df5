import { systemWorld } from "../base/mod.ts";

/** Runs a key helper in the shell with exactly the given environment; its standard output is the answer. */
export async function runKeyHelper(
  command: string,
  options: { env: Record<string, string>; timeout_ms: number },
): Promise<string> {
  const windows = Deno.build.os === "windows";
  const limit = new AbortController();
  const over = systemWorld.sleep(options.timeout_ms, limit.signal).then(() => {
    throw new Error(`it did not end within ${options.timeout_ms / 1000} s`);
  });
  over.catch(() => {}); // the race below has it
  const child = new Deno.Command(windows ? "cmd" : "/bin/sh", {
    args: windows ? ["/d", "/s", "/c", command] : ["-c", command],
    env: options.env,
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "null", // a helper may print its key there too
  }).spawn();
  try {
    const { success, code, stdout } = await Promise.race([child.output(), over]);
    if (!success) throw new Error(`it ended with exit code ${code}`);
    return new TextDecoder().decode(stdout);
  } catch (error) {
    try {
      child.kill("SIGKILL");
    } catch {
      // it has ended already
    }
    throw error;
  } finally {
    limit.abort(new Error("done"));
  }
}
