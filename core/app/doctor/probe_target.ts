import type { Target } from "./command_script.ts";

/** A process that probes try to see and to end, and the one that they try to leave behind. */
export interface ProbeTarget extends Target, AsyncDisposable {
  /** For how long the one that is left behind would sleep: a number that nobody else has. */
  seconds: string;
  /** Whether it still answers; asked once. */
  alive(): Promise<boolean>;
  /** Whether the one that a probe started is still there; it is ended then. */
  leftBehind(): Promise<boolean>;
}

/** Ends every process that has $1 among its arguments and says which; a program without all permissions cannot look itself. */
const FIND = `for file in /proc/[0-9]*/cmdline; do
  if grep -qa "$1" "$file" 2>/dev/null; then
    pid="\${file#/proc/}"; pid="\${pid%/cmdline}"
    kill -KILL "$pid" 2>/dev/null && echo "$pid"
  fi
done`;

/** Starts it: a shell that answers one line, with a name of its own among its arguments. */
export function startTarget(mark: string): ProbeTarget {
  const name = `lumina-probe-${mark}`;
  const digits = [...mark].map((char) => char.charCodeAt(0) % 10).join("");
  const seconds = `60.${digits}`;
  const child = new Deno.Command("/bin/sh", {
    args: ["-c", 'read -r line; echo "$line"', name],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const answer = new Response(child.stdout).text();
  let asked: Promise<boolean> | undefined;
  const ask = async (): Promise<boolean> => {
    const input = child.stdin.getWriter();
    try {
      await input.write(new TextEncoder().encode("here\n"));
      await input.close();
    } catch {
      // it has ended: the answer says so
    }
    await child.status;
    return await answer === "here\n";
  };
  return {
    pid: child.pid,
    name,
    seconds,
    alive: () => asked ??= ask(),
    async leftBehind() {
      // the pattern does not match itself
      const { stdout } = await new Deno.Command("/bin/sh", {
        args: ["-c", FIND, "sh", `sleep.[6]${seconds.slice(1)}`],
        stdin: "null",
        stderr: "null",
      }).output();
      return new TextDecoder().decode(stdout).trim() !== "";
    },
    async [Symbol.asyncDispose]() {
      await (asked ??= ask());
    },
  };
}
