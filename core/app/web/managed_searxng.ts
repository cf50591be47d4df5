import { join } from "node:path";
import * as z from "zod";

/** The SearXNG that Lumina runs, as `lumina services searxng start` left it. */
export interface ManagedSearxng {
  url: string;
  port: number;
  container: string;
  /** Program that runs the container: its path. */
  program: string;
}

const record = () => z.object({ url: z.string(), port: z.int(), container: z.string(), program: z.string() });

/** Where the service keeps what belongs to it. */
export function searxngFolder(state_dir: string): string {
  return join(state_dir, "services", "searxng");
}

/** What was started and not stopped; undefined when nothing was, or when its note cannot be read. */
export async function managedSearxng(state_dir: string): Promise<ManagedSearxng | undefined> {
  try {
    const text = await Deno.readTextFile(join(searxngFolder(state_dir), "service.json"));
    return record().parse(JSON.parse(text));
  } catch {
    return undefined; // never started, stopped, or damaged: starting it writes the note anew
  }
}
