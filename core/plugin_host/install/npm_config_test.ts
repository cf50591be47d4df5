import assert from "node:assert/strict";
import { tempDir } from "../../../tests/support/temp_dir.ts";
import { readNpmConfig } from "./npm_config.ts";

Deno.test("the registry is that of the scope, the variable, the user's .npmrc or the public one, in this order", async () => {
  await using dir = await tempDir();
  const config = (env: Record<string, string>) => readNpmConfig({ get: (name) => env[name] }, dir.path);
  assert.equal(config({}).registryOf("x").href, "https://registry.npmjs.org/");
  await dir.write(
    ".npmrc",
    'registry = "https://mine.example.org/npm"\n@acme:registry=https://acme.example.org\n',
  );
  assert.equal(config({}).registryOf("x").href, "https://mine.example.org/npm/");
  const env = { NPM_CONFIG_REGISTRY: "http://127.0.0.1:4873" };
  assert.equal(config(env).registryOf("x").href, "http://127.0.0.1:4873/");
  assert.equal(
    config({ npm_config_registry: "http://127.0.0.1:1" }).registryOf("x").href,
    "http://127.0.0.1:1/",
  );
  assert.equal(config(env).registryOf("@acme/x").href, "https://acme.example.org/");
  const other = await dir.write("other", "registry=https://other.example.org/\n");
  assert.equal(config({ NPM_CONFIG_USERCONFIG: other }).registryOf("x").href, "https://other.example.org/");
});

Deno.test("a token goes to addresses below the one it is for", async () => {
  await using dir = await tempDir();
  await dir.write(
    ".npmrc",
    "//a.example.org/npm/:_authToken=${TOKEN}\n//b.example.org/:_auth=dTpw\n; //c.example.org/:_authToken=x\n",
  );
  const config = readNpmConfig({ get: (name) => name === "TOKEN" ? "t" : undefined }, dir.path);
  const of = (url: string) => config.authorization(new URL(url));
  assert.equal(of("https://a.example.org/npm/x"), "Bearer t");
  assert.equal(of("https://a.example.org/npm/@s%2fx/-/x.tgz"), "Bearer t");
  assert.equal(of("https://a.example.org/other"), undefined);
  assert.equal(of("https://a.example.org/npmx/y"), undefined);
  assert.equal(of("https://b.example.org/deep/x"), "Basic dTpw");
  assert.equal(of("https://b.example.org:8443/x"), undefined);
  assert.equal(of("https://c.example.org/x"), undefined);
});
