import { join, relative } from "node:path";
import type { World } from "../../base/mod.ts";

export interface DevOptions {
  /** The pack's folder, absolute. */
  directory: string;
  world: World;
  /** One round: builds and checks. A pack that is wrong is no exception. */
  round(): Promise<void>;
  /** Told which files started the next round, relative to the folder. */
  changed(paths: string[]): void;
  signal: AbortSignal;
}

/** Editors write a file in several steps: a round starts when nothing has changed for this long, milliseconds. */
const QUIET_MS = 100;

/** Runs a round, and one more after every change of the sources, until the signal aborts. */
export async function devPack({ directory, world, round, changed, signal }: DevOptions): Promise<void> {
  // what is changed during a round starts the next one, so the watchers are there before the first
  const watchers = [Deno.watchFs(directory, { recursive: false })];
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    if (isDirectory && isSource(name)) watchers.push(Deno.watchFs(join(directory, name)));
  }
  const paths = new Set<string>();
  let wake = Promise.withResolvers<void>();
  const stop = () => {
    for (const watcher of watchers) watcher.close();
    wake.resolve();
  };
  signal.addEventListener("abort", stop, { once: true });
  const reading = watchers.map(async (watcher) => {
    for await (const event of watcher) {
      if (event.kind === "access") continue;
      const own = event.paths.map((path) => relative(directory, path).replaceAll("\\", "/")).filter(isSource);
      for (const path of own) paths.add(path);
      if (own.length > 0) wake.resolve();
    }
  });
  if (signal.aborted) stop();
  while (!signal.aborted) {
    await round();
    await wake.promise;
    while (!signal.aborted && paths.size > 0) {
      const seen = paths.size;
      await world.sleep(QUIET_MS);
      if (paths.size === seen) break;
    }
    wake = Promise.withResolvers<void>();
    if (!signal.aborted) changed([...paths].sort());
    paths.clear();
  }
  await Promise.all(reading);
}

/** What a build makes, what npm installs and hidden files are no sources. */
function isSource(path: string): boolean {
  return path !== "" && !/^(dist|node_modules|\..*)(\/|$)/.test(path);
}
