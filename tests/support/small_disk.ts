import assert from "node:assert/strict";
import type { Skip } from "./shared_tool.ts";
import { tempDir } from "./temp_dir.ts";

/** Mounts a file system of `size` (as `tmpfs` takes it: `4m`, `640k`) at a directory; false when that may not be done. */
export async function mountDisk(path: string, size: string): Promise<boolean> {
  try {
    const { success } = await new Deno.Command("mount", {
      args: ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", path],
      stderr: "null",
    }).output();
    return success;
  } catch {
    return false; // no such program
  }
}

/** Unmounts what `mountDisk` mounted. */
export async function unmountDisk(path: string): Promise<void> {
  const { success } = await new Deno.Command("umount", { args: [path] }).output();
  assert.ok(success, `${path} could not be unmounted`);
}

/** Whether a small disk can be mounted on this machine, else why not; for `testWith`. */
export async function canMount(): Promise<{ mounted: true } | Skip> {
  if (Deno.build.os !== "linux" || Deno.uid() !== 0) {
    return { skip: "only root on Linux can mount a small disk" };
  }
  await using dir = await tempDir();
  if (!await mountDisk(dir.path, "4m")) return { skip: "mounting a tmpfs is not allowed here" };
  await unmountDisk(dir.path);
  return { mounted: true };
}
