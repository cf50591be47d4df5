import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { PlantedFiles } from "./planted_files.ts";

Deno.test("what makes git read settings from elsewhere is taken away when it is new, in submodules too", async () => {
  const root = await Deno.makeTempDir({ prefix: "lumina_planted_" });
  try {
    const git = `${root}/.git`;
    const module = `${git}/modules/vendor/lib`;
    await Deno.mkdir(module, { recursive: true });
    await Deno.writeTextFile(`${module}/HEAD`, "ref: refs/heads/main");
    await Deno.writeTextFile(`${git}/config.worktree`, "");
    const planted = new PlantedFiles();
    planted.watch([root, `${root}/not-there`]);
    assert.deepEqual(planted.remove(), []);
    await Deno.writeTextFile(`${git}/commondir`, "../evil");
    await Deno.symlink("/nowhere", `${module}/commondir`);
    assert.deepEqual(planted.remove().sort(), [`${git}/commondir`, `${module}/commondir`]);
    assert.equal(existsSync(`${git}/commondir`), false);
    assert.equal(existsSync(`${git}/config.worktree`), true);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
