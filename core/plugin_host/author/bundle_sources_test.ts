import assert from "node:assert/strict";
import { tempDir } from "../../../tests/support/temp_dir.ts";
import { bundleSources } from "./bundle_sources.ts";
import { stopBundler } from "./bundler.ts";

Deno.test("sources of a pack become one module", async (t) => {
  await using dir = await tempDir();
  await using other = await tempDir();

  await t.step(
    "relative imports, packages, JSON and text are inside, node: modules stay imports",
    async () => {
      for (const each of [dir, other]) {
        await each.write(
          "src/mod.ts",
          `import { join } from "node:path";\nimport { twice } from "./twice.js";\nimport deep from "deep/part";\n` +
            `import old from "old";\nimport table from "./table.json" with { type: "json" };\nimport words from "./words.txt";\n` +
            `const all: unknown[] = [join("a", "b"), twice(2), deep, old, table.x, words];\n` +
            `export default { tools: {}, all };\n`,
        );
        await each.write("src/twice.ts", "export const twice = (n: number): number => n * 2;\n");
        await each.write("src/table.json", '{ "x": 7 }');
        await each.write("src/words.txt", "one two");
        await each.write("node_modules/deep/part.mjs", 'export { default } from "#inner";');
        await each.write(
          "node_modules/deep/package.json",
          '{ "name": "deep", "imports": { "#inner": "./inner.mjs" }, ' +
            '"exports": { "./part": { "require": "./no.js", "import": "./part.mjs" } } }',
        );
        await each.write("node_modules/deep/inner.mjs", 'export default "deep";');
        await each.write("node_modules/old/package.json", '{ "name": "old", "main": "main" }');
        await each.write(
          "node_modules/old/main.js",
          'module.exports = require("path").join("o", "ld", process.env.NODE_ENV);',
        );
      }
      const { code, problems, inputs } = await bundleSources(dir.path, "src/mod.ts");
      assert.deepEqual(problems, []);
      assert.equal(inputs.length, 7);
      const module = await import(`data:text/javascript,${encodeURIComponent(code)}`);
      assert.deepEqual(module.default.all, ["a/b", 4, "deep", "o/ld/production", 7, "one two"]);
      assert.equal(
        (await bundleSources(other.path, "src/mod.ts")).code,
        code,
        "the folder is not in the code",
      );
      assert.ok(!code.includes(dir.path));
    },
  );

  await t.step("what is wrong is named with file, line and column, all of it at once", async () => {
    await dir.write(
      "src/mod.ts",
      'import "./none.ts";\nimport "npm:@scope/name@1.2/x";\nimport "https://example.invalid/x.js";\nimport "absent/x";\n',
    );
    const { problems, code } = await bundleSources(dir.path, "src/mod.ts");
    assert.equal(code, "");
    assert.deepEqual(
      problems.map((line) => line.split(": ")[0]),
      [1, 2, 3, 4].map((n) => `src/mod.ts:${n}:8`),
    );
    assert.match(problems[1]!, /npm install @scope\/name and import it as "@scope\/name"/);
    assert.match(problems[3]!, /npm install absent$/);
    await dir.write("src/mod.ts", "export default {\n  tools: { a: (: number) => 1 },\n};\n");
    assert.match((await bundleSources(dir.path, "src/mod.ts")).problems[0]!, /^src\/mod\.ts:2:16: /);
  });

  await t.step("it says what the module exports", async () => {
    await dir.write("src/mod.ts", "export const guard = 1;\nexport default { tools: {} };\n");
    assert.deepEqual((await bundleSources(dir.path, "src/mod.ts")).exports.sort(), ["default", "guard"]);
  });
  await stopBundler();
});
