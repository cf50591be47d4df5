/** The oldest Deno of which it is known, without looking, that a pack is held in it. */
const KNOWN_GOOD = [2, 9, 6];

/**
 * Why no pack may run on this Deno; undefined when it may. Some versions let any code raise the limit of attached databases
 * and then open every database of the machine, whatever it was granted (denoland/deno#35232). Asked inside the narrowed
 * worker, before anything of the pack is loaded; costs nothing on a newer Deno.
 */
export async function runtimeFault(): Promise<string | undefined> {
  const version = Deno.version.deno;
  const parts = version.split(".").map(Number);
  const at = KNOWN_GOOD.findIndex((part, index) => part !== parts[index]);
  if (at < 0 || (parts[at] ?? 0) > (KNOWN_GOOD[at] ?? 0)) return undefined;
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(":memory:") as unknown as { limits?: { attach: number }; close(): void };
  try {
    if (database.limits === undefined) return undefined;
    database.limits.attach = 1;
    return `Deno ${version} lets any code open any database: packs need Deno ${
      KNOWN_GOOD.join(".")
    } or newer`;
  } catch {
    return undefined; // refused, as it must be
  } finally {
    database.close();
  }
}
