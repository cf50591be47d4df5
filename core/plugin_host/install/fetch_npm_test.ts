import assert from "node:assert/strict";
import { tgz } from "../../../tests/support/pack_archives.ts";
import type { JsonObject } from "../../types/mod.ts";
import { InstallBench, packFiles, registryDocument } from "../../../tests/support/install_bench.ts";

/** A package's tarball, as npm packs it. */
function tarball(version: string): Uint8Array {
  const files = {
    ...packFiles({ version }),
    "package.json": JSON.stringify({ name: "sample-pack", version, main: "mod.js" }),
  };
  return tgz(Object.entries(files).map(([path, body]) => ({ path: `package/${path}`, body })));
}

/** A registry with three versions; `change` spoils what it says. */
function registry(bench: InstallBench, change: (document: JsonObject) => void = () => {}) {
  const versions = {
    "1.0.0": tarball("1.0.0"),
    "1.2.0": tarball("1.2.0"),
    "2.0.0-beta.1": tarball("2.0.0-beta.1"),
  };
  const seen: { path: string; authorization: string | null }[] = [];
  const base = bench.serve((request, url) => {
    seen.push({ path: url.pathname, authorization: request.headers.get("authorization") });
    const version = /\/-\/(.*)\.tgz$/.exec(url.pathname)?.[1];
    if (version !== undefined) return new Response(versions[version as keyof typeof versions] as BodyInit);
    if (!/^\/(@scope%2f)?sample-pack$/i.test(url.pathname)) return new Response("{}", { status: 404 });
    const document = registryDocument("sample-pack", base, versions, {
      latest: "1.2.0",
      next: "2.0.0-beta.1",
    });
    change(document);
    return Response.json(document);
  });
  bench.env = { NPM_CONFIG_REGISTRY: base };
  return { base, seen };
}

Deno.test("a package comes from the registry by version, range, tag or as the latest, scoped or not", async () => {
  await using bench = await InstallBench.open();
  const { seen } = registry(bench);
  for (
    const [source, version] of [
      ["npm:sample-pack", "1.2.0"],
      ["npm:sample-pack@1.0.0", "1.0.0"],
      ["npm:sample-pack@^1.0", "1.2.0"],
      ["npm:sample-pack@next", "2.0.0-beta.1"],
      ["npm:@scope/sample-pack", "1.2.0"],
    ]
  ) {
    assert.equal((await bench.install(source!)).version, version, source);
    assert.deepEqual(bench.record()["source"], { kind: "npm", value: source!.slice(4) });
    assert.equal((await bench.update()).status, "unchanged");
  }
  assert.ok(seen.some(({ path }) => path === "/@scope%2fsample-pack"));
  assert.ok((bench.record()["files"] as JsonObject)["package.json"], "what npm adds is there and harmless");
});

Deno.test("what goes wrong with a registry is one line that names the package", async () => {
  await using bench = await InstallBench.open();
  const fails = async (why: RegExp, exit = 1, source = "npm:sample-pack") =>
    assert.match(
      await bench.refusal(() => bench.install(source), exit),
      new RegExp(`"${source}": .*${why.source}`),
    );
  const dist = (document: JsonObject) =>
    ((document["versions"] as JsonObject)["1.2.0"] as JsonObject)["dist"] as JsonObject;
  registry(bench);
  await fails(/no package absent/, 4, "npm:absent");
  await fails(/no version 9\.9\.9 of sample-pack \(its newest are 1\.0\.0/, 4, "npm:sample-pack@9.9.9");
  registry(bench, (document) => dist(document)["integrity"] = `sha512-${btoa("x".repeat(64))}`);
  await fails(/its SHA-512 is another one/);
  registry(bench, (document) => delete dist(document)["integrity"]);
  await fails(/gives no SHA-512/);
  registry(bench, (document) => dist(document)["tarball"] = "file:///etc/passwd");
  await fails(/not served by https/);
  const { base } = registry(bench, (document) => dist(document)["tarball"] = `${base}gone`);
  await fails(/answers 404/);
  bench.env = {
    NPM_CONFIG_REGISTRY: bench.serve(() =>
      new Response("<html>", { headers: { "content-type": "text/html" } })
    ),
  };
  await fails(/is it a registry\?/);
  bench.env = { NPM_CONFIG_REGISTRY: bench.serve(() => new Response("no", { status: 503 })) };
  await fails(/answers 503/);
  const loop: string = bench.serve(() =>
    new Response(null, { status: 302, headers: { location: `${loop}again` } })
  );
  bench.env = { NPM_CONFIG_REGISTRY: loop };
  await fails(/leads on more than 5 times/);
  bench.env = {
    NPM_CONFIG_REGISTRY: bench.serve(() =>
      new Response(null, { status: 302, headers: { location: "file:///etc/passwd" } })
    ),
  };
  await fails(/leads to an address that is not https/);
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  bench.env = { NPM_CONFIG_REGISTRY: `http://127.0.0.1:${port}/` };
  await fails(/cannot be reached: .*refused/i);
  bench.env = { NPM_CONFIG_REGISTRY: "http://user:secret@127.0.0.1/" };
  const message = await bench.refusal(() => bench.install("npm:sample-pack"), 2);
  assert.match(message, /no plain http or https address/);
  assert.ok(!message.includes("secret"));
});

Deno.test("a token goes to the origin of its registry and nowhere else", async () => {
  await using bench = await InstallBench.open();
  const elsewhere: (string | null)[] = [];
  const other = bench.serve((request) => {
    elsewhere.push(request.headers.get("authorization"));
    return new Response(tarball("1.2.0") as BodyInit);
  });
  const { base, seen } = registry(bench, (document) => {
    for (const each of Object.values(document["versions"] as JsonObject)) {
      ((each as JsonObject)["dist"] as JsonObject)["tarball"] = `${other}x.tgz`;
    }
  });
  const host = new URL(base).host;
  await bench.files("home", { ".npmrc": `; mine\n//${host}/:_authToken=\${TOKEN}\n` });
  bench.env["TOKEN"] = "t0ken";
  await bench.install("npm:sample-pack@1.2.0");
  assert.deepEqual(seen.map(({ authorization }) => authorization), ["Bearer t0ken"]);
  assert.deepEqual(elsewhere, [null]);
});
