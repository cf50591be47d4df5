import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { onlyWhere } from "../../tests/support/skip.ts";
import { IgnoreRules } from "./gitignore.ts";
import { TreeWalk } from "./walk.ts";

const GIT_ENV = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  HOME: "/nonexistent",
  LC_ALL: "C",
};

function git(cwd: string, ...args: string[]): string {
  const env = { ...GIT_ENV, PATH: Deno.env.get("PATH") ?? "" };
  const { code, stdout, stderr } = new Deno.Command("git", { args, cwd, env, clearEnv: true }).outputSync();
  if (code > 1) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

function hasGit(): boolean {
  try {
    return new Deno.Command("git", { args: ["--version"], stdout: "null" }).outputSync().success;
  } catch {
    return false; // not installed: the comparisons below are skipped
  }
}

const withGit = (name: string) => onlyWhere(name, hasGit(), "git is not installed");

/** Files of a tree by path; a text is the content, `->x` a link to x. */
function plant(root: string, files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    Deno.mkdirSync(join(root, dirname(path)), { recursive: true });
    if (content.startsWith("->")) Deno.symlinkSync(content.slice(2), join(root, path));
    else Deno.writeTextFileSync(join(root, path), content);
  }
}

async function walked(root: string): Promise<string[]> {
  const files: string[] = [];
  for await (const batch of new TreeWalk({ root, read_roots: [root], honour_ignores: true }).batches()) {
    for (const entry of batch) if (!entry.directory) files.push(entry.path.slice(root.length + 1));
  }
  return files.sort();
}

function untracked(root: string): string[] {
  return git(root, "ls-files", "-z", "-co", "--exclude-standard").split("\0").filter((name) => name !== "")
    .sort();
}

function withTree(files: Record<string, string>, run: (root: string) => Promise<void>): Promise<void> {
  const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "lumina-ignore-" }));
  plant(root, files);
  return run(root).finally(() => Deno.removeSync(root, { recursive: true }));
}

const segment = fc.constantFrom(
  "a",
  "b",
  "ab",
  "abc",
  "x.log",
  "y.txt",
  "build",
  ".env",
  "#h",
  "!n",
  "s p",
  "[z]",
);
const filePath = fc.array(segment, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
const wild = fc.constantFrom(
  "*",
  "**",
  "?",
  "[ab]",
  "[!a]",
  "[a-c]*",
  "*.log",
  "a*",
  "*b",
  "***",
  "a**",
  "\\#h",
  "\\!n",
  "s\\ p",
  "\\[z]",
  "a*c",
  "x.*",
  "",
);
const patternLine = fc.tuple(
  fc.constantFrom("", "", "", "!", "!"),
  fc.constantFrom("", "", "/"),
  fc.array(fc.oneof(segment, wild), { minLength: 1, maxLength: 3 }),
  fc.constantFrom("", "", "/", " ", "\r", "/**"),
).map(([not, anchor, names, end]) => `${not}${anchor}${names.join("/")}${end}`);
const ignoreFile = fc.array(
  fc.oneof({ weight: 9, arbitrary: patternLine }, {
    weight: 1,
    arbitrary: fc.constantFrom("", "# c", "/", "!", "\\", "a\\"),
  }),
  { maxLength: 6 },
)
  .map((lines) => lines.join("\n"));

Deno.test({
  ...withGit("A walk leaves out exactly what git leaves out, on generated trees with nested ignore files"),
  async fn() {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(filePath, { minLength: 3, maxLength: 12 }),
        ignoreFile,
        fc.dictionary(fc.constantFrom("a", "b", "ab", "a/b", "build"), ignoreFile, { maxKeys: 2 }),
        ignoreFile,
        async (paths, top, nested, exclude) => {
          const files: Record<string, string> = {};
          for (const path of paths) {
            // a name is either a file or a directory
            if (!paths.some((other) => other.startsWith(`${path}/`))) files[path] = "";
          }
          for (const [folder, text] of Object.entries(nested)) {
            if (paths.some((path) => path.startsWith(`${folder}/`))) files[`${folder}/.gitignore`] = text;
          }
          await withTree({ ".gitignore": top, ...files }, async (root) => {
            git(root, "init", "-q", "--template=");
            await Deno.mkdir(join(root, ".git/info"));
            await Deno.writeTextFile(join(root, ".git/info/exclude"), exclude);
            assert.deepEqual(await walked(root), untracked(root));
          });
        },
      ),
      { numRuns: Number(Deno.env.get("LUMINA_FUZZ_RUNS") ?? 150) },
    );
  },
});

