import { runSharedTool, type Skip } from "./shared_tool.ts";

/** The variables that `deno compile` needs where its usual download cannot be reached. */
export type DenortEnv = { env: { DENORT_BIN: string; LUMINA_COMPILE_DENO: string } };

/** The runtime for compiled programs: from the environment, else from the tool, else why there is none. */
export async function findDenort(): Promise<DenortEnv | Skip> {
  const given = {
    DENORT_BIN: Deno.env.get("DENORT_BIN"),
    LUMINA_COMPILE_DENO: Deno.env.get("LUMINA_COMPILE_DENO"),
  };
  if (given.DENORT_BIN && given.LUMINA_COMPILE_DENO) return { env: given as DenortEnv["env"] };
  const found = await runSharedTool("denort");
  if ("skip" in found) return found;
  const bash = new Deno.Command("bash", {
    args: ["-c", `eval "$1"; printf '%s\\0' "$DENORT_BIN" "$LUMINA_COMPILE_DENO"`, "bash", found.stdout],
  });
  const [DENORT_BIN, LUMINA_COMPILE_DENO] = new TextDecoder().decode((await bash.output()).stdout).split(
    "\0",
  );
  if (!DENORT_BIN || !LUMINA_COMPILE_DENO) throw new Error(`denort printed no variables: ${found.stdout}`);
  return { env: { DENORT_BIN, LUMINA_COMPILE_DENO } };
}
