import assert from "node:assert/strict";
import { join } from "node:path";
import { editSetting } from "./edit_setting.ts";
import { parseSettings } from "./settings_file.ts";

async function withFile(text: string | undefined, body: (file: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  const file = join(folder, "config", "settings.json");
  try {
    if (text !== undefined) {
      await Deno.mkdir(join(folder, "config"));
      await Deno.writeTextFile(file, text, { mode: 0o644 });
    }
    await body(file);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const COMMENTED = `\ufeff{\r
  // where the key comes from\r
  "api_key": "\${MY_KEY}", /* never in the clear */\r
  "permissions": {\r
    "allow": [\r
      "Read", // harmless\r
    ],\r
  },\r
}\r
`;

Deno.test("editSetting() keeps comments, ${VAR}, BOM and line ends, and tightens the mode", async () => {
  await withFile(COMMENTED, async (file) => {
    await editSetting(file, ["api_model"], "m");
    await editSetting(file, ["permissions", "allow", 1], "Bash(ls *)");
    await editSetting(file, ["permissions", "deny"], ["Bash(rm *)"]);
    const after = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await Deno.readFile(file));
    assert.ok(after.startsWith("\ufeff{\r\n") && !/[^\r]\n/.test(after));
    assert.equal(
      after,
      COMMENTED
        .replace("// harmless\r\n", '// harmless\r\n      "Bash(ls *)",\r\n')
        .replace("    ],\r\n", '    ],\r\n    "deny": [\r\n      "Bash(rm *)"\r\n    ],\r\n')
        .replace("  },\r\n}", '  },\r\n  "api_model": "m",\r\n}'),
    );
    assert.equal(((await Deno.stat(file)).mode ?? 0) & 0o777, 0o600);
  });
});

Deno.test("editSetting() changes and removes a value and leaves every other byte", async () => {
  await withFile('{\n\t"a" : 1, // one\n\t"api_model":"x",\n\t"z":  [ ]\n}\n', async (file) => {
    await editSetting(file, ["api_model"], "y");
    assert.equal(await Deno.readTextFile(file), '{\n\t"a" : 1, // one\n\t"api_model":"y",\n\t"z":  [ ]\n}\n');
    await editSetting(file, ["api_model"], undefined);
    assert.deepEqual(await parseSettings(await Deno.readTextFile(file), file), { a: 1, z: [] });
    assert.equal(await Deno.readTextFile(file), '{\n\t"a" : 1, // one\n\t"z":  [ ]\n}\n');
    await editSetting(file, ["z"], undefined);
    assert.equal(await Deno.readTextFile(file), '{\n\t"a" : 1 // one\n}\n');
  });
});

Deno.test("editSetting() makes a file that is absent, empty or holds comments alone", async () => {
  for (const text of [undefined, "", "// mine\n"]) {
    await withFile(text, async (file) => {
      await editSetting(file, ["permissions", "allow"], ["Read"]);
      const after = await Deno.readTextFile(file);
      assert.ok(after.startsWith(text ?? ""));
      assert.deepEqual(await parseSettings(after, file), { permissions: { allow: ["Read"] } });
      assert.equal(((await Deno.stat(file)).mode ?? 0) & 0o777, 0o600);
    });
  }
});

Deno.test("editSetting() refuses to write over a file that it cannot parse", async () => {
  for (const text of ['{ "api_key": "x", ', "[]", '{ "a": 1 } trailing']) {
    await withFile(text, async (file) => {
      await assert.rejects(editSetting(file, ["api_model"], "m"), { code: "config.invalid", exit: 2 });
      assert.equal(await Deno.readTextFile(file), text);
    });
  }
});

Deno.test("editSetting() writes through a link to the file it names", async () => {
  await withFile("{}", async (file) => {
    const link = `${file}.link`;
    await Deno.symlink(file, link);
    await editSetting(link, ["effort"], "low");
    assert.ok((await Deno.lstat(link)).isSymlink);
    assert.deepEqual(await parseSettings(await Deno.readTextFile(file), file), { effort: "low" });
  });
});

Deno.test("editSetting() refuses a path through text", async () => {
  await withFile('{ "permissions": "none" }', async (file) => {
    await assert.rejects(editSetting(file, ["permissions", "allow"], []), /another kind of value/);
    assert.equal(await Deno.readTextFile(file), '{ "permissions": "none" }');
  });
});
