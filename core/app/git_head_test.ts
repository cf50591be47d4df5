import assert from "node:assert/strict";
import { join } from "node:path";
import { gitFolder } from "./git_head.ts";

Deno.test("gitFolder() finds the folder of the repository around a directory, and follows neither a file nor a link", async () => {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "lumina_git_" }));
  try {
    const deep = join(root, "whole", "a", "b");
    await Deno.mkdir(deep, { recursive: true });
    await Deno.mkdir(join(root, "whole", ".git"));
    assert.equal(gitFolder(deep), join(root, "whole", ".git"));
    for (const name of ["file", "link"]) await Deno.mkdir(join(root, "whole", name));
    await Deno.writeTextFile(join(root, "whole", "file", ".git"), `gitdir: ${root}\n`);
    await Deno.symlink(root, join(root, "whole", "link", ".git"));
    assert.equal(gitFolder(join(root, "whole", "file")), undefined);
    assert.equal(gitFolder(join(root, "whole", "link")), undefined);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
