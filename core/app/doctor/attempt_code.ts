/** What code that was given nothing tries. */
export interface AttemptInput {
  outside: string;
  key_file: string;
  port: number;
  socket: string;
  /** A program that can be started. */
  program: string;
  /** A folder that must not be written in this mode. */
  closed_folder: string | undefined;
}

/** How one attempt ended: the name of the error, or that it worked. */
export interface AttemptResult {
  what: string;
  held: boolean;
  found: string;
}

/**
 * JavaScript that defines `attempts(input)`: tries what a grant must refuse and says how each ended. It is a text because it
 * runs where the program's own modules cannot be loaded.
 */
export const ATTEMPT_CODE = `async function attempts(input) {
  const doors = {
    "write outside": () => Deno.writeTextFile(input.outside + "/written", "x"),
    "read a key": () => Deno.readTextFile(input.key_file),
    "connect over TCP": async () => (await Deno.connect({ hostname: "127.0.0.1", port: input.port })).close(),
    "connect to a unix socket": async () =>
      (await Deno.connect({ transport: "unix", path: input.socket })).close(),
    "run a program": () => new Deno.Command(input.program, { args: ["--version"] }).output(),
    "read the environment": () => Deno.env.get("PATH"),
    "load native code": () => Deno.dlopen(input.program, {}),
  };
  if (input.closed_folder !== undefined) {
    doors["write in the workspace"] = () => Deno.writeTextFile(input.closed_folder + "/written", "x");
  }
  const results = [];
  for (const [what, door] of Object.entries(doors)) {
    try {
      await door();
      results.push({ what, held: false, found: "it worked" });
    } catch (error) {
      const held = error instanceof Deno.errors.NotCapable || error instanceof Deno.errors.PermissionDenied;
      results.push({ what, held, found: error.name + (held ? "" : ": " + error.message) });
    }
  }
  return results;
}`;