Deno.test({
  ...withGit("A final slash matches directories and neither files nor links to directories"),
  fn: () =>
    withTree({
      ".gitignore": "node_modules/\nout/\n",
      "node_modules": "->.",
      "sub/node_modules/x.js": "",
      "lib/out": "a file",
      "out/x": "",
    }, async (root) => {
      git(root, "init", "-q");
      const walk = new TreeWalk({ root, read_roots: [root], honour_ignores: true });
      const files: string[] = [];
      for await (const batch of walk.batches()) {
        files.push(...batch.filter((e) => !e.directory).map((e) => e.path));
      }
      assert.deepEqual(files.map((path) => path.slice(root.length + 1)), [".gitignore", "lib/out"]);
      assert.equal(walk.counts.links, 1);
      assert.equal(walk.counts.ignored, 2);
      assert.deepEqual(untracked(root), [".gitignore", "lib/out", "node_modules"]); // git lists the link itself
    }),
});

Deno.test({
  ...withGit(
    "Nothing under an ignored directory comes back, and a deeper file can re-include what a higher one ignores",
  ),
  fn: () =>
    withTree({
      ".gitignore": "ignored/\n!ignored/kept.txt\n*.log\n",
      "ignored/kept.txt": "",
      "logs/.gitignore": "!*.log\n",
      "logs/a.log": "",
      "b.log": "",
    }, async (root) => {
      git(root, "init", "-q");
      assert.deepEqual(await walked(root), [".gitignore", "logs/.gitignore", "logs/a.log"]);
      assert.deepEqual(await walked(root), untracked(root));
    }),
});

Deno.test({
  ...withGit("Stars after the literal head of a path pattern span directories, as in git"),
  fn: () =>
    withTree(
      { ".gitignore": "lib/a**/x\n", "lib/ab/c/x": "", "lib/a/x": "", "lib/ax": "", "lib/b/x": "" },
      async (root) => {
        git(root, "init", "-q");
        assert.deepEqual(await walked(root), untracked(root));
      },
    ),
});

Deno.test("Rules from parents hold up to the repository's root and not beyond it", () =>
  withTree({
    ".gitignore": "*.tmp\n*.out\n",
    "repo/.git/HEAD": "ref: refs/heads/main\n",
    "repo/.git/info/exclude": "*.bak\n",
    "repo/.gitignore": "*.log\n",
    "repo/sub/deep/a.log": "",
    "repo/sub/deep/a.tmp": "",
    "repo/sub/deep/a.bak": "",
    "repo/sub/deep/a.ts": "",
  }, async (root) => {
    const start = join(root, "repo/sub/deep");
    const files: string[] = [];
    const walk = new TreeWalk({ root: start, read_roots: [root], honour_ignores: true });
    for await (const batch of walk.batches()) files.push(...batch.map((entry) => entry.name));
    assert.deepEqual(files, ["a.tmp", "a.ts"]);
  }));

Deno.test("A repository inside another begins with its own rules", () =>
  withTree({
    ".git/HEAD": "",
    ".gitignore": "*.log\n",
    "inner/.git/HEAD": "",
    "inner/a.log": "",
    "b.log": "",
  }, async (root) => assert.deepEqual(await walked(root), [".gitignore", "inner/a.log"])));

Deno.test("A directory that is ignored is searched when it is itself the start", () =>
  withTree({ ".git/HEAD": "", ".gitignore": "build/\nbuild/**\n", "build/a.js": "" }, async (root) => {
    const files: string[] = [];
    const walk = new TreeWalk({ root: join(root, "build"), read_roots: [root], honour_ignores: true });
    for await (const batch of walk.batches()) files.push(...batch.map((entry) => entry.name));
    assert.deepEqual(files, ["a.js"]);
  }));

Deno.test("IgnoreRules ignores the case of letters when told to", () => {
  const rules = new IgnoreRules("Build/\n*.LOG\n/Docs/a\n", true);
  assert.equal(rules.judge("build", "build", true), true);
  assert.equal(rules.judge("x.log", "x.log", false), true);
  assert.equal(rules.judge("docs/A", "A", false), true);
  assert.equal(new IgnoreRules("Build/\n", false).judge("build", "build", true), undefined);
});
