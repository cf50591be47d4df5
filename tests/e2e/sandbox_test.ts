import assert from "node:assert/strict";
import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import type { JsonObject } from "../../core/types/mod.ts";
import { findSandbox } from "../support/find_sandbox.ts";
import { testWith } from "../support/skip.ts";
import { tempDir } from "../support/temp_dir.ts";
import { outcomes, reach, runOnce, SettingsRun } from "./setting_effects_support.ts";

const sandbox = await findSandbox();

/** One turn of the model with the commands, one with the end. */
function commands(...calls: (string | JsonObject)[]) {
  const tool_calls = calls.map((call) => ({
    name: "Bash",
    input: typeof call === "string" ? { command: call } : call,
  }));
  return [{ tool_calls }, { text: "done" }];
}

/** Collects what others than the owner may read, change or run below a folder. */
async function openToOthers(folder: string, found: string[]): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (((await Deno.lstat(path)).mode ?? 0) & 0o077) found.push(path);
    if (isDirectory) await openToOthers(path, found);
  }
}

const SECRET = "sh -c 'cat ~/.ss*/id'";

testWith(
  "sandbox: commands of every mode see no secret, unless the line names it or a setting opens it",
  sandbox,
  async () => {
    await using home = await tempDir("lumina-home-");
    await home.write(".ssh/id", "ssh-secret");
    await home.write("private/id", "own-secret");
    await using provider = await startScriptedProvider({
      turns: [
        ...commands(SECRET, "cat ~/.ssh/id", "sh -c 'cat \"$OLD\"*/CONFIG/settings.json'", {
          command: SECRET,
          escalate: "outside",
        }),
        ...commands(SECRET),
        ...commands(SECRET),
        ...commands("sh -c 'cat ~/priv*/id'"),
        ...commands({ command: SECRET, escalate: "outside" }),
      ],
    });
    await using run = await SettingsRun.start({
      args: ["--yolo"],
      env: { HOME: home.path },
      settings: reach(provider, { child_env_allow: ["OLD"] }),
    });
    const turn = async (settings?: JsonObject) =>
      outcomes(await run.turn(settings && reach(provider, { sandbox: settings })));
    const [hidden, named, own, outside] = await turn();
    assert.match(hidden?.content ?? "", /No such file/);
    assert.equal(named?.content, "ssh-secret");
    assert.equal(own?.is_error, true);
    assert.equal(outside?.content, "ssh-secret");
    assert.equal((await turn({ allow_read: ["~/.ssh"] }))[0]?.content, "ssh-secret");
    assert.equal((await turn({ excluded_commands: ["sh *"] }))[0]?.content, "ssh-secret");
    assert.equal((await turn({ deny_read: ["~/private"] }))[0]?.is_error, true);
    const tools = () =>
      provider.requests.at(-1)?.body["tools"] as { name: string; input_schema: { properties: JsonObject } }[];
    const bash = () => tools().find(({ name }) => name === "Bash")?.input_schema.properties ?? {};
    assert.ok("escalate" in bash());
    const [refused] = await turn({ allow_escalation: false });
    assert.equal(refused?.is_error, true);
    assert.doesNotMatch(refused?.content ?? "", /ssh-secret/);
    assert.ok(!("escalate" in bash()));
    // what commands leave in the app root is the user's alone, or lumina doctor complains of it
    const shared: string[] = [];
    for (const folder of ["state", "data"]) await openToOthers(run.app.join(folder), shared);
    assert.deepEqual(shared, []);
  },
);

testWith(
  "sandbox: mode auto writes where allow_write says and reaches the allowed_domains through the proxy alone",
  sandbox,
  async () => {
    // not in /tmp, of which a command has one of its own
    const outside = await Deno.makeTempDir({ dir: "/var/tmp", prefix: "lumina-outside-" });
    await using other = await tempDir("lumina-other-");
    const host = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      () => new Response("from the host"),
    );
    const { port } = host.addr;
    try {
      const ask = (url: string) => `bash net.sh ${url}`;
      await using provider = await startScriptedProvider({
        turns: [
          ...commands(ask(`http://127.0.0.1:${port}/`), `bash write.sh ${outside}`),
          ...commands(
            ask(`http://127.0.0.1:${port}/`),
            ask("http://evil.test/"),
            `bash write.sh ${outside}`,
            `bash write.sh ${other.path}`,
          ),
        ],
      });
      await using run = await SettingsRun.start({
        args: ["--permission-mode", "auto"],
        settings: reach(provider),
        prepare: async (workspace) => {
          await workspace.write("write.sh", 'echo x > "$1/file" && echo wrote');
          await workspace.write(
            "net.sh",
            'exec 3<>"/dev/tcp/127.0.0.1/${http_proxy##*:}" || exit 1\n' +
              'printf "GET %s HTTP/1.1\\r\\n\\r\\n" "$1" >&3; cat <&3',
          );
        },
      });
      const before = outcomes(await run.turn());
      assert.ok(before.every(({ is_error }) => is_error));
      assert.match(before[1]?.content ?? "", /escalate "outside" asks a person/);
      const settings = { allowed_domains: [`127.0.0.1:${port}`], allow_write: [outside] };
      const [reached, refused, wrote, kept] = outcomes(
        await run.turn(reach(provider, { sandbox: settings })),
      );
      assert.match(reached?.content ?? "", /200 OK[^]*from the host/);
      assert.match(
        refused?.content ?? "",
        /403 Forbidden[^]*evil\.test is not in sandbox\.allowed_domains\n\[network: refused evil\.test \(sandbox\.allowed_domains\)\]$/,
      );
      assert.equal(wrote?.content, "wrote");
      assert.equal(await Deno.readTextFile(`${outside}/file`), "x\n");
      assert.equal(kept?.is_error, true);
    } finally {
      await host.shutdown();
      await Deno.remove(outside, { recursive: true });
    }
  },
);

Deno.test("sandbox: fail_if_unavailable refuses commands on a machine without one, else they run and mode auto asks", async () => {
  await using bin = await tempDir("lumina-bin-");
  await Deno.symlink(await realBash(), bin.join("bash"));
  const commandsIn = async (mode: string, settings: JsonObject) => {
    await using provider = await startScriptedProvider({ turns: commands("echo ran") });
    const run = await runOnce({
      args: ["--permission-mode", mode],
      env: { PATH: bin.path },
      settings: reach(provider, { sandbox: settings }),
    });
    return { ...outcomes(run.lines)[0], told: run.stderr };
  };
  assert.equal((await commandsIn("yolo", {})).content, "ran");
  const refused = await commandsIn("auto", { fail_if_unavailable: true });
  assert.match(refused.told, /No command runs \(sandbox\.fail_if_unavailable\): there is no sandbox/);
  assert.equal(refused.is_error, true);
  assert.match(
    refused.content ?? "",
    /no sandbox \(bubblewrap \(bwrap\) is not installed\).*fail_if_unavailable/,
  );
});

async function realBash(): Promise<string> {
  for (const path of ["/usr/bin/bash", "/bin/bash"]) {
    try {
      return await Deno.realPath(path);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  throw new Error("no bash on this machine");
}
