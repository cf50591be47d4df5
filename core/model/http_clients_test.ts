import assert from "node:assert/strict";
import { join } from "node:path";
import { onlyWhere } from "../../tests/support/skip.ts";
import { routeFor } from "./http_clients.ts";
import {
  anthropicSse,
  anthropicText,
  done,
  modelFor,
  openaiSse,
  openaiText,
  run,
  serve,
  streamed,
} from "./test_server.ts";

const openai = { api_type: "openai_compatible" as const };

Deno.test("the route follows the scheme's proxy and the exceptions", () => {
  const proxy = {
    http: "http://p:1",
    https: "q:2",
    no_proxy: ".corp.example, *.lab.example exact.example:8443,10.0.0.7 [fd00::1]",
  };
  const via = (url: string, settings: Parameters<typeof routeFor>[1] = proxy) => {
    const route = routeFor(new URL(url), settings);
    return route.kind === "proxy" ? route.url : "direct";
  };
  assert.equal(via("http://api.example/"), "http://p:1");
  assert.equal(via("https://api.example/"), "http://q:2");
  assert.equal(via("https://corp.example/"), "direct");
  assert.equal(via("https://a.b.corp.example/"), "direct");
  assert.equal(via("https://notcorp.example/"), "http://q:2");
  assert.equal(via("https://x.lab.example/"), "direct");
  assert.equal(via("https://exact.example:8443/"), "direct");
  assert.equal(via("https://exact.example/"), "http://q:2");
  assert.equal(via("http://10.0.0.7:9/"), "direct");
  assert.equal(via("http://[fd00::1]/"), "direct");
  assert.equal(via("https://API.Corp.Example./"), "direct");
  for (const url of ["http://localhost/", "http://127.0.0.1/", "http://[::1]/", "http://a.localhost/"]) {
    assert.equal(via(url), "direct", url);
  }
  assert.equal(via("https://api.example/", { ...proxy, no_proxy: "*" }), "direct");
  assert.equal(via("https://api.example/", { http: "http://p:1" }), "direct");
});

/** An HTTP proxy that knows absolute-form requests and CONNECT, and sends everything to `target`. */
function startProxy(target: { hostname: string; port: number }) {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const heads: string[] = [];
  /** Copies until the one side ends, and ends the other's. */
  const pump = async (from: Deno.Conn, to: Deno.Conn) => {
    const buffer = new Uint8Array(65_536);
    try {
      for (let size = await from.read(buffer); size !== null; size = await from.read(buffer)) {
        for (let at = 0; at < size;) at += await to.write(buffer.subarray(at, size));
      }
      await to.closeWrite();
    } catch {
      // reset by the other side, which is an end too
    }
  };
  const served = (async () => {
    const work: Promise<unknown>[] = [];
    for await (const inner of listener) {
      work.push((async () => {
        const buffer = new Uint8Array(65_536);
        const size = await inner.read(buffer) ?? 0;
        const head = new TextDecoder().decode(buffer.subarray(0, size));
        heads.push(head);
        const outer = await Deno.connect(target);
        if (head.startsWith("CONNECT ")) {
          await inner.write(new TextEncoder().encode("HTTP/1.1 200 OK\r\n\r\n"));
        } else await outer.write(buffer.slice(0, size));
        await Promise.all([pump(inner, outer), pump(outer, inner)]);
        inner.close();
        outer.close();
      })());
    }
    await Promise.all(work);
  })();
  return {
    url: `http://user:pr%40xy-pass@127.0.0.1:${listener.addr.port}`,
    heads,
    async [Symbol.asyncDispose]() {
      listener.close();
      await served;
    },
  };
}

Deno.test("requests to a host go through its proxy with the proxy's password, loopback goes past it", async () => {
  await using server = serve(() => streamed([openaiSse(openaiText("x"))]));
  const target = { hostname: "127.0.0.1", port: Number(new URL(server.url).port) };
  await using proxy = startProxy(target);
  const settings = { proxy: { http: proxy.url } };
  done((await run(modelFor({ ...openai, base_url: "http://models.example/v1" }, settings))).events);
  assert.equal(proxy.heads.length, 1);
  assert.match(proxy.heads[0]!, /^POST http:\/\/models\.example\/v1\/chat\/completions /);
  assert.match(proxy.heads[0]!, new RegExp(`proxy-authorization: Basic ${btoa("user:pr@xy-pass")}`, "i"));
  done((await run(modelFor({ ...openai, base_url: server.url }, settings))).events);
  assert.equal(proxy.heads.length, 1);
  assert.equal(server.requests.length, 2);
});

