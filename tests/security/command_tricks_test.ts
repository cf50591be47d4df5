import assert from "node:assert/strict";
import { onlyWhere } from "../support/skip.ts";
import { BASH, inPlace } from "./permission_support.ts";
import type { Place } from "./permission_support.ts";

async function inTree(test: (place: Place) => Promise<void>): Promise<void> {
  await inPlace(async (place) => {
    const { workspace, outside } = place;
    for (const folder of ["sub", "one", "two", "plain"]) await Deno.mkdir(`${workspace}/${folder}`);
    for (const file of ["a.txt", "one/z", "two/z", "plain/z", "l"]) {
      await Deno.writeTextFile(`${workspace}/${file}`, "text\n");
    }
    await Deno.writeTextFile(`${outside}/secret`, "secret\n");
    await Deno.remove(`${workspace}/one/z`);
    for (const link of ["sub/l", "one/z"]) await Deno.symlink(`${outside}/secret`, `${workspace}/${link}`);
    await test(place);
  });
}

/** Awk programs that write a file when a `/` that begins a pattern is taken for a division. */
const AWK = ["x = 1\n", "x = $", "x = length ", "if (1) ", "while (0) "].map((front) =>
  `awk 'BEGIN { ${front}/"/; print 1 > "f"; y = "/" #"\n}'`
);

const WRITING = [
  "git diff -M --output=f",
  "git diff -C --output=f",
  "git diff -U --output=f",
  "git diff --unified --output=f",
  "git diff --word-diff-regex --output=f",
  "git log -p -C --output=f",
  "git log -B --output=f",
  "git log --format --output=f",
  "git log --max-parents --output=f",
  "git log --encoding --output=f",
  "git show --since --output=f",
  "sort -k -o f a.txt",
  ...AWK,
  "sleep 0 & wait -n -p 'x[$(touch f)]'",
  "wait -p PATH -n",
];

Deno.test("an option in the place of a value is looked at, and a pattern of awk is no division", async () => {
  await inTree(async ({ bash }) => {
    for (const line of WRITING) {
      assert.equal((await bash(line, { mode: "plan" })).behavior, "deny", line);
      assert.equal((await bash(line, { mode: "accept-edits" })).behavior, "ask", line);
    }
    for (
      const line of [
        "git diff -M -C90 -U5 HEAD~1",
        "git log --format='%h %s' -n 5 --max-count 3",
        "git log -n -1",
        "head -n -5 a.txt",
        "rg -e -x a.txt",
        "awk '{ print ($1 + $2) / 2, NF / length($0) }' a.txt",
        "awk '/a/ { x = 1 }\n/b/ { print x / 2 }' a.txt",
        "wait 17; wait",
      ]
    ) assert.equal((await bash(line, { mode: "plan" })).behavior, "allow", line);
  });
});

Deno.test("names from a pipe, links in compared folders and moved folders are followed to what is read", async () => {
  await inTree(async ({ bash, outside, workspace }) => {
    const secret = `${outside}/secret`;
    await Deno.writeTextFile(`${workspace}/names`, `${secret}\n`);
    for (const name of ["--files0-from=l", "--total=never"]) {
      await Deno.writeTextFile(`${workspace}/${name}`, "");
    }
    const lines = [
      "grep -h -e -l -e . names | xargs cat",
      "rg -N -e -l -e . names | xargs cat",
      "rg -N -e --files -e . names | xargs cat",
      `echo x | grep -l --label=${secret} x - | xargs cat`,
      `git ls-files --format=${secret} | xargs cat`,
      `rg -l --type-add 'x:${secret}' --type-list | xargs cat`,
      `rg -l '(${secret} ' plain |& xargs cat`,
      "cd plain && git ls-files .. | xargs cat",
      "diff one two",
      "ls -LR one",
      "tar tfv ../outside/x.tar",
      "command cd sub && cat l",
      "command -p cd sub; cat l",
      "builtin cd sub; cat l",
      "time cd sub; cat l",
      `x=a.txt; command read x <<< ${secret}; cat $x`,
      `x=a.txt; time read x <<< ${secret}; cat $x`,
      `x=foo; builtin unset x; cat "$x${secret}"`,
      "wc -*",
    ];
    for (const line of lines) {
      assert.equal((await bash(line, { mode: "plan" })).behavior, "deny", line);
      assert.equal((await bash(line, { mode: "ask" })).behavior, "ask", line);
    }
    for (
      const line of [
        "rg -l text plain | xargs cat",
        "grep -rl text plain -e -l | xargs head -3",
        "diff plain two",
        "ls -L one",
        "tar tvf plain/x.tar",
        "command cd plain && cat z",
      ]
    ) assert.equal((await bash(line, { mode: "plan" })).behavior, "allow", line);
  });
});

