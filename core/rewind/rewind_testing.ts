import { systemWorld } from "../base/mod.ts";
import type { World } from "../base/mod.ts";
import { runSteps, Workspace } from "./capture_workspace.ts";
import type { CaptureLimits } from "./capture_workspace.ts";
import { diffTrees } from "./diff_trees.ts";
import { TreeRestore } from "./restore_tree.ts";
import type { Restored } from "./restore_tree.ts";
import { SnapshotStore } from "./snapshot_store.ts";

/** A folder with a store beside it, for tests; removed when disposed. */
export class TestWorkspace implements AsyncDisposable {
  readonly root: string;
  readonly store_file: string;
  readonly #parent: string;
  #opened: Workspace[] = [];

  private constructor(parent: string) {
    this.#parent = parent;
    this.root = `${parent}/ws`;
    this.store_file = `${parent}/rewind.sqlite`;
  }

  static async make(): Promise<TestWorkspace> {
    const parent = await Deno.realPath(await Deno.makeTempDir({ prefix: "lumina-rewind-" }));
    await Deno.mkdir(`${parent}/ws`);
    return new TestWorkspace(parent);
  }

  /** Opens the workspace as a new process would. */
  open(limits: Partial<CaptureLimits> = {}, world: World = systemWorld, session_id = "s1"): Workspace {
    const workspace = new Workspace(SnapshotStore.open(this.store_file, { create: true }), {
      root: this.root,
      session_id,
      exclude: [],
      limits: { max_file_bytes: 1_000_000, max_store_bytes: 100_000_000, ...limits },
      world,
    });
    this.#opened.push(workspace);
    return workspace;
  }

  /** Runs a bash script in the folder; throws when it fails. */
  async bash(script: string): Promise<void> {
    const { success, stderr } = await new Deno.Command("bash", {
      args: ["-euc", script],
      cwd: this.root,
      stdin: "null",
    }).output();
    if (!success) throw new Error(`${script}: ${new TextDecoder().decode(stderr)}`);
  }

  /** Everything that is there, as lines of bytes in hex: names, types, modes, targets and contents. `.git` too. */
  async listing(): Promise<string[]> {
    const script =
      "find . -mindepth 0 -printf '%p\\0%y\\0%m\\0%l\\0\\n' | LC_ALL=C sort -z | od -An -v -tx1; " +
      "find . -type f -print0 | LC_ALL=C sort -z | xargs -0 -r sha256sum -z -- | od -An -v -tx1";
    const { stdout } = await new Deno.Command("bash", { args: ["-c", script], cwd: this.root }).output();
    return new TextDecoder().decode(stdout).split("\n");
  }

  /** Takes the folder to a snapshot. */
  async restore(workspace: Workspace, snapshot: string): Promise<Restored> {
    const present = await workspace.capture({ known: [snapshot], open_closed: true });
    const changes = diffTrees(workspace.store, present.snapshot, snapshot);
    const restore = new TreeRestore(this.root, workspace.store, systemWorld.uuid);
    return await runSteps(restore.run(changes, workspace.unfinished), systemWorld, undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { store } of this.#opened) store.close();
    await new Deno.Command("chmod", { args: ["-R", "u+rwx", this.#parent] }).output();
    await Deno.remove(this.#parent, { recursive: true });
  }
}
