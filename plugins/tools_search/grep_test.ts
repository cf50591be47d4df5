import assert from "node:assert/strict";
import { join } from "node:path";
import { onlyWhere } from "../../tests/support/skip.ts";
import { call, findRg, withTree } from "./search_testing.ts";

const TREE = {
  "src/a.ts": "one\nneedle two\nthree\nfour\nneedle five\n",
  "src/b.py": "no\nNEEDLE\n",
  "src/deep/c.ts": "needle\r\nlast needle",
  "out.log": "needle\n",
  ".gitignore": "*.log\n",
};

Deno.test("Grep lists the files with a match, paths relative to the workspace, ignored files left out", () =>
  withTree(TREE, async (root) => {
    const { content, data } = await call("Grep", { pattern: "needle" }, root);
    assert.equal(content, "src/a.ts\nsrc/deep/c.ts");
    assert.equal(data?.files_matched, 2);
  }));

Deno.test("Grep content prints path:line:text with context marked by - and gaps by --", () =>
  withTree(TREE, async (root) => {
    const { content } = await call("Grep", { pattern: "needle", output_mode: "content", "-B": 1 }, root);
    assert.equal(
      content,
      [
        "src/a.ts-1-one",
        "src/a.ts:2:needle two",
        "--",
        "src/a.ts-4-four",
        "src/a.ts:5:needle five",
        "--",
        "src/deep/c.ts:1:needle",
        "src/deep/c.ts:2:last needle",
      ].join("\n"),
    );
  }));

Deno.test("Grep count prints path:n, -i matches either case, glob and type narrow", () =>
  withTree(TREE, async (root) => {
    const count = async (more: Record<string, string | boolean>) =>
      (await call("Grep", { pattern: "needle", output_mode: "count", ...more }, root)).content;
    assert.equal(await count({}), "src/a.ts:2\nsrc/deep/c.ts:2");
    assert.equal(await count({ "-i": true }), "src/a.ts:2\nsrc/b.py:1\nsrc/deep/c.ts:2");
    assert.equal(await count({ case_insensitive: true, type: "py" }), "src/b.py:1");
    assert.equal(await count({ glob: "src/*.ts" }), "src/a.ts:2");
    assert.equal(await count({ glob: "!c.ts" }), "src/a.ts:2");
    assert.equal(await count({ path: "src", glob: "deep/**" }), "src/deep/c.ts:2");
    assert.equal(await count({ path: "out.log" }), "out.log:1"); // a file named by the caller is searched
  }));

Deno.test("Grep pages with head_limit and offset and says that there is more", () =>
  withTree(TREE, async (root) => {
    const page = async (offset: number) =>
      (await call("Grep", { pattern: "needle", output_mode: "content", head_limit: 2, offset }, root))
        .content;
    assert.equal(
      await page(0),
      "src/a.ts:2:needle two\nsrc/a.ts:5:needle five\n[There is more: showing 2 lines (head_limit); continue with offset 2]",
    );
    assert.equal(await page(2), "src/deep/c.ts:1:needle\nsrc/deep/c.ts:2:last needle");
    assert.equal(await page(9), "No lines beyond offset 9: there are 4 in all");
  }));

Deno.test("No result says how many files were searched, what was left out and what to try", () =>
  withTree({ ...TREE, "link": "->src" }, async (root) => {
    const { content, is_error } = await call("Grep", { pattern: "absent" }, root);
    assert.equal(
      content,
      'No matches for "absent" in .: 4 files searched; 1 entries left out by .gitignore; not searched: 1 links (not followed). ' +
        "Hints: set follow to search through links; name an ignored directory in path to search it; " +
        "set case_insensitive to match either case",
    );
    assert.equal(is_error, undefined);
  }));

Deno.test("An invalid regular expression is an error that names the position, never an empty result", () =>
  withTree(TREE, async (root) => {
    for (
      const [pattern, at] of [["foo(bar", 3], ["a[bc", 1], ["ab)c", 2], ["*x", 0], ["x{2,1}", 5]] as const
    ) {
      const { content, is_error } = await call("Grep", { pattern }, root);
      assert.equal(is_error, true, pattern);
      assert.match(content, new RegExp(`^Invalid regular expression ".*": .* at position ${at} `));
    }
  }));

