import assert from "node:assert/strict";
import { join } from "node:path";
import { SkillLibrary } from "./skill_library.ts";
import type { SkillPlace } from "./skill.ts";

interface Folder {
  root: string;
  write(path: string, text: string): string;
  place(name: string, source: SkillPlace["source"]): SkillPlace;
}

async function inFolder(test: (folder: Folder) => Promise<void>): Promise<void> {
  const root = await Deno.realPath(await Deno.makeTempDir());
  try {
    await test({
      root,
      write: (path, text) => writeFile(join(root, path), text),
      place: (name, source) => ({
        source,
        directory: join(root, name),
        ...(source === "project" ? { within: join(root, name) } : {}),
      }),
    });
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

function writeFile(file: string, text: string): string {
  Deno.mkdirSync(join(file, ".."), { recursive: true });
  Deno.writeTextFileSync(file, text);
  return file;
}

const skill = (name: string, more = "") =>
  `---\nname: ${name}\ndescription: What ${name} does\n${more}---\nDo it.\n`;

Deno.test("the first place that has a name wins; folders without SKILL.md and hidden ones are none", () =>
  inFolder(async ({ write, place }) => {
    write("a/review/SKILL.md", skill("review", "effort: high\n"));
    write("a/notes/README.md", "no skill");
    write("a/.git/SKILL.md", skill("git"));
    write("b/review/SKILL.md", skill("review"));
    write("b/commit/SKILL.md", skill("commit"));
    const { skills, problems } = await new SkillLibrary().look([
      place("a", "project"),
      place("missing", "project"),
      place("b", "user"),
    ]);
    assert.deepEqual(skills.map(({ name, source, effort }) => [name, source, effort]), [
      ["review", "project", "high"],
      ["commit", "user", undefined],
    ]);
    assert.deepEqual(problems, []);
  }));

Deno.test("a broken skill is told with file, line and reason, and is left out alone", () =>
  inFolder(async ({ root, write, place }) => {
    write("s/good/SKILL.md", `\uFEFF${skill("good").replaceAll("\n", "\r\n")}`);
    write("s/other-name/SKILL.md", skill("another"));
    write("s/Bad_Name/SKILL.md", "---\ndescription: x\n---\n");
    write("s/open/SKILL.md", "---\nname: open\n");
    write("s/long/SKILL.md", `---\nname: long\ndescription: ${"x".repeat(1025)}\n---\n`);
    write("s/wrong/SKILL.md", skill("wrong", "context: forked\neffort: hihg\nuser-invocable: maybe\n"));
    write("s/empty/SKILL.md", "");
    write("s/hooked/SKILL.md", skill("hooked", "hooks:\n  Stop: []\n"));
    await Deno.mkdir(join(root, "s/folder/SKILL.md"), { recursive: true });
    const { skills, problems } = await new SkillLibrary().look([place("s", "user")]);
    assert.deepEqual(skills.map(({ name }) => name), ["good", "hooked"]);
    assert.deepEqual(
      problems.map(({ file, line, message, usable }) => [file.slice(root.length + 3), line, message, usable]),
      [
        [
          "Bad_Name/SKILL.md",
          undefined,
          'the name "Bad_Name" may hold lower-case letters, digits and single hyphens between them: rename its folder',
          false,
        ],
        ["empty/SKILL.md", undefined, "it has no description", false],
        ["folder/SKILL.md", undefined, "cannot be read: it is no plain file", false],
        ["hooked/SKILL.md", 4, "hooks of a skill are not run; everything else of it works", true],
        ["long/SKILL.md", 3, "the description is longer than 1024 characters", false],
        ["open/SKILL.md", 1, "the front matter that begins here has no closing ---", false],
        [
          "other-name/SKILL.md",
          2,
          'its name is "another" and that of its folder "other-name": they must be the same',
          false,
        ],
        [
          "wrong/SKILL.md",
          5,
          'effort is "hihg"; it may be low, medium, high or max; did you mean high?',
          false,
        ],
        ["wrong/SKILL.md", 4, 'context is "forked"; it may be inline or fork', false],
        ["wrong/SKILL.md", 6, 'user-invocable is "maybe"; it may be true or false', false],
      ],
    );
  }));

Deno.test("a look sees what has changed, come and gone since the last one", () =>
  inFolder(async ({ root, write, place }) => {
    const library = new SkillLibrary();
    const places = [place("s", "user")];
    assert.deepEqual((await library.look(places)).skills, []);
    write("s/one/SKILL.md", skill("one"));
    assert.deepEqual((await library.look(places)).skills.map(({ description }) => description), [
      "What one does",
    ]);
    write("s/one/SKILL.md", skill("one").replace("What one does", "Something else"));
    const { skills: [one] } = await library.look(places);
    assert(one !== undefined);
    assert.equal(one.description, "Something else");
    assert.equal(await library.body(one), "Do it.\n");
    await Deno.remove(join(root, "s/one"), { recursive: true });
    assert.deepEqual((await library.look(places)).skills, []);
  }));

Deno.test("links of a repository that lead out of it are refused; a person's own are followed", () =>
  inFolder(async ({ root, write, place }) => {
    write("elsewhere/linked/SKILL.md", skill("linked"));
    const secret = write("secret/SKILL.md", "a key");
    for (const where of ["repo", "mine"]) {
      write(`${where}/plain/SKILL.md`, skill("plain"));
      await Deno.symlink(join(root, "elsewhere/linked"), join(root, where, "linked"));
      await Deno.mkdir(join(root, where, "stolen"));
      await Deno.symlink(secret, join(root, where, "stolen/SKILL.md"));
      await Deno.symlink(join(root, "nothing"), join(root, where, "dead"));
    }
    const library = new SkillLibrary();
    const repo = await library.look([place("repo", "project")]);
    assert.deepEqual(repo.skills.map(({ name }) => name), ["plain"]);
    assert.deepEqual(repo.problems.map(({ file, message }) => [file.slice(root.length + 6), message]), [
      ["linked/SKILL.md", `a link leads out of ${join(root, "repo")}: it is not used`],
      ["stolen/SKILL.md", `a link leads out of ${join(root, "repo")}: it is not used`],
    ]);
    const mine = await library.look([place("mine", "user")]);
    assert.deepEqual(mine.skills.map(({ name }) => name), ["linked", "plain", "stolen"]);
  }));

Deno.test("a pack's skill is a folder of its own and carries the pack's id", () =>
  inFolder(async ({ root, write }) => {
    write("pack/skills/tidy/SKILL.md", skill("tidy"));
    const { skills } = await new SkillLibrary().look([
      {
        source: "pack",
        directory: join(root, "pack/skills/tidy"),
        pack: "acme.tidy",
        single: true,
        within: join(root, "pack"),
      },
    ]);
    assert.deepEqual(skills.map(({ name, source, pack }) => [name, source, pack]), [[
      "tidy",
      "pack",
      "acme.tidy",
    ]]);
  }));
