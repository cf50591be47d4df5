import assert from "node:assert/strict";
import type { JsonObject } from "../../core/types/mod.ts";
import { guardWorks } from "../../plugins/tools_shell/mod.ts";
import { testWith } from "../support/skip.ts";
import { BWRAP, pidsWith, ShellHost, type ShellHostOptions } from "./shell_harness.ts";

const probe = await guardWorks(BWRAP);
const guard = probe.works ? probe : { skip: probe.reason };

/** A host whose home has a key folder and a file with a password, and whose commands are guarded. */
async function withSecrets(
  options: ShellHostOptions,
  test: (host: ShellHost) => Promise<void>,
): Promise<void> {
  await using host = new ShellHost({ level: "guarded", secrets: [".ssh", ".netrc"], ...options });
  await Deno.mkdir(`${host.root}/.ssh`);
  await Deno.writeTextFile(`${host.root}/.ssh/id`, "ssh-secret");
  await Deno.writeTextFile(`${host.root}/.ssh/config`, "Host x");
  await Deno.writeTextFile(`${host.root}/.netrc`, "netrc-secret");
  await test(host);
}

testWith("a guarded command has the whole system and no secret", guard, async () => {
  await withSecrets({}, async (host) => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const place = await Deno.makeTempDir({ dir: "/var/tmp" });
    try {
      const result = await host.bash(
        `cat ~/.netrc ~/.ssh/id; ls -A ~/.ssh; exec 3<>/dev/tcp/127.0.0.1/${listener.addr.port} && echo net; ` +
          `echo x > ${place}/file && echo wrote; kill -0 ${Deno.pid} && echo process; ` +
          `cat /proc/${Deno.pid}/environ | wc -c; ls /run >/dev/null && id -u`,
      );
      assert.match(
        result.content,
        /No such file or directory\nnet\nwrote\nprocess\ncat: [^\n]*\n0\n\d+$/,
      );
      assert.equal(await Deno.readTextFile(`${place}/file`), "x\n");
      // what is hidden is neither changed nor lost
      const change = await host.bash(
        "echo y > ~/.netrc; echo y > ~/.ssh/new; rm -rf ~/.ssh; mv ~/.netrc ~/x",
      );
      assert.doesNotMatch(change.content, /secret/);
      assert.equal(await Deno.readTextFile(`${host.root}/.netrc`), "netrc-secret");
      assert.equal(await Deno.readTextFile(`${host.root}/.ssh/id`), "ssh-secret");
    } finally {
      listener.close();
      await Deno.remove(place, { recursive: true });
    }
  });
});

testWith(
  "what is granted of a hidden place can be used, and Lumina's own folder only where the workspace is",
  guard,
  async () => {
    await withSecrets({ open: [".ssh/config"], hide_app: true }, async (host) => {
      await Deno.writeTextFile(`${host.root}/app/settings.json`, "our-secret");
      const result = await host.bash(
        "cat ~/.ssh/config; ls -A ~/.ssh; echo z >> ~/.ssh/config; ls -A ~/app; seq 1 50000",
      );
      assert.match(result.content, /^Host xconfig\nspill\n1\n/);
      assert.equal(await Deno.readTextFile(`${host.root}/.ssh/config`), "Host xz\n");
      const file = String(result.data?.["output_file"]);
      assert.equal((await host.bash(`tail -1 ${file}; cd /; pwd`)).content.split("\n")[0], "50000");
    });
  },
);

testWith("a workspace that is itself a place of secrets can be read and written", guard, async () => {
  await using host = new ShellHost({ level: "guarded", secrets: ["workspace"] });
  assert.equal((await host.bash("echo x > new && cat new")).content, "x");
});

testWith("a folder that holds a secret place keeps its name", guard, async () => {
  const more: JsonObject = {};
  await using host = new ShellHost({ level: "guarded", secrets: [".config/gh"], more });
  await Deno.mkdir(`${host.root}/.config/gh`, { recursive: true });
  await Deno.writeTextFile(`${host.root}/.config/gh/token`, "gh-secret");
  more["pinned"] = [`${host.root}/.config`];
  assert.equal((await host.bash("mv ~/.config ~/other")).is_error, true);
  assert.equal(
    (await host.bash("echo x > ~/.config/own && mv ~/.config/own ~/own && cat ~/own")).content,
    "x",
  );
});

testWith("where nothing may be written, a guarded command writes nowhere", guard, async () => {
  await withSecrets({ write_roots: [] }, async (host) => {
    const result = await host.bash("echo x > file; cat ~/.netrc; echo ok >/dev/null && echo device");
    assert.match(result.content, /Read-only file system\ndevice$/);
  });
});

testWith(
  "a background server of a guarded command lives on, is read and ends with all it started",
  guard,
  async () => {
    await withSecrets({}, async (host) => {
      const mark = `7${crypto.getRandomValues(new Uint32Array(1))[0]!}`;
      await host.bash(`echo ready; sleep ${mark} & sleep ${mark}`, { run_in_background: true });
      await host.readUntil("sh_1", (all) => all.includes("ready"));
      const left = await host.bash(`(setsid sleep ${mark} >/dev/null 2>&1 &) ; sleep ${mark} & exit 3`);
      assert.match(left.content, /^Exit code 3\n\[still running after the shell ended/);
      assert.ok((await pidsWith(mark)).length >= 4);
      assert.match((await host.call("KillShell", { shell_id: "sh_1" })).content, /Killed/);
      assert.match((await host.call("KillShell", { shell_id: "sh_2" })).content, /Killed/);
      assert.deepEqual(await pidsWith(mark), []);
    });
  },
);

testWith("an interrupt ends a guarded tree, and its exit codes and folder come through", guard, async () => {
  await withSecrets({}, async (host) => {
    const mark = `8${crypto.getRandomValues(new Uint32Array(1))[0]!}`;
    const call = host.start("Bash", {
      command:
        `trap '' TERM; (setsid sleep ${mark} >/dev/null 2>&1 &); echo ready; sleep ${mark}; sleep ${mark}`,
    });
    await call.shows("ready");
    call.cancel();
    assert.match((await call.result).content, /^Interrupted/);
    assert.deepEqual(await pidsWith(mark), []);
    assert.match(
      (await host.bash("mkdir sub; cd sub; exit 5")).content,
      /^Exit code 5\n\[the working directory/,
    );
    assert.match((await host.bash("kill -9 $$")).content, /^Exit code 137 \(killed by SIGKILL\)/);
    const cleaned = await host.bash("trap 'echo cleaned; exit 0' TERM; while :; do sleep 0.05; done", {
      timeout: 400,
    });
    assert.match(cleaned.content, /cleaned$/);
  });
});
