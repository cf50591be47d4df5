import assert from "node:assert/strict";
import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import type { ScriptedProvider } from "../../core/model/scripted/mod.ts";
import type { Skip } from "../support/shared_tool.ts";
import { testWith } from "../support/skip.ts";
import { tempDir } from "../support/temp_dir.ts";
import type { TempDir } from "../support/temp_dir.ts";
import { reach, runOnce, SettingsRun } from "./setting_effects_support.ts";

/** `deno run` itself would ask for its newest version through the proxy. */
const QUIET = { DENO_NO_UPDATE_CHECK: "1" };

/** Something on loopback that hands every connection on to the provider. */
interface Relay extends AsyncDisposable {
  port: number;
  /** The first line that each client sent, where the relay reads it. */
  heads: string[];
}

/** Joins both ends until each has closed. */
async function join(inner: Deno.Conn, outer: Deno.Conn): Promise<void> {
  const pump = async (from: Deno.Conn, to: Deno.Conn) => {
    try {
      await from.readable.pipeTo(to.writable);
    } catch {
      // the other end has gone: so does this one
    }
  };
  await Promise.all([pump(inner, outer), pump(outer, inner)]);
}

async function relay(
  listener: Deno.Listener<Deno.Conn>,
  serve: (inner: Deno.Conn) => Promise<void>,
): Promise<void> {
  const work: Promise<void>[] = [];
  while (true) {
    let inner: Deno.Conn;
    try {
      inner = await listener.accept();
    } catch (error) {
      if (error instanceof Deno.errors.BadResource || error instanceof Deno.errors.Interrupted) break;
      continue; // a client that did not like the certificate
    }
    work.push(serve(inner));
  }
  await Promise.all(work);
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** A TLS server in front of the provider. */
function startTls(provider: ScriptedProvider, cert: string, key: string): Relay {
  const listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, cert, key });
  const served = relay(listener, async (inner) => {
    await join(inner, await Deno.connect({ hostname: "127.0.0.1", port: portOf(provider.url) }));
  });
  return {
    port: listener.addr.port,
    heads: [],
    async [Symbol.asyncDispose]() {
      listener.close();
      await served;
    },
  };
}

/** A proxy that takes plain requests and tunnels, and leads all of them to one port. */
function startProxy(port: number): Relay {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const heads: string[] = [];
  const served = relay(listener, async (inner) => {
    const buffer = new Uint8Array(65_536);
    const size = await inner.read(buffer) ?? 0;
    const head = new TextDecoder().decode(buffer.subarray(0, size)).split("\r\n", 1)[0] ?? "";
    heads.push(head);
    const outer = await Deno.connect({ hostname: "127.0.0.1", port });
    if (head.startsWith("CONNECT ")) await inner.write(new TextEncoder().encode("HTTP/1.1 200 OK\r\n\r\n"));
    else await outer.write(buffer.slice(0, size));
    await join(inner, outer);
  });
  return {
    port: listener.addr.port,
    heads,
    async [Symbol.asyncDispose]() {
      listener.close();
      await served;
    },
  };
}

Deno.test("HTTP_PROXY leads to a named host, NO_PROXY takes it out again, and loopback goes past it", async () => {
  await using provider = await startScriptedProvider({ turns: [{ text: "ok", repeat: true }] });
  await using proxy = startProxy(portOf(provider.url));
  const settings = reach(provider, { api_base_url: "http://model.test:1234", api_max_attempts: 1 });
  const HTTP_PROXY = `http://127.0.0.1:${proxy.port}`;
  const [proxied, lower, every, excepted, loopback] = await Promise.all([
    runOnce({ settings, env: { ...QUIET, HTTP_PROXY } }),
    runOnce({ settings, env: { ...QUIET, http_proxy: HTTP_PROXY, HTTP_PROXY: "http://127.0.0.1:9" } }),
    runOnce({ settings, env: { ...QUIET, ALL_PROXY: HTTP_PROXY } }),
    runOnce({ settings, env: { ...QUIET, HTTP_PROXY, NO_PROXY: "other.test,model.test" } }),
    runOnce({ settings: reach(provider), env: { ...QUIET, HTTP_PROXY } }),
  ]);
  const codes = [proxied, lower, every, excepted, loopback].map(({ code }) => code);
  assert.deepEqual(codes, [0, 0, 0, 1, 0]);
  const head = /^POST http:\/\/model\.test:1234\/v1\/messages/;
  assert.equal(proxy.heads.length, 3);
  for (const line of proxy.heads) assert.match(line, head);
  assert.match(JSON.stringify(excepted.lines.at(-1)), /model\.test:1234.*cannot be reached/);
  assert.equal(provider.requests.length, 4);
  assert.equal(provider.requests.filter(({ headers }) => headers["host"] === "model.test:1234").length, 3);
});