Deno.test("the process's proxy variables do not matter beside the settings", async () => {
  await using server = serve(() => streamed([openaiSse(openaiText("x"))]));
  const before = Deno.env.get("HTTP_PROXY");
  Deno.env.set("HTTP_PROXY", "http://127.0.0.1:9");
  try {
    done((await run(modelFor({ ...openai, base_url: server.url }))).events);
    assert.equal(Deno.env.get("HTTP_PROXY"), "http://127.0.0.1:9");
  } finally {
    if (before === undefined) Deno.env.delete("HTTP_PROXY");
    else Deno.env.set("HTTP_PROXY", before);
  }
});

Deno.test("a proxy that is down is a network error without its password", async () => {
  const proxy = { http: "http://user:pr%40xy-pass@127.0.0.1:9" };
  const { error } = await run(
    modelFor({ ...openai, base_url: "http://models.example" }, { proxy, max_attempts: 1 }),
  );
  assert.equal(error?.category, "network");
  assert.doesNotMatch(`${error!.message} ${error!.cause}`, /pr(@|%40)xy-pass/);
});

async function hasOpenssl(): Promise<boolean> {
  try {
    return (await new Deno.Command("openssl", { args: ["version"], stdout: "null", stderr: "null" }).output())
      .success;
  } catch {
    return false;
  }
}

/** A CA of our own and a certificate for `models.example` and 127.0.0.1. */
async function makeCertificates(folder: string): Promise<{ ca: string; cert: string; key: string }> {
  const at = (name: string) => join(folder, name);
  const openssl = async (...args: string[]) => {
    const { success, stderr } = await new Deno.Command("openssl", { args, stdout: "null", stderr: "piped" })
      .output();
    assert.ok(success, new TextDecoder().decode(stderr));
  };
  const fresh = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  const authority = [
    "-addext",
    "basicConstraints=critical,CA:TRUE",
    "-addext",
    "keyUsage=critical,keyCertSign",
  ];
  await openssl(
    "req",
    "-x509",
    ...fresh,
    "-subj",
    "/CN=Test CA",
    ...authority,
    "-keyout",
    at("ca.key"),
    "-out",
    at("ca.pem"),
  );
  await openssl(
    "req",
    ...fresh.slice(0, -2),
    "-subj",
    "/CN=models.example",
    "-keyout",
    at("key.pem"),
    "-out",
    at("csr.pem"),
  );
  await Deno.writeTextFile(
    at("ext"),
    "subjectAltName=DNS:models.example,IP:127.0.0.1\nbasicConstraints=CA:FALSE\n",
  );
  const sign = ["x509", "-req", "-days", "2", "-CA", at("ca.pem"), "-CAkey", at("ca.key"), "-CAcreateserial"];
  await openssl(...sign, "-in", at("csr.pem"), "-extfile", at("ext"), "-out", at("cert.pem"));
  return { ca: at("ca.pem"), cert: at("cert.pem"), key: at("key.pem") };
}

const openssl = await hasOpenssl();

Deno.test({
  ...onlyWhere(
    "a private CA is trusted through ca_file or the variables' files, directly and through CONNECT",
    openssl,
    "openssl is not installed",
  ),
  fn: async () => {
    const folder = await Deno.makeTempDir();
    try {
      const { ca, cert, key } = await makeCertificates(folder);
      const server = Deno.serve(
        {
          port: 0,
          hostname: "127.0.0.1",
          onListen() {},
          cert: await Deno.readTextFile(cert),
          key: await Deno.readTextFile(key),
        },
        () => streamed([anthropicSse(anthropicText("secure"))]),
      );
      const { port } = server.addr;
      const local = { api_type: "anthropic" as const, base_url: `https://127.0.0.1:${port}` };
      const stranger = await run(modelFor(local, { max_attempts: 1 }));
      assert.equal(stranger.error?.category, "network");
      done((await run(modelFor(local, { ca_file: ca }))).events);
      done((await run(modelFor(local, { extra_ca_files: [ca] }))).events);
      const past = { proxy: { https: "http://127.0.0.1:9" } };
      done((await run(modelFor(local, { ca_file: ca, ...past }))).events);
      const wrong = { ...local, base_url: `https://localhost:${port}` };
      assert.equal(
        (await run(modelFor(wrong, { ca_file: ca, max_attempts: 1, ...past }))).error?.category,
        "network",
      );
      {
        await using proxy = startProxy({ hostname: "127.0.0.1", port });
        const remote = { api_type: "anthropic" as const, base_url: "https://models.example" };
        done((await run(modelFor(remote, { ca_file: ca, proxy: { https: proxy.url } }))).events);
        assert.match(proxy.heads[0]!, /^CONNECT models\.example:443 /);
      }
      const missing = await run(modelFor(local, { ca_file: join(folder, "gone.pem") }));
      assert.match(missing.error!.message, /Cannot read the CA file .*gone\.pem/);
      assert.equal(missing.error?.retry, "never");
      await server.shutdown();
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
