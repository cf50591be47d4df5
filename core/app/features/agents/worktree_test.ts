import assert from "node:assert/strict";
import { join } from "node:path";
import { loadSettings } from "../../../config/mod.ts";
import { appRootPaths } from "../../../app_root/mod.ts";
import { Worktrees } from "./worktree.ts";

const never = new AbortController().signal;

async function git(cwd: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command("git", {
    args: ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args],
    cwd,
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).trim();
}

async function withProject(test: (root: string, worktrees: Worktrees) => Promise<void>): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  try {
    const root = join(folder, "repository", "part");
    await Deno.mkdir(root, { recursive: true });
    const app_root = { ...appRootPaths(join(folder, "root")) };
    const { settings } = await loadSettings({ app_root, env: Deno.env, home: folder });
    await test(root, new Worktrees({ project_root: root, env: Deno.env, settings: () => settings }));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("a worktree is on a branch of its own, is removed with it when clean, and is kept with changes or commits", async () => {
  await withProject(async (root, worktrees) => {
    await git(root, "init", "-q", "..");
    await Deno.writeTextFile(join(root, "a.txt"), "a\n");
    await git(root, "add", ".");
    await git(root, "commit", "-q", "-m", "one");
    const [clean, dirty, ahead] = await Promise.all(
      ["agent-1", "agent-2", "agent-3"].map((id) => worktrees.add(id, never)),
    );
    assert.ok(clean !== undefined && dirty !== undefined && ahead !== undefined);
    assert.equal(clean.path, join(root, ".Lumina/worktrees/agent-1"));
    // the session works in a part of the repository, and so does the sub-agent
    assert.equal(clean.workspace, join(clean.path, "part"));
    assert.equal(await Deno.readTextFile(join(clean.workspace, "a.txt")), "a\n");
    await Deno.writeTextFile(join(dirty.workspace, "new.txt"), "n\n");
    await Deno.writeTextFile(join(ahead.workspace, "a.txt"), "b\n");
    await git(ahead.path, "commit", "-q", "-a", "-m", "two");
    assert.equal(await git(root, "status", "--porcelain"), "");
    assert.deepEqual(
      await Promise.all([clean, dirty, ahead].map((tree) => worktrees.removeClean(tree, never))),
      [
        true,
        false,
        false,
      ],
    );
    const left = [dirty, ahead].map(({ path, branch }) => ({ path, branch }));
    assert.deepEqual(await worktrees.list(never), left);
    assert.deepEqual(
      (await git(root, "branch", "--format=%(refname:short)", "--list", "lumina/*")).split("\n"),
      [
        "lumina/agent-2",
        "lumina/agent-3",
      ],
    );
    assert.equal((await worktrees.open(dirty, never)).workspace, dirty.workspace);
  });
});

Deno.test("there is no worktree outside a repository, before its first commit, or where its settings name a program", async () => {
  await withProject(async (root, worktrees) => {
    await assert.rejects(worktrees.add("a", never), {
      code: "agent.worktree",
      message: /is no git repository/,
    });
    assert.deepEqual(await worktrees.list(never), []);
    await git(root, "init", "-q");
    await assert.rejects(worktrees.add("a", never), { code: "agent.worktree", message: /has no commit yet/ });
    await git(root, "commit", "-q", "--allow-empty", "-m", "one");
    await git(root, "config", "filter.evil.smudge", "touch /tmp/evil");
    await assert.rejects(worktrees.add("a", never), {
      code: "agent.worktree",
      message: /filter\.evil\.smudge/,
    });
    await assert.rejects(worktrees.open({ path: join(root, "gone"), branch: "b" }, never), {
      code: "agent.worktree",
    });
  });
});

Deno.test("making a worktree runs no program that a repository names, and goes through no link", async () => {
  await withProject(async (root, worktrees) => {
    await git(root, "init", "-q");
    await Deno.writeTextFile(join(root, "a.txt"), "a\n");
    await git(root, "add", ".");
    await git(root, "commit", "-q", "-m", "one");
    await git(root, "config", "extensions.worktreeConfig", "true");
    await git(root, "config", "--worktree", "filter.evil.smudge", "touch evil");
    await assert.rejects(worktrees.add("a", never), { message: /filter\.evil\.smudge/ });
    await git(root, "config", "--worktree", "--unset", "filter.evil.smudge");
    await Deno.mkdir(join(root, ".Lumina"), { recursive: true });
    await Deno.mkdir(join(root, "elsewhere"));
    await Deno.symlink(join(root, "elsewhere"), join(root, ".Lumina/worktrees"));
    await assert.rejects(worktrees.add("a", never), { message: /is a link to another place/ });
    await Deno.remove(join(root, ".Lumina/worktrees"));
    // an object that is not there would be fetched by the repository's own program
    const mark = join(root, "mark");
    await Deno.writeTextFile(join(root, "evil.sh"), `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 });
    const object = await git(root, "rev-parse", "HEAD:a.txt");
    await Deno.remove(join(root, ".git/objects", object.slice(0, 2), object.slice(2)));
    for (
      const [key, value] of [
        ["core.repositoryformatversion", "1"],
        ["extensions.partialClone", "origin"],
        ["remote.origin.promisor", "true"],
        ["remote.origin.url", `ext::${join(root, "evil.sh")}`],
        ["protocol.ext.allow", "always"],
      ] as const
    ) await git(root, "config", key, value);
    await assert.rejects(worktrees.add("a", never), { code: "agent.worktree" });
    await assert.rejects(Deno.stat(mark), Deno.errors.NotFound);
  });
});