/** A private authority and a certificate of it for `model.test` and 127.0.0.1. */
interface Certificates {
  folder: TempDir;
  ca: string;
  cert: string;
  key: string;
}

async function hasOpenssl(): Promise<object | Skip> {
  const found = await new Deno.Command("openssl", { args: ["version"] }).output().catch(() => undefined);
  return found?.success ? {} : { skip: "openssl is not installed" };
}

async function makeCertificates(): Promise<Certificates> {
  const folder = await tempDir();
  const openssl = async (line: string, ...more: string[]) => {
    const command = new Deno.Command("openssl", { args: [...line.split(" "), ...more], cwd: folder.path });
    const { success, stderr } = await command.output();
    assert.ok(success, new TextDecoder().decode(stderr));
  };
  const fresh = "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
  await openssl(
    `${fresh} -x509 -days 2 -subj /CN=Authority -keyout ca.key -out ca.pem`,
    "-addext",
    "basicConstraints=critical,CA:TRUE",
    "-addext",
    "keyUsage=critical,keyCertSign",
  );
  await openssl(`${fresh} -subj /CN=model.test -keyout key.pem -out csr.pem`);
  await folder.write("ext", "subjectAltName=DNS:model.test,IP:127.0.0.1\nbasicConstraints=CA:FALSE\n");
  await openssl(
    "x509 -req -days 2 -CA ca.pem -CAkey ca.key -CAcreateserial -in csr.pem -extfile ext -out c.pem",
  );
  return {
    folder,
    ca: folder.join("ca.pem"),
    cert: await folder.read("c.pem"),
    key: await folder.read("key.pem"),
  };
}

testWith(
  "ca_file, NODE_EXTRA_CA_CERTS and SSL_CERT_FILE make a private authority known, also through HTTPS_PROXY",
  await hasOpenssl(),
  async () => {
    const { folder, ca, cert, key } = await makeCertificates();
    await using _folder = folder;
    await using provider = await startScriptedProvider({ turns: [{ text: "ok", repeat: true }] });
    await using server = startTls(provider, cert, key);
    await using proxy = startProxy(server.port);
    const local = { api_base_url: `https://127.0.0.1:${server.port}`, api_max_attempts: 1 };
    {
      await using run = await SettingsRun.start({ settings: reach(provider, local) });
      assert.match(await run.failure(), /cannot be reached/);
      assert.equal(provider.requests.length, 0);
      assert.equal(await run.answer(reach(provider, { ...local, ca_file: ca })), "ok");
    }
    const HTTPS_PROXY = `http://127.0.0.1:${proxy.port}`;
    const named = reach(provider, { ...local, api_base_url: "https://model.test" });
    const runs = await Promise.all([
      runOnce({ settings: reach(provider, local), env: { SSL_CERT_FILE: ca } }),
      runOnce({ settings: named, env: { ...QUIET, NODE_EXTRA_CA_CERTS: ca, HTTPS_PROXY } }),
    ]);
    assert.deepEqual(runs.map(({ code }) => code), [0, 0], JSON.stringify(runs));
    assert.deepEqual(proxy.heads, ["CONNECT model.test:443 HTTP/1.1"]);
  },
);
