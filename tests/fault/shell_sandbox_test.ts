import assert from "node:assert/strict";
import { sandboxWorks } from "../../plugins/tools_shell/mod.ts";
import { findSandbox } from "../support/find_sandbox.ts";
import { testWith } from "../support/skip.ts";
import { BASH, BWRAP, pidsWith, ShellHost, type ShellHostOptions } from "./shell_harness.ts";

const sandbox = await findSandbox(BWRAP);

function sandboxTest(name: string, run: () => Promise<void>): void {
  testWith(name, sandbox, run);
}
const sandboxed = (options: ShellHostOptions = {}) =>
  new ShellHost({ secrets: [".ssh", ".netrc"], ...options, sandbox: true });

sandboxTest("a sandboxed command writes in the workspace and in its own /tmp, nowhere else", async () => {
  await using host = sandboxed();
  assert.equal((await host.bash("echo x > file && cat file")).content, "x");
  assert.equal(await Deno.readTextFile(`${host.workspace}/file`), "x\n");
  for (const path of ["/usr/lumina", "/etc/lumina", "/var/tmp/lumina", `${host.spill}/x`]) {
    const result = await host.bash(`echo x > ${path}`);
    assert.equal(result.is_error, true, path);
    assert.match(result.content, /Read-only file system|Permission denied/, path);
  }
  await host.bash("echo kept > /tmp/between");
  assert.equal((await host.bash("cat /tmp/between")).content, "kept");
  await assert.rejects(Deno.stat("/tmp/between"), Deno.errors.NotFound);
  assert.equal(
    (await host.bash("mount -o remount,rw / || unshare -Ur mount -o remount,rw /; echo x > /usr/lumina"))
      .is_error,
    true,
  );
});

sandboxTest("a sandboxed command reaches no network and no socket of the system", async () => {
  await using host = sandboxed();
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  try {
    const { port } = listener.addr as Deno.NetAddr;
    const result = await host.bash(`exec 3<>/dev/tcp/127.0.0.1/${port}`);
    assert.equal(result.is_error, true);
    assert.match(result.content, /unreachable|refused/i);
    assert.equal((await host.bash("ls -A /run | grep -v current-system")).content, "Exit code 1 (no match)");
  } finally {
    listener.close();
  }
});

sandboxTest("a sandboxed command sees no process, environment or secret from outside", async () => {
  await using host = sandboxed();
  const decoy = new Deno.Command("/usr/bin/sleep", {
    args: ["300"],
    env: { CANARY: "outside-secret" },
    stdout: "null",
  }).spawn();
  try {
    await Deno.mkdir(`${host.root}/.ssh`);
    await Deno.writeTextFile(`${host.root}/.ssh/id`, "ssh-secret");
    await Deno.writeTextFile(`${host.root}/.netrc`, "netrc-secret");
    const result = await host.bash(
      "cat /proc/*/environ ~/.ssh/* ~/.netrc 2>/dev/null | tr '\\0' '\\n' | grep secret; ls -A ~/.ssh; ps -e | wc -l",
    );
    assert.doesNotMatch(result.content, /secret/);
    assert.ok(Number(result.content.trim().split("\n").at(-1)) < 10, result.content);
    assert.equal((await host.bash("echo x > ~/.ssh/new")).is_error, true);
    assert.equal((await host.bash("cat ~/.netrc && ls ~/.ssh")).content, "(no output)");
  } finally {
    decoy.kill("SIGKILL");
    await decoy.status;
  }
});

sandboxTest("a sandboxed command changes no setting of the kernel, not even as root", async () => {
  await using host = sandboxed();
  for (const path of ["/proc/sys/kernel/core_pattern", "/proc/sys/kernel/panic"]) {
    const result = await host.bash(`cat ${path} > /tmp/v && cat /tmp/v > ${path}`);
    assert.equal(result.is_error, true, path);
  }
});

sandboxTest("a sandboxed command reaches no socket that something outside listens on", async () => {
  await using host = sandboxed();
  // not below /tmp, which a command does not see anyway
  const folder = await Deno.makeTempDir({ dir: "/var/tmp" });
  const listener = Deno.listen({ transport: "unix", path: `${folder}/socket` });
  try {
    const kind = await host.bash(`test -S ${folder}/socket && echo socket || echo closed`);
    assert.equal(kind.content, "closed");
  } finally {
    listener.close();
    await Deno.remove(folder, { recursive: true });
  }
});

