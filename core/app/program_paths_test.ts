import assert from "node:assert/strict";
import { join } from "node:path";
import { findPrograms } from "./program_paths.ts";

Deno.test("findPrograms() takes nothing that a workspace brings, by directory or by link", async () => {
  const root = await Deno.realPath(await Deno.makeTempDir());
  try {
    const [bin, workspace] = [join(root, "bin"), join(root, "workspace")];
    for (const directory of [bin, workspace]) {
      await Deno.mkdir(directory);
      for (const name of ["rg", "sh"]) {
        await Deno.writeTextFile(join(directory, name), "#!/bin/sh\n", { mode: 0o755 });
      }
    }
    await Deno.writeTextFile(join(bin, "plain"), "no program", { mode: 0o644 });
    await Deno.writeTextFile(join(workspace, "tool"), "#!/bin/sh\n", { mode: 0o755 });
    await Deno.symlink(join(workspace, "tool"), join(bin, "tool"));
    await Deno.symlink(join(bin, "rg"), join(bin, "alias"));
    const path = `${workspace}:relative:.:${bin}/missing:${bin}`;
    const names = ["rg", "bash", "plain", "tool", "alias", "absent"];
    assert.deepEqual(findPrograms(names, path, workspace), {
      rg: join(bin, "rg"),
      bash: join(bin, "sh"),
      alias: join(bin, "rg"),
    });
    assert.deepEqual(findPrograms(["tool"], path, root), {});
    assert.deepEqual(findPrograms(["tool"], path, "/"), { tool: join(workspace, "tool") });
    assert.deepEqual(findPrograms(["rg"], undefined, workspace), {});
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
