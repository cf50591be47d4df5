import { fileURLToPath } from "node:url";

/** The first argument that makes this program a pack's process. */
export const PROCESS_ARGUMENT = "__plugin";

/** The permissions of the product, as in `scripts/run_flags.ts`. */
const PERMISSIONS = [
  "--allow-read",
  "--allow-write",
  "--allow-net",
  "--allow-env",
  "--allow-run",
  "--allow-sys",
  "--unstable-worker-options",
  "--no-prompt",
];

export interface ProgramCommand {
  program: string;
  args: string[];
}

/**
 * How this program starts again as something else, by default as a pack's process: the compiled file by itself, the sources through the Deno that runs
 * them, which then loads nothing but files of the checkout.
 */
export function programCommand(argument: string = PROCESS_ARGUMENT): ProgramCommand {
  const program = Deno.execPath();
  if (Deno.build.standalone) return { program, args: [argument] };
  const main = fileURLToPath(new URL("../../../main.ts", import.meta.url));
  const only = ["--quiet", "--no-config", "--no-lock", "--no-check", "--no-remote", "--no-npm"];
  return { program, args: ["run", ...only, ...PERMISSIONS, main, argument] };
}