sandboxTest("a repository in a folder of the workspace gets no hook and no settings either", async () => {
  await using host = sandboxed();
  for (const folder of ["sub", "packages/one"]) {
    await host.bash(`git init -q ${folder}`);
    const git = `${folder}/.git`;
    for (const line of [`echo x > ${git}/hooks/pre-commit`, `echo x >> ${git}/config`, `mv ${git} x`]) {
      assert.equal((await host.bash(line)).is_error, true, line);
    }
    const commit = `git -C ${folder} -c user.name=a -c user.email=a@b commit -q --allow-empty -m one`;
    assert.equal((await host.bash(commit)).is_error, false);
  }
});

sandboxTest("hidden folders stay hidden, and the output folder inside them readable", async () => {
  await using host = sandboxed({ hide_app: true });
  await Deno.writeTextFile(`${host.root}/app/settings.json`, "our-secret");
  const hidden = await host.bash(`cat ${host.root}/app/settings.json; ls -A ${host.root}/app`);
  assert.match(hidden.content, /No such file or directory\nspill$/);
  const long = await host.bash("seq 1 50000");
  const file = String(long.data?.["output_file"]);
  assert.equal((await host.bash(`tail -1 ${file}`)).content, "50000");
});

sandboxTest(
  "a sandboxed command can use git but plant no hook, no setting and no other repository",
  async () => {
    await using host = sandboxed();
    const git = (...args: string[]) =>
      new Deno.Command("git", { args, cwd: host.workspace, stdout: "null", stderr: "null" }).output();
    await git("init", "-q");
    const commit = await host.bash(
      "echo a > a && git add a && git -c user.name=n -c user.email=e@x commit -qm first && git log --oneline | wc -l",
    );
    assert.equal(commit.content, "1");
    for (
      const command of [
        "echo x > .git/hooks/pre-commit",
        "git config core.hooksPath evil",
        "echo x >> .git/config",
        "mv .git/hooks .git/old",
        "mv .git old",
        "rm -rf .git/hooks && mkdir .git/hooks && touch .git/hooks/x",
        "ln -sf /dev/null .git/config",
      ]
    ) assert.equal((await host.bash(command)).is_error, true, command);
    await Deno.remove(`${host.workspace}/.git/hooks`, { recursive: true });
    assert.equal((await host.bash("mkdir -p .git/hooks; echo x > .git/hooks/pre-commit")).is_error, true);
  },
);

async function names(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).sort();
}

sandboxTest(
  "a .git that a command has turned into a link opens nothing outside of the workspace",
  async () => {
    await using host = sandboxed();
    assert.equal((await host.bash("ln -s .. .git")).is_error, false);
    await host.bash("echo x > ../planted");
    assert.deepEqual(await names(host.root), ["app", "workspace"]);
  },
);

sandboxTest(
  "submodules and other working trees of a repository get no settings and stay where they are",
  async () => {
    await using host = sandboxed();
    const git = async (...args: string[]) => {
      const own = ["-c", "user.name=n", "-c", "user.email=e@x", "-c", "protocol.file.allow=always"];
      const { success, stderr } = await new Deno.Command("git", {
        args: [...own, ...args],
        cwd: host.workspace,
      }).output();
      assert.ok(success, new TextDecoder().decode(stderr));
    };
    await git("init", "-q");
    await git("init", "-q", `${host.root}/lib`);
    await git("-C", `${host.root}/lib`, "commit", "-q", "--allow-empty", "-m", "one");
    await git("submodule", "add", "-q", `${host.root}/lib`, "vendor/lib");
    await git("commit", "-q", "-m", "with it");
    await git("worktree", "add", "-q", `${host.root}/tree`);
    const commit = "git -C vendor/lib -c user.name=a -c user.email=a@b commit -q --allow-empty -m two";
    const done = await host.bash(`${commit} && git status --short`);
    assert.equal(done.is_error, false, done.content);
    for (
      const command of [
        "echo x >> .git/modules/vendor/lib/config",
        "echo x > .git/modules/vendor/lib/hooks/post-checkout",
        "mv .git/modules/vendor/lib .git/old",
        "mv .git/modules/vendor .git/old",
        "mv .git/modules .git/old",
        "echo 'gitdir: ../../evil' > vendor/lib/.git",
        "echo ../../../evil > .git/worktrees/tree/commondir",
        "mv .git/worktrees/tree .git/old",
      ]
    ) assert.equal((await host.bash(command)).is_error, true, command);
  },
);

sandboxTest(
  "a workspace with secrets or Lumina's own folder in it shows neither, under no other name",
  async () => {
    // nothing of this host is in /tmp: the whole of its root is the workspace
    await using host = new ShellHost({
      sandbox: true,
      secrets: [".config/gh"],
      hide_app: true,
      whole_root: true,
    });
    await Deno.mkdir(`${host.root}/.config/gh`, { recursive: true });
    await Deno.writeTextFile(`${host.root}/.config/gh/hosts.yml`, "our-secret");
    await Deno.writeTextFile(`${host.root}/app/settings.json`, "our-secret");
    assert.equal((await host.bash("mv .config other")).is_error, true);
    const found = await host.bash(
      "echo x > new; grep -r our-secret . ; ls -A app .config/gh; echo x > app/planted",
    );
    assert.doesNotMatch(found.content, /our-secret/);
    assert.equal(await Deno.readTextFile(`${host.root}/new`), "x\n");
    assert.deepEqual(await names(`${host.root}/app`), ["settings.json", "spill"]);
  },
);