/** What the judge allows must leave no file behind: each option with a value, in front of one that writes. */
Deno.test({
  ...onlyWhere(
    "no option of a reading git swallows the option that writes a file",
    Deno.build.os !== "windows",
    "runs git",
  ),
  async fn() {
    const { GIT_SPECS } = await import("../../core/permission/read_only/git_specs.ts");
    await inPlace(async ({ workspace, bash }) => {
      const git = (...args: string[]) =>
        new Deno.Command("git", {
          args: ["-c", "user.name=a", "-c", "user.email=a@b", ...args],
          cwd: workspace,
        })
          .output();
      await git("init", "-q");
      await git("commit", "-q", "--allow-empty", "-m", "one");
      for (const [name, spec] of Object.entries(GIT_SPECS)) {
        const options = [
          ...[...(spec.flags ?? ""), ...(spec.values ?? ""), ...(spec.glued ?? "")].map((flag) => `-${flag}`),
          ...spec.long ?? [],
          ...spec.long_values ?? [],
        ];
        for (const option of options) {
          const args = [...name.split(" "), option, "--output=written"];
          if ((await bash(`git ${args.join(" ")}`, { mode: "plan" })).behavior !== "allow") continue;
          await git(...args);
          await assert.rejects(Deno.stat(`${workspace}/written`), Deno.errors.NotFound, args.join(" "));
        }
      }
    });
  },
});

Deno.test("a name that the PATH leads to inside the workspace is no program of the system", async () => {
  await inTree(async ({ workspace, policy }) => {
    const { createJudge, buildPolicy } = await import("../../core/permission/mod.ts");
    const judge = createJudge();
    const { home } = policy({});
    await Deno.writeTextFile(`${workspace}/plain/cat`, "");
    for (const path of [`${workspace}/plain:/usr/bin`, "plain:/usr/bin", "/usr/bin:./plain"]) {
      const { policy } = buildPolicy({
        mode: "plan",
        layers: [],
        workspace,
        home,
        path,
      });
      const judged = async (command: string) =>
        (await judge.judge({ tool: BASH, input: { command } }, policy)).behavior;
      for (const line of ["cat a.txt", "find . -name a -exec cat {} +", "nice cat a.txt", "tar tf a.tar"]) {
        assert.equal(await judged(line), "deny", `${path} ${line}`);
      }
      for (const line of ["head a.txt", "/bin/cat a.txt", "echo a", "cd sub && pwd"]) {
        assert.equal(await judged(line), "allow", `${path} ${line}`);
      }
    }
  });
});

Deno.test("a working folder that is gone, a link or a way out is not the one a command is judged in", async () => {
  await inTree(async ({ workspace, policy }) => {
    const { createJudge } = await import("../../core/permission/mod.ts");
    const judge = createJudge();
    await Deno.symlink("../outside", `${workspace}/way`);
    await Deno.symlink("../outside/secret", `${workspace}/out`);
    for (const shell_cwd of [`${workspace}/gone`, `${workspace}/way`, `${workspace}/../outside`]) {
      const call = { tool: BASH, input: { command: "cat out" } };
      const { behavior } = await judge.judge(call, { ...policy({ mode: "plan" }), shell_cwd });
      assert.equal(behavior, "deny", shell_cwd);
    }
  });
});
