import assert from "node:assert/strict";
import { join } from "node:path";
import { spillResult } from "./spill_result.ts";

Deno.test("spillResult() keeps head, tail and the place of the rest within the limit, and the whole in a private file", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const file = join(directory, "result.txt");
    const content = `first ${"x".repeat(5_000)} last`;
    const cut = await spillResult({ content, is_error: true, data: { n: 1 } }, 1_000, file);
    assert.equal(cut.content.length, 1_000);
    assert.match(
      cut.content,
      /^first x+\n\[… cut from 5011 characters; all of them: .*result\.txt …\]\nx+ last$/,
    );
    assert.deepEqual([cut.is_error, cut.data], [true, { n: 1 }]);
    assert.equal(await Deno.readTextFile(file), content);
    assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);
    assert.deepEqual(await spillResult({ content: "short" }, 1_000, file), { content: "short" });
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("spillResult() still gives a result when the file cannot be written, and says why the rest is gone", async () => {
  const cut = await spillResult({ content: "y".repeat(3_000) }, 1_000, "/absent/result.txt");
  assert.ok(cut.content.length <= 1_000);
  assert.match(cut.content, /the rest could not be kept: .*absent/);
});