Deno.test("What ripgrep users write is understood", () =>
  withTree({ "a": "Foo-bar (x) {y}\n" }, async (root) => {
    for (
      const pattern of [
        "(?i)foo",
        "(?P<n>Foo)",
        "[[:upper:]]oo",
        "Foo\\-bar",
        "\\AFoo",
        "\\}\\z",
        "[^)]x",
        "\\{y",
        "[]x]\\)",
      ]
    ) {
      assert.equal((await call("Grep", { pattern }, root)).content, "a", pattern);
    }
  }));

Deno.test("multiline lets a match span lines and shows each of them; without it such a pattern is refused", () =>
  withTree({ "a.ts": "x\nstart {\n  body\n}\ny\n" }, async (root) => {
    const input = { pattern: "start \\{\\n.*?\\}", output_mode: "content" };
    assert.equal(
      (await call("Grep", { ...input, multiline: true }, root)).content,
      "a.ts:2:start {\na.ts:3:  body\na.ts:4:}",
    );
    const refused = await call("Grep", input, root);
    assert.equal(refused.is_error, true);
    assert.match(refused.content, /set multiline to true/);
  }));

Deno.test("A line far too long is shown around its match with the bytes left out and how to get the rest", () =>
  withTree({ "min.js": `${"é".repeat(1000)}needle${"y".repeat(4000)}\n` }, async (root) => {
    const { content } = await call("Grep", { pattern: "needle", output_mode: "content" }, root);
    const [line, note] = content.split("\n");
    const parts = /^min\.js:1:\[(\d+) bytes\] …(é+)needle(y+)… \[(\d+) bytes\]$/.exec(line!);
    assert.ok(parts, line);
    assert.equal(Number(parts[1]) + 2 * parts[2]!.length, 2000);
    assert.equal(Number(parts[4]) + parts[3]!.length, 4000);
    assert.match(note!, /Read the file with offset and limit 1, e\.g\. min\.js offset 1/);
  }));

Deno.test("A hit anywhere in a 5 MB line is found, counted in bytes, and the lines behind it keep their numbers", () =>
  withTree(
    { "big.txt": `first\n${"a".repeat(2_500_000)} needle ${"b".repeat(2_500_000)}\nneedle again\n` },
    async (root) => {
      const { content } = await call(
        "Grep",
        { pattern: "\\bneedle\\b", output_mode: "content", context: 1 },
        root,
      );
      const lines = content.split("\n");
      assert.equal(lines[0], "big.txt-1-first");
      const parts = /^big\.txt:2:\[(\d+) bytes\] …(a+) needle (b+)… \[(\d+) bytes\]$/.exec(lines[1]!);
      assert.ok(parts, lines[1]!.slice(0, 200));
      assert.equal(Number(parts[1]) + parts[2]!.length, 2_500_000);
      assert.equal(Number(parts[4]) + parts[3]!.length, 2_500_000);
      assert.equal(lines[2], "big.txt:3:needle again");
    },
  ));

Deno.test("^ and $ hold at the ends of a line longer than the buffer and nowhere inside it", () =>
  withTree({ "long": "x".repeat(1_000_003) + "\nx\n" }, async (root) => {
    const count = async (pattern: string) =>
      (await call("Grep", { pattern, output_mode: "count" }, root)).content;
    assert.equal(await count("^x$"), "long:1");
    assert.equal(await count("^x"), "long:2");
    assert.equal(await count("x$"), "long:2");
    assert.match(await count("[^x]"), /^No matches/);
  }));