sandboxTest("deny rules hold inside the sandbox, fixed ones and those with wildcards", async () => {
  await using host = sandboxed({
    deny_read: ["/**/.env", "/**/private/", "/srv/**", "/etc/ssl/**", "/etc/ssl/certs/**"],
    deny_write: ["/**/*.lock"],
  });
  await Deno.mkdir(`${host.workspace}/deep/private`, { recursive: true });
  await Deno.writeTextFile(`${host.workspace}/deep/.env`, "TOKEN");
  await Deno.writeTextFile(`${host.workspace}/deep/private/key`, "TOKEN");
  await Deno.writeTextFile(`${host.workspace}/yarn.lock`, "locked");
  const read = await host.bash(
    "cat deep/.env deep/private/* 2>/dev/null; find . -type f -exec cat {} + 2>/dev/null | grep TOKEN; ls -A /srv | wc -l",
  );
  assert.equal(read.content, "0");
  assert.equal((await host.bash("echo x > yarn.lock")).is_error, true);
  assert.equal((await host.bash("mv deep other")).is_error, true);
  assert.equal((await host.bash("cat yarn.lock; echo x > other")).content, "locked");
});

sandboxTest(
  "an interrupt ends a sandboxed tree, TERM-ignoring and setsid included, in less than a second",
  async () => {
    await using host = sandboxed();
    const mark = `5${crypto.getRandomValues(new Uint32Array(1))[0]!}`;
    const call = host.start("Bash", {
      command:
        `trap '' TERM; (setsid sleep ${mark} >/dev/null 2>&1 &); sleep ${mark} & echo ready; sleep ${mark}; sleep ${mark}`,
    });
    await call.shows("ready");
    const started = performance.now();
    call.cancel();
    const result = await call.result;
    const took = performance.now() - started;
    assert.match(result.content, /^Interrupted/);
    assert.deepEqual(await pidsWith(mark), []);
    assert.ok(took < 1_000, `${took} ms`);
  },
);

sandboxTest("a sandboxed command may clean up on TERM", async () => {
  await using host = sandboxed();
  const result = await host.bash("trap 'echo cleaned; exit 0' TERM; while :; do sleep 0.05; done", {
    timeout: 500,
  });
  assert.match(result.content, /^Timed out after 500 ms; [^\n]*\n(?:Terminated\n)?cleaned$/);
});

sandboxTest("background shells run and end in the sandbox", async () => {
  await using host = sandboxed();
  const mark = `6${crypto.getRandomValues(new Uint32Array(1))[0]!}`;
  await host.bash(`echo ready; sleep ${mark} & sleep ${mark}`, { run_in_background: true });
  await host.readUntil("sh_1", (all) => all.includes("ready"));
  assert.ok((await pidsWith(mark)).length >= 2);
  assert.match((await host.call("KillShell", { shell_id: "sh_1" })).content, /Killed/);
  assert.deepEqual(await pidsWith(mark), []);
});

sandboxTest("exit codes, working directory and notes come through the sandbox", async () => {
  await using host = sandboxed();
  const result = await host.bash("mkdir sub; cd sub; echo out; exit 5");
  assert.match(result.content, /^Exit code 5\nout\n\[the working directory is now .*\/sub\]$/);
  assert.equal((await host.bash("pwd")).content, `${host.workspace}/sub`);
  assert.match((await host.bash("kill -9 $$")).content, /^Exit code 137 \(killed by SIGKILL\)/);
  assert.equal((await host.bash("cat <<'E'\n$x\nE")).content, "$x");
});

Deno.test("a call that must be sandboxed runs nothing where there is no sandbox", async () => {
  await using host = new ShellHost({ sandbox: true, config: { bwrap_path: null } });
  const result = await host.bash("touch ran");
  assert.equal(result.is_error, true);
  assert.match(result.content, /needs bubblewrap and bash; nothing was run/);
  await assert.rejects(Deno.stat(`${host.workspace}/ran`), Deno.errors.NotFound);
});

Deno.test("sandboxWorks() tells why not", async () => {
  const missing = await sandboxWorks("/nowhere/bwrap", BASH);
  assert.equal(missing.works, false);
  assert.match(missing.works ? "" : missing.reason, /No such file/);
});
