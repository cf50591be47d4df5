// Capturing a workspace of 10,000 files for a rewind, against a walk that does nothing but look at each of them.
import { join } from "node:path";
import { loadNativeHash, systemWorld } from "../../core/base/mod.ts";
import { planRewind, runSteps, SnapshotStore, TreeRestore, Workspace } from "../../core/rewind/mod.ts";
import { atMost, median, round } from "./measure.ts";
import type { BenchResult } from "./measure.ts";

const FOLDERS = 500;
const FILES_EACH = 20;
const CHANGED = 100;
const ROUNDS = 11;
/** Younger files are read again, since a change might not show in their times yet. */
const SETTLED_MS = 4_500;

/** Milliseconds. The limit: with nothing changed a capture costs at most two bare walks, in a new process too. */
export async function rewindTree(): Promise<BenchResult> {
  const parent = await Deno.realPath(await Deno.makeTempDir({ prefix: "lumina-bench-rewind-" }));
  const root = join(parent, "workspace");
  await loadNativeHash();
  const open = () =>
    new Workspace(SnapshotStore.open(join(parent, "rewind.sqlite"), { create: true }), {
      root,
      session_id: "bench",
      exclude: [],
      limits: { max_file_bytes: 32_000_000, max_store_bytes: 1_000_000_000 },
      world: systemWorld,
    });
  try {
    plantTree(root);
    const planted = performance.now();
    const workspace = open();
    const first_ms = await timed(() => workspace.capture({}));
    await systemWorld.sleep(Math.max(0, planted + SETTLED_MS - performance.now()));
    const { snapshot } = await workspace.capture({});
    const walks: number[] = [];
    const warm: number[] = [];
    const cold: number[] = [];
    for (let index = 0; index <= ROUNDS; index++) {
      const walk = await timed(() => bareWalk(root));
      const again = await timed(() => workspace.capture({}));
      const fresh = open();
      const anew = await timed(() => fresh.capture({}));
      fresh.store.close();
      if (index === 0) continue; // warms caches
      walks.push(walk);
      warm.push(again);
      cold.push(anew);
    }
    for (let file = 0; file < CHANGED; file++) {
      await Deno.writeTextFile(fileOf(root, file * FILES_EACH), `changed ${file}\n`);
    }
    const changed_ms = await timed(() => workspace.capture({}));
    const present = (await workspace.capture({})).snapshot;
    const restore_ms = await timed(async () => {
      const { changes } = planRewind(workspace.store, present, snapshot, { left: present, between: [] });
      const restore = new TreeRestore(root, workspace.store, systemWorld.uuid);
      const { changed, failed } = await runSteps(restore.run(changes, []), systemWorld, undefined);
      if (changed.length !== CHANGED || failed.length > 0) throw new Error(`${changed.length} were restored`);
    });
    const bytes = workspace.store.bytes;
    workspace.store.close();
    const walk_ms = median(walks);
    return {
      name: "rewind",
      figures: {
        files: FOLDERS * FILES_EACH,
        bare_walk_ms: round(walk_ms),
        first_capture_ms: round(first_ms),
        unchanged_capture_ms: round(median(warm)),
        unchanged_capture_new_process_ms: round(median(cold)),
        capture_of_100_changed_ms: round(changed_ms),
        restore_of_100_files_ms: round(restore_ms),
        store_mb: round(bytes / 1e6),
      },
      ratios: [
        atMost("capture with nothing changed / bare walk", median(warm) / walk_ms, 2),
        atMost("the same in a new process / bare walk", median(cold) / walk_ms, 2),
      ],
    };
  } finally {
    await Deno.remove(parent, { recursive: true });
  }
}

function fileOf(root: string, number: number): string {
  const folder = Math.floor(number / FILES_EACH);
  return join(root, `a${folder % 25}`, `b${Math.floor(folder / 25)}`, `file${number % FILES_EACH}.ts`);
}

/** Files that nobody has touched for long, as in a checkout of yesterday. */
function plantTree(root: string): void {
  const yesterday = new Date(Date.now() - 86_400_000);
  for (let number = 0; number < FOLDERS * FILES_EACH; number++) {
    const path = fileOf(root, number);
    if (number % FILES_EACH === 0) Deno.mkdirSync(join(path, ".."), { recursive: true });
    let text = "";
    for (let line = 0; line < 60; line++) {
      text += `export const value_${number}_${line} = compute(${line});\n`;
    }
    Deno.writeTextFileSync(path, text);
    Deno.utimeSync(path, yesterday, yesterday);
  }
}

function bareWalk(folder: string): void {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    const path = `${folder}/${name}`;
    Deno.lstatSync(path);
    if (isDirectory) bareWalk(path);
  }
}

async function timed(body: () => unknown): Promise<number> {
  const started = performance.now();
  await body();
  return performance.now() - started;
}