Deno.test("Memory stays bounded on a 200 MB line", async () => {
  await withTree({}, async (root) => {
    const file = await Deno.open(join(root, "huge.txt"), { write: true, create: true });
    const block = new Uint8Array(1024 * 1024).fill(120);
    for (let written = 0; written < 200; written++) await file.write(block);
    await file.write(new TextEncoder().encode("needle"));
    file.close();
    const script = `
      import { call } from ${JSON.stringify(new URL("./search_testing.ts", import.meta.url).href)};
      await call("Grep", { pattern: "warm" }, Deno.args[0]);
      const before = Deno.memoryUsage().rss;
      let peak = before;
      const watch = setInterval(() => peak = Math.max(peak, Deno.memoryUsage().rss), 5);
      const { content } = await call("Grep", { pattern: "needl[e]", output_mode: "content" }, Deno.args[0]);
      clearInterval(watch);
      peak = Math.max(peak, Deno.memoryUsage().rss);
      console.log(JSON.stringify({ grown: peak - before, content: content.slice(0, 100) }));`;
    const config = new URL("../../deno.json", import.meta.url).pathname;
    await Deno.writeTextFile(join(root, "probe.ts"), script);
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "-c", config, join(root, "probe.ts"), root],
    }).output();
    const text = new TextDecoder().decode(stdout);
    assert.notEqual(text, "", new TextDecoder().decode(stderr));
    const { grown, content } = JSON.parse(text) as { grown: number; content: string };
    assert.match(content, /^huge\.txt:1:\[\d+ bytes\] …x+/);
    assert.ok(grown < 64 * 1024 * 1024, `grew by ${grown} bytes`);
  });
});

Deno.test("Binary files are skipped, UTF-16 and a UTF-8 mark are read", () => {
  const utf16 = (text: string, little: boolean) => {
    const bytes = new Uint8Array(text.length * 2 + 2);
    const view = new DataView(bytes.buffer);
    view.setUint16(0, 0xfeff, little);
    for (let i = 0; i < text.length; i++) view.setUint16(2 + i * 2, text.charCodeAt(i), little);
    return bytes;
  };
  return withTree({
    "bin": new Uint8Array([110, 101, 101, 100, 108, 101, 0, 1]),
    "le.txt": utf16("one\nneedle é\n", true),
    "be.txt": utf16("needle\r\n", false),
    "bom.txt": "\uFEFFneedle\n",
  }, async (root) => {
    const { content } = await call("Grep", { pattern: "^needle", output_mode: "content" }, root);
    assert.equal(content, "be.txt:1:needle\nbom.txt:1:needle\nle.txt:2:needle é");
    const none = await call("Grep", { pattern: "needle\\b", path: "bin" }, root);
    assert.match(none.content, /1 binary files/);
  });
});

Deno.test("A link inside the workspace is no way out: its target is neither searched nor named, followed or not", () =>
  withTree({
    "outside/secret.txt": "needle\n",
    "ws/out": "->../outside",
    "ws/file": "->../outside/secret.txt",
  }, async (root) => {
    const ws = join(root, "ws");
    for (const follow of [false, true]) {
      const { content } = await call("Grep", { pattern: "needle", follow }, ws);
      assert.match(content, /^No matches/);
      assert.match(content, follow ? /2 links that lead outside/ : /2 links \(not followed\)/);
    }
    for (const path of ["out", "file", "../outside", join(root, "outside/secret.txt")]) {
      const { content, is_error } = await call("Grep", { pattern: "needle", path }, ws);
      assert.equal(is_error, true);
      assert.match(content, /outside the directories this call may read/);
    }
  }));

Deno.test("A pnpm tree gives its hits with follow, and without it says that links were skipped", () =>
  withTree({
    "node_modules/.pnpm/lib@1.0.0/node_modules/lib/index.js": "needle\n",
    "packages/app/node_modules/lib": "->../../../node_modules/.pnpm/lib@1.0.0/node_modules/lib",
  }, async (root) => {
    const input = { pattern: "needle", path: "packages" };
    assert.match((await call("Grep", input, root)).content, /1 links \(not followed\).*set follow/);
    assert.equal(
      (await call("Grep", { ...input, follow: true }, root)).content,
      "packages/app/node_modules/lib/index.js",
    );
  }));

