import assert from "node:assert/strict";
import { Command } from "commander";
import { LuminaError, systemWorld } from "../base/mod.ts";
import type { AppPort } from "./app_port.ts";
import type { CliIo } from "./io.ts";
import { addPluginInstallCommands } from "./plugin_install_commands.ts";
import type { InstalledPlugin, PluginQuestion } from "./plugin_install_port.ts";

const QUESTION: PluginQuestion = {
  id: "weather",
  version: "2.0.0",
  title: "Weather",
  source: "npm:weather",
  scope: "user",
  replaces: { version: "2.1.0", source: "npm:weather" },
  downgrade: true,
  asks: ["reach b.example.org"],
  granted: ["reach a.example.org"],
  hooks: ["sees every prompt before the model does and may refuse it or add to it"],
  known_hooks: [],
};
const DONE: InstalledPlugin = {
  id: "weather",
  version: "2.0.0",
  scope: "user",
  status: "updated",
  from: "2.1.0",
  downgrade: true,
  directory: "/root/config/plugins/weather",
  granted: ["reach a.example.org, b.example.org"],
  hooks: ["sees every prompt before the model does and may refuse it or add to it"],
  left_out: ["src/mod.ts"],
};

/** Runs a command where a person types `typed`. */
async function at(terminal: boolean, typed: string, ...args: string[]) {
  const answers: boolean[] = [];
  const removed: string[] = [];
  let out = "";
  let err = "";
  let exit = 0;
  const io: CliIo = {
    out: (text) => Promise.resolve(void (out += text)),
    flushed: () => Promise.resolve(),
    err: (text) => void (err += text),
    stdin: new Blob([typed]).stream(),
    stdin_is_terminal: terminal,
  };
  const ask = async (consent: (question: PluginQuestion) => Promise<boolean>): Promise<InstalledPlugin> => {
    const agreed = await consent(QUESTION);
    answers.push(agreed);
    return agreed ? DONE : { ...DONE, status: "declined" };
  };
  const plan = (id: string) => ({ id, version: "1.0.0", directory: `/p/${id}`, data_dir: `/d/${id}` });
  const plugin_install: AppPort["plugin_install"] = {
    install: (_source, _options, consent) => ask(consent),
    async update(id, _options, consent) {
      if (id === "broken") throw new LuminaError("plugin.fetch", 'Pack "broken": the registry is away');
      return await ask(consent);
    },
    installed: () => Promise.resolve(["a", "broken", "b"]),
    planRemoval: (id) => Promise.resolve(plan(id)),
    remove: (id, { keep_data }) => {
      removed.push(keep_data ? `${id} without data` : id);
      return Promise.resolve(plan(id));
    },
  };
  const program = new Command();
  const app = { plugin_install } as unknown as AppPort; // the commands use no other part
  const plugin = program.command("plugin");
  const deps = { app, io, world: systemWorld, version: "0", name: "lumina" };
  addPluginInstallCommands(plugin, deps, (code) => void (exit = code));
  try {
    await program.parseAsync(["plugin", ...args], { from: "user" });
  } catch (error) {
    assert.ok(error instanceof LuminaError, String(error));
    exit = error.exit;
    err += error.message;
  }
  return { answers, removed, out, err, exit };
}

Deno.test("on a terminal an installation shows what is asked, the step back and what it had, and takes only a yes", async () => {
  const yes = await at(true, "y\n", "install", "npm:weather");
  assert.deepEqual([yes.answers, yes.exit], [[true], 0]);
  assert.equal(
    yes.err,
    "weather 2.0.0 (Weather) from npm:weather\nIt replaces 2.1.0: the new one is OLDER\nIt asks for more than it had:\n" +
      "  reach b.example.org\nIt already may:\n  reach a.example.org\nIts hooks, at each such moment:\n" +
      "  sees every prompt before the model does and may refuse it or add to it\nReplace it? [y]es, [N]o: ",
  );
  assert.equal(
    yes.out,
    "weather 2.1.0 to 2.0.0 (a downgrade): updated in /root/config/plugins/weather\n" +
      "  1 file that its integrity does not name was left out: src/mod.ts\n",
  );
  for (const typed of ["\n", "n\n", "yo\n", ""]) {
    const no = await at(true, typed, "install", "npm:weather");
    assert.deepEqual([no.answers, no.exit, no.out], [[false], 3, ""], JSON.stringify(typed));
    assert.match(no.err, /Nothing was changed\n$/);
  }
});

Deno.test("where nobody can be asked the list is shown and the exit code is 3; --yes grants it and says what", async () => {
  const blocked = await at(false, "", "install", "npm:weather");
  assert.deepEqual([blocked.answers, blocked.exit, blocked.out], [[], 3, ""]);
  assert.match(blocked.err, /reach b\.example\.org\n[\s\S]*"weather".*--yes grants what it asks for/);
  const json = await at(false, "", "install", "npm:weather", "--json");
  assert.deepEqual(JSON.parse(json.out), { ...QUESTION, status: "unconfirmed" });
  const granted = await at(false, "", "install", "npm:weather", "--yes");
  assert.deepEqual([granted.answers, granted.exit], [[true], 0]);
  assert.match(granted.out, /it may reach a\.example\.org, b\.example\.org\n {2}its hook sees every prompt /);
});

Deno.test("updating all asks one question after the other and goes on behind a failure", async () => {
  const all = await at(true, "y\nn\n", "update");
  assert.deepEqual([all.answers, all.exit], [[true, false], 3]);
  assert.match(all.err, /Pack "broken": the registry is away/);
});

Deno.test("removing asks once about what plugins have kept", async () => {
  const blocked = await at(false, "", "remove", "a", "b");
  assert.deepEqual([blocked.removed, blocked.exit], [[], 3]);
  assert.match(blocked.err, / {2}a: \/d\/a\n {2}b: \/d\/b\n[\s\S]*--keep-data leaves it/);
  assert.deepEqual((await at(true, "n\n", "remove", "a")).removed, []);
  assert.deepEqual((await at(true, "y\n", "remove", "a", "b", "a")).removed, ["a", "b"]);
  assert.deepEqual((await at(false, "", "remove", "a", "--yes")).removed, ["a"]);
  assert.deepEqual((await at(false, "", "remove", "a", "--keep-data")).removed, ["a without data"]);
});
