import assert from "node:assert/strict";
import { onlyWhere } from "../support/skip.ts";
import { inPlace } from "./permission_support.ts";

/** What runs when a repository has its way: it leaves a file behind. */
const MARK = "PWNED";

async function sh(script: string, cwd: string): Promise<void> {
  const { success, stderr } = await new Deno.Command("bash", {
    args: ["-ec", script],
    cwd,
    env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_OPTIONAL_LOCKS: "0" },
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

/** A repository with one commit; `$EVIL` is a program that leaves the mark. */
const REPOSITORY = `git init -q -b main .
git config user.email a@b; git config user.name a
echo hi > a.txt; git add a.txt; git commit -qm one
printf '#!/bin/sh\\ntouch ${MARK}\\n' > ../evil; chmod +x ../evil; EVIL=$PWD/../evil
`;
const EMBEDDED = `mkdir -p e/sub; cp -r .git/HEAD .git/objects .git/refs e
printf '[core]\\nbare=false\\nworktree=%s\\nfsmonitor=%s\\n' "$PWD" "$EVIL" > e/config
`;

const CASES: [what: string, setup: string, lines: string[]][] = [
  [
    "a comment that ends in a backslash",
    `printf '[core]\\n# x \\\\\\nfsmonitor = %s\\n' "$EVIL" >> .git/config`,
    ["git status"],
  ],
  ["two headers on a line", `printf '[a][core]fsmonitor = %s\\n' "$EVIL" >> .git/config`, ["git status"]],
  [
    "a line separator of Unicode in a value",
    `printf '[core]\\nfsmonitor = "%s #\\xe2\\x80\\xa8"\\n' "$EVIL" >> .git/config`,
    ["git status"],
  ],
  [
    "an include with a comment behind it",
    `printf '[include]\\npath = m ; x\\n' >> .git/config; printf '[core]\\nfsmonitor=%s\\n' "$EVIL" > .git/m`,
    ["git status"],
  ],
  [
    "an include with an escape in it",
    `printf '[include]\\npath = "m\\\\tn"\\n' >> .git/config
     printf '[core]\\nfsmonitor=%s\\n' "$EVIL" > ".git/m\tn"`,
    ["git status"],
  ],
  [
    "an include below another user's home",
    `printf '[include]\\npath = ~root/../%s/m\\n' "$PWD" >> .git/config
     printf '[core]\\nfsmonitor=%s\\n' "$EVIL" > m`,
    ["git status"],
  ],
  [
    "a bare repository beside an empty .git",
    `${EMBEDDED}rm -rf .git; mkdir .git; cp -r e/* .`,
    ["git status"],
  ],
  [
    "a link into a repository among the files",
    `${EMBEDDED}ln -s e/sub link`,
    ["git -C link status", "cd link && git status"],
  ],
  [
    "a repository among the files, gone into by command cd",
    EMBEDDED,
    ["command cd e && git status", "builtin cd e; git status", "time cd e; git status"],
  ],
  [
    "a submodule that is a repository of its own",
    `git init -q s; cd s; git config user.email a@b; git config user.name a
     echo q > q; git add q; git commit -qm q; cd ..; git -c advice.addEmbeddedRepo=false add s; git commit -qm s
     printf '[core]\\nfsmonitor=%s\\n' "$EVIL" >> s/.git/config; echo z >> s/q`,
    ["git status", "git diff", "git diff --submodule=diff", "git log -p --submodule=diff"],
  ],
  [
    "a hook for when the index is written",
    `cp "$EVIL" .git/hooks/post-index-change; touch a.txt`,
    ["git describe --always --dirty"],
  ],
  [
    "a git folder whose name ends in a blank",
    `mv .git 'real '; printf 'gitdir: real \\n' > .git; printf '[core]\\nfsmonitor=%s\\n' "$EVIL" >> 'real /config'`,
    ["git status"],
  ],
  [
    "objects that are fetched when they are missing",
    `git config core.repositoryformatversion 1; git config extensions.partialclone origin
     git config remote.origin.promisor true; git config protocol.ext.allow always
     git config remote.origin.url "ext::$EVIL"`,
    ["cat-file -p", "ls-tree", "rev-list", "rev-parse --verify"].map((sub) => `git ${sub} ${"1".repeat(40)}`),
  ],
  ["an order that asks gpg", `git config branch.sort signature`, ["git branch"]],
  ["a work tree elsewhere", `git config core.worktree ../outside`, ["git grep --untracked x", "git diff"]],
  [
    "a list of revisions elsewhere",
    `git config blame.ignoreRevsFile ../outside/secret`,
    ["git blame a.txt"],
  ],
];

Deno.test({
  ...onlyWhere(
    "no setting of a hostile repository makes a reading git run or read something else",
    Deno.build.os !== "windows",
    "written for bash",
  ),
  async fn() {
    for (const [what, setup, lines] of CASES) {
      await inPlace(async ({ workspace, bash }) => {
        await Deno.remove(`${workspace}/.git`);
        await sh(REPOSITORY, workspace);
        for (const line of lines.filter((line) => /^git (status|diff|branch|blame a)/.test(line))) {
          const before = await bash(line, { mode: "plan" });
          if (!line.includes("=diff")) assert.equal(before.behavior, "allow", `${line}: ${before.reason}`);
        }
        await sh(`${REPOSITORY.split("\n").at(-2)}\n${setup}`, workspace);
        for (const line of lines) {
          assert.equal((await bash(line, { mode: "plan" })).behavior, "deny", `${what}: ${line}`);
          assert.equal((await bash(line, { mode: "ask" })).behavior, "ask", `${what}: ${line}`);
        }
      });
    }
  },
});

Deno.test("submodules and linked work trees as git makes them keep git reading", async () => {
  await inPlace(async ({ workspace, bash, dir }) => {
    await Deno.remove(`${workspace}/.git`);
    await sh(
      `${REPOSITORY}git -c protocol.file.allow=always clone -q . ../other
git -c protocol.file.allow=always submodule --quiet add ../other lib; git commit -qm lib
git worktree add -q tree; printf '[diff]\n\tsubmodule = log ; short\n' >> .git/config`,
      workspace,
    );
    for (const folder of [".", "lib", "tree"]) {
      for (
        const command of ["status", "diff", "log -3", "blame a.txt", "describe --dirty", "rev-parse HEAD"]
      ) {
        const { behavior, reason } = await bash(`git -C ${folder} ${command}`, { mode: "plan" });
        assert.equal(behavior, "allow", `${folder} ${command}: ${reason} in ${dir}`);
      }
    }
    for (const version of [3, 4]) {
      await sh(`git update-index --index-version ${version}; touch new; git add -N new`, workspace);
      assert.equal((await bash("git status", { mode: "plan" })).behavior, "allow");
      await sh(`printf '[core]\nfsmonitor = evil\n' >> .git/modules/lib/config`, workspace);
      assert.equal((await bash("git status", { mode: "plan" })).behavior, "deny", `index version ${version}`);
      await sh(`git config -f .git/modules/lib/config --unset-all core.fsmonitor`, workspace);
    }
  });
});