Deno.test("Deny rules close files, directories and the start itself", () =>
  withTree({ "a.txt": "needle", ".env": "needle", "keys/k": "needle" }, async (root) => {
    const deny_read = ["/**/.env", `${root}/keys/**`, `${root}/keys`];
    assert.match(
      (await call("Grep", { pattern: "needle" }, root, { deny_read })).content,
      /^a\.txt\n\[Not searched: 2 /,
    );
    for (const path of [".env", "keys", "keys/k"]) {
      assert.equal(
        (await call("Grep", { pattern: "needle", path }, root, { deny_read })).is_error,
        true,
        path,
      );
    }
  }));

Deno.test("What cannot be searched is an error in one line", () =>
  withTree({ ".git/config": "x", "loop": "->loop", "a": "" }, async (root) => {
    const cases: [Record<string, string | number>, RegExp][] = [
      [{ pattern: "x", path: "missing" }, /^Cannot search "missing": it does not exist \(looked in /],
      [{ pattern: "x", path: ".git" }, /inside of \.git is never searched/],
      [{ pattern: "x", path: "loop" }, /leads in a circle/],
      [{ pattern: "" }, /^The pattern is empty/],
      [{ pattern: "x", type: "klingon" }, /^Unknown file type "klingon"/],
      [{ pattern: "x", output_mode: "all" }, /^Unknown output_mode "all"/],
      [{ pattern: "x", head_limit: -1 }, /^head_limit must be a whole number/],
    ];
    for (const [input, message] of cases) {
      const { content, is_error } = await call("Grep", input, root);
      assert.equal(is_error, true);
      assert.match(content, message);
      assert.ok(!content.includes("\n"));
    }
  }));

Deno.test("An aborted search ends with the signal's reason", () =>
  withTree(
    Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`d${i}/f`, "x\n".repeat(20_000)])),
    async (root) => {
      const abort = new AbortController();
      const running = call("Grep", { pattern: "(?=x)y" }, root, { signal: abort.signal });
      setImmediate(() => abort.abort(new Error("interrupted")));
      await assert.rejects(running, /interrupted/);
    },
  ));

const rg = findRg();
Deno.test({
  ...onlyWhere(
    "With ripgrep the answers are the same, byte for byte",
    rg !== undefined,
    "ripgrep is not installed",
  ),
  fn: () => {
    const files: Record<string, string | Uint8Array> = {
      ".gitignore": "ignored/\n*.log\n!keep.log\n",
      "bin.dat": new Uint8Array([...new TextEncoder().encode("needle"), 0, 10]),
      "wide.txt": new Uint8Array([
        0xff,
        0xfe,
        ...Array.from("needle\n").flatMap((c) => [c.charCodeAt(0), 0]),
      ]),
      "long.txt": `${"z".repeat(600_000)}needle${"z".repeat(9000)}\nNeedle\n`,
      "invalid.txt": new Uint8Array([0xc3, 0x28, ...new TextEncoder().encode(" needle\n")]),
      "-dash needle.txt": "needle\n",
      "link.txt": "->long.txt",
    };
    for (let i = 0; i < 400; i++) {
      const text = `line\n${i % 7 === 0 ? "a needle here\n" : ""}${
        i % 11 === 0 ? "NEEDLE\r\nneedles\n" : ""
      }`;
      files[`${["src", "lib/x", "ignored", "logs"][i % 4]}/f${i}.${i % 5 === 0 ? "log" : "ts"}`] = text;
    }
    files["logs/keep.log"] = "needle\n";
    return withTree(files, async (root) => {
      const searches = [
        { pattern: "needle" },
        { pattern: "needle", output_mode: "content", context: 1, head_limit: 0 },
        { pattern: "needle", output_mode: "count", case_insensitive: true, head_limit: 0 },
        { pattern: "\\bneedles?$", output_mode: "content", head_limit: 20, offset: 7 },
        { pattern: "needle", glob: "*.ts", head_limit: 5 },
        { pattern: "needle", path: "lib", follow: true },
        { pattern: "absent needle text" },
        { pattern: "a need.e here\\nline|needle", multiline: true, output_mode: "content" },
        { pattern: "n(?=eedle)", output_mode: "count" },
      ];
      for (const input of searches) {
        const own = await call("Grep", input, root);
        const fast = await call("Grep", input, root, { config: { rg_path: rg! } });
        assert.deepEqual(fast, own, JSON.stringify(input));
      }
      const gone = await call("Grep", { pattern: "needle" }, root, {
        config: { rg_path: join(root, "no-rg") },
      });
      assert.deepEqual(gone, await call("Grep", { pattern: "needle" }, root));
    });
  },
});
