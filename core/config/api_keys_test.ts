import assert from "node:assert/strict";
import { join } from "node:path";
import { type ApiKeyPorts, ApiKeys } from "./api_keys.ts";
import { childEnvironment } from "./child_environment.ts";
import { loadSettings } from "./load_settings.ts";

/** Loads settings from a user's file and an environment, and resolves keys with `run` as the shell. */
async function withKeys(
  user: Record<string, string>,
  env: Record<string, string>,
  run: ApiKeyPorts["run"],
  body: (keys: ApiKeys, load: () => ReturnType<typeof loadSettings>, folder: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  try {
    const settingsFile = join(folder, "settings.json");
    await Deno.writeTextFile(settingsFile, JSON.stringify(user));
    const keys = new ApiKeys({ run, env: { toObject: () => env } });
    const options = {
      app_root: { settingsFile },
      project_dir: folder,
      home: folder,
      env: { get: (x: string) => env[x] },
    };
    await body(keys, () => loadSettings(options), folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const noShell: ApiKeyPorts["run"] = () => Promise.reject(new Error("no shell here"));

Deno.test("ApiKeys reads a key file without its newline, and a variable's file wins over the user's text", async () => {
  const env: Record<string, string> = {};
  await withKeys({ api_key: "from-settings" }, env, noShell, async (keys, load, folder) => {
    assert.equal(await keys.resolve(await load(), "main"), "from-settings");
    env.LUMINA_API_KEY_FILE = join(folder, "key");
    await Deno.writeTextFile(env.LUMINA_API_KEY_FILE, "from-file\r\n");
    assert.equal(await keys.resolve(await load(), "main"), "from-file");
    env.ANTHROPIC_API_KEY = "weaker-variable";
    assert.equal(await keys.resolve(await load(), "main"), "from-file");
    env.LUMINA_API_KEY = "from-variable";
    assert.equal(await keys.resolve(await load(), "main"), "from-variable");
  });
});

Deno.test("ApiKeys runs a helper once, without keys in its environment, and again after forget()", async () => {
  const seen: Record<string, string>[] = [];
  const run: ApiKeyPorts["run"] = (command, { env, timeout_ms }) => {
    assert.equal(command, "pass show key");
    assert.ok(timeout_ms > 0);
    seen.push(env);
    return Promise.resolve(`helped-${seen.length}\n`);
  };
  const env = { PATH: "/bin", LUMINA_FALLBACK_API_KEY: "other", HTTPS_PROXY: "http://proxy" };
  await withKeys({ api_key_helper: "pass show key" }, env, run, async (keys, load) => {
    assert.equal(await keys.resolve(await load(), "main"), "helped-1");
    assert.equal(await keys.resolve(await load(), "main"), "helped-1");
    keys.forget();
    assert.equal(await keys.resolve(await load(), "main"), "helped-2");
    const child = childEnvironment({ toObject: () => ({ PATH: "/bin" }) }, { child_env_allow: [] });
    assert.deepEqual(seen, [child, child]);
    assert.equal(await keys.resolve(await load(), "fallback"), "other");
  });
});

Deno.test("ApiKeys names the setting and its place when a file or helper fails, never the key", async () => {
  await withKeys({ api_key_file: "/absent/key" }, {}, noShell, async (keys, load, folder) => {
    await assert.rejects(keys.resolve(await load(), "main"), (error: Error) => {
      assert.match(error.message, /^"api_key_file" \(.*settings\.json:1\) cannot be read: .*/);
      assert.ok("exit" in error && error.exit === 2);
      return true;
    });
    await Deno.writeTextFile(join(folder, "settings.json"), '{ "api_key_helper": "x" }');
    await assert.rejects(
      keys.resolve(await load(), "main"),
      /"api_key_helper" \(.*\) failed: no shell here$/,
    );
    await Deno.writeTextFile(join(folder, "settings.json"), '{ "api_key_file": "two" }');
    await Deno.writeTextFile(join(folder, "two"), "secret-1\nsecret-2\n");
    await assert.rejects(keys.resolve(await load(), "main"), (error: Error) => {
      assert.match(error.message, /gives more than one line/);
      return !error.message.includes("secret");
    });
    await Deno.writeTextFile(join(folder, "two"), "\n");
    await assert.rejects(keys.resolve(await load(), "main"), /gives an empty key/);
  });
});

Deno.test("ApiKeys gives nothing when no key is set", async () => {
  await withKeys({}, {}, noShell, async (keys, load) => {
    assert.equal(await keys.resolve(await load(), "main"), undefined);
    assert.equal(await keys.resolve(await load(), "fallback"), undefined);
  });
});
