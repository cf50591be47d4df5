import assert from "node:assert/strict";
import fc from "fast-check";
import { parse } from "yaml";
import { FrontMatterError, readFrontMatter } from "./front_matter.ts";

const read = (text: string) => readFrontMatter(text, "SKILL.md");

Deno.test("a byte order mark and CRLF line ends change nothing", async () => {
  const plain = await read("---\nname: a\nallowed-tools: Read\n---\nbody\nmore\n");
  assert.deepEqual(
    await read("\uFEFF---\r\nname: a\r\nallowed-tools: Read\r\n---\r\nbody\r\nmore\r\n"),
    plain,
  );
  assert.deepEqual(plain, {
    fields: { name: "a", allowed_tools: "Read" },
    lines: { name: 2, allowed_tools: 3 },
    body: "body\nmore\n",
    body_line: 5,
  });
});

Deno.test("a file without front matter is all body", async () => {
  assert.deepEqual(await read("# Title\n---\n"), {
    fields: {},
    lines: {},
    body: "# Title\n---\n",
    body_line: 1,
  });
});

Deno.test("keys read alike with -, _ and capitals; twice the same key is an error with its line", async () => {
  for (const key of ["disallowed-tools", "disallowed_tools", "disallowedTools"]) {
    assert.deepEqual((await read(`---\n${key}: [Bash, Read]\n---\n`)).fields, {
      disallowed_tools: ["Bash", "Read"],
    });
  }
  await assert.rejects(read("---\nwhen-to-use: a\nwhen_to_use: b\n---\n"), {
    message: 'SKILL.md:3: "when_to_use" stands there twice (first on line 2)',
  });
});

Deno.test("lists, blocks, maps, numbers and booleans are YAML's", async () => {
  const { fields, lines } = await read(
    "---\ndescription: >\n  two\n  lines\nmetadata:\n  a: 1\nuser-invocable: false\npaths:\n  - src/**\n---\n",
  );
  assert.deepEqual(fields, {
    description: "two lines\n",
    metadata: { a: 1 },
    user_invocable: false,
    paths: ["src/**"],
  });
  assert.deepEqual(lines, { description: 2, metadata: 5, user_invocable: 7, paths: 8 });
});

Deno.test("one-line values that are no YAML count as the text that they are", async () => {
  const { fields } = await read(
    "---\ndescription: Use when: something breaks\nargument-hint: [file] [line]\ntools: *\nmax-turns: 3\n---\nx",
  );
  assert.deepEqual(fields, {
    description: "Use when: something breaks",
    argument_hint: "[file] [line]",
    tools: "*",
    max_turns: 3,
  });
});

Deno.test("what cannot be read names file, line and reason", async () => {
  const failing = async (text: string) => {
    try {
      await read(text);
    } catch (error) {
      assert(error instanceof FrontMatterError);
      assert.equal(error.code, "extension.front_matter");
      return [error.line, error.reason];
    }
    throw new Error("it was read");
  };
  assert.deepEqual(await failing("---\nname: a\n"), [
    1,
    "the front matter that begins here has no closing ---",
  ]);
  assert.deepEqual(await failing("---\n- a\n- b\n---\n"), [
    2,
    "the front matter must be lines of `key: value`",
  ]);
  const [line, reason] = await failing('---\nname: a\nmetadata:\n  x: "open\n---\n');
  assert.equal(typeof line, "number");
  assert.match(String(reason), /^not valid YAML: /);
  const bomb = ["a: &a [1,1,1,1,1,1,1,1,1]"];
  for (let level = 1; level < 9; level++) {
    const [name, before] = [String.fromCharCode(97 + level), String.fromCharCode(96 + level)];
    bomb.push(`${name}: &${name} [${Array(9).fill(`*${before}`).join(",")}]`);
  }
  assert.match(String((await failing(`---\n${bomb.join("\n")}\n---\n`))[1]), /alias/i);
});

Deno.test("a key named __proto__ is a key like any other", async () => {
  const { fields } = await read("---\n__proto__: {polluted: true}\nname: a\n---\n");
  assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
  assert.equal(fields["name"], "a");
});

Deno.test("what is read without the library is what the library reads", async () => {
  const word = fc.stringMatching(/^"?[A-Za-zß好][\w好 ,.;:#()[\]{}*"/'$+=<>!?&-]{0,20}"?$/);
  await fc.assert(
    fc.asyncProperty(fc.stringMatching(/^[a-z]{1,8}$/), word, async (key, value) => {
      const yaml = `${key}: ${value}\nother: x`;
      if (key === "other") return;
      let expected: unknown;
      try {
        expected = parse(yaml);
      } catch {
        return; // no YAML: the test above says what becomes of it
      }
      assert.deepEqual((await read(`---\n${yaml}\n---\n`)).fields, expected);
    }),
    { numRuns: 1000, seed: 20261130 },
  );
});

Deno.test("blanks inside and at the end of a long line change nothing, and a longer text is refused unread", async () => {
  const blanks = " ".repeat(16_000);
  assert.deepEqual((await read(`---\ndescription: a${blanks}b${blanks.slice(0, 100)}\n---\nx`)).fields, {
    description: `a${blanks}b`,
  });
  await assert.rejects(read(`---\nname: ${"x".repeat(20_000)}\n---\nx`), /longer than 16384 characters/);
});
