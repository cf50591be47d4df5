import { join } from "node:path";
import { REPO_ROOT } from "./repo_root.ts";

/** Why a test cannot run on this machine. */
export interface Skip {
  skip: string;
}

/**
 * Runs a tool of the folder that `LUMINA_SHARED` names (default: `../shared` beside the checkout). Its absence, and its
 * exit code 3 (not to be had on this machine, the reason on stderr), are reasons to skip; any other failure throws.
 */
export async function runSharedTool(name: string, ...args: string[]): Promise<{ stdout: string } | Skip> {
  const tool = join(Deno.env.get("LUMINA_SHARED") ?? join(REPO_ROOT, "../shared"), "tools", name);
  try {
    await Deno.stat(tool);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { skip: `there is no ${tool}` };
    throw error;
  }
  const { code, stdout, stderr } = await new Deno.Command(tool, { args, stdin: "null" }).output();
  const words = new TextDecoder().decode(stderr).trim();
  if (code === 3) return { skip: words === "" ? `${name} exited with 3` : words };
  if (code !== 0) throw new Error(`${tool} ${args.join(" ")} exited with ${code}: ${words}`);
  return { stdout: new TextDecoder().decode(stdout) };
}
