import assert from "node:assert/strict";
import { tempDir } from "../../../tests/support/temp_dir.ts";
import type { Network } from "../net/guarded_fetch.ts";
import { openDomainProxy, removeLeftSockets } from "./domain_proxy.ts";

/** A host on loopback that echoes what it gets, and names that lead to it or elsewhere. */
async function withProxy(
  domains: string[],
  test: (ask: (text: string) => Promise<string>, seen: Seen) => Promise<void>,
): Promise<void> {
  await using dir = await tempDir();
  const host = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const seen: Seen = { connected: [], requests: [], port: host.addr.port, refused: () => proxy.refused() };
  const serving = (async () => {
    for await (const connection of host) {
      const buffer = new Uint8Array(65_536);
      const count = await connection.read(buffer) ?? 0;
      seen.requests.push(new TextDecoder().decode(buffer.subarray(0, count)));
      await connection.write(new TextEncoder().encode("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello"));
      connection.close();
    }
  })();
  const network: Network = {
    resolve: (name) =>
      Promise.resolve(
        name === "inside.example.com"
          ? ["127.0.0.1"]
          : name === "mixed.example.com"
          ? ["93.184.215.14", "169.254.169.254"]
          : name === "meta.example.com"
          ? ["169.254.169.254"]
          : ["93.184.215.14"],
      ),
    connect: (address, port) => {
      seen.connected.push(`${address}:${port}`);
      return Deno.connect({ hostname: "127.0.0.1", port: seen.port });
    },
    ca_certs: [],
  };
  const proxy = await openDomainProxy({ domains, folder: dir.path, network });
  const ask = async (text: string): Promise<string> => {
    const client = await Deno.connect({ transport: "unix", path: proxy.socket });
    await client.write(new TextEncoder().encode(text));
    const answer = await new Response(client.readable).text();
    return answer;
  };
  try {
    const mode = (await Deno.stat(proxy.socket)).mode ?? 0;
    assert.equal(mode & 0o077, 0);
    await test(ask, seen);
  } finally {
    await proxy.close();
    host.close();
    await serving;
  }
  await assert.rejects(Deno.stat(proxy.socket), Deno.errors.NotFound);
}

interface Seen {
  connected: string[];
  requests: string[];
  port: number;
  refused(): string[];
}

const get = (url: string, more = "") => `GET ${url} HTTP/1.1\r\nHost: other.test\r\n${more}\r\n`;

Deno.test("the proxy reaches listed domains at the address it has checked, and asks for the host it has checked", async () => {
  await withProxy(["example.com", "*.example.org"], async (ask, seen) => {
    assert.match(await ask(get("http://example.com/a?b=1", "Proxy-Authorization: x\r\nX: é\r\n")), /hello$/);
    assert.match(
      seen.requests[0] ?? "",
      /^GET \/a\?b=1 HTTP\/1\.1\r\nHost: example\.com\r\nX: é\r\nConnection: close\r\n\r\n$/,
    );
    assert.match(
      await ask("CONNECT www.example.org:443 HTTP/1.1\r\n\r\nping"),
      /^HTTP\/1\.1 200 [^]*hello$/,
    );
    assert.equal(seen.requests[1], "ping");
    assert.deepEqual(seen.connected, ["93.184.215.14:80", "93.184.215.14:443"]);
    assert.deepEqual(seen.refused(), []);
  });
});

Deno.test("the proxy refuses every other host and port with the name of the setting, and remembers them", async () => {
  await withProxy(["example.com", "*.example.org", "api.test:8443"], async (ask, seen) => {
    for (
      const request of [
        get("http://evil.test/"),
        get("http://example.com.evil.test/"),
        get("http://example.com@evil.test/"),
        get("http://example.org/"),
        get("http://example.com:8080/"),
        "CONNECT evil.test:443 HTTP/1.1\r\n\r\n",
        "CONNECT api.test:443 HTTP/1.1\r\n\r\n",
        "CONNECT 127.0.0.1:80 HTTP/1.1\r\n\r\n",
        "CONNECT [::1]:22 HTTP/1.1\r\n\r\n",
      ]
    ) {
      const answer = await ask(request);
      assert.match(answer, /^HTTP\/1\.1 403 /, request);
      const tail = request.includes(":8080")
        ? /, where a name alone is ports 80 and 443; write it with its port\n$/
        : /s\n$/;
      assert.match(answer, /is not in sandbox\.allowed_domains/, request);
      assert.match(answer, tail, request);
    }
    assert.match(await ask("CONNECT api.test:8443 HTTP/1.1\r\n\r\nx"), /^HTTP\/1\.1 200 /);
    assert.deepEqual(seen.connected, ["93.184.215.14:8443"]);
    assert.deepEqual(seen.refused(), [
      "evil.test",
      "example.com.evil.test",
      "example.org",
      "example.com:8080",
      "api.test",
      "127.0.0.1",
      "[::1]:22",
    ]);
  });
});

Deno.test("a listed name that leads to a private or closed address is refused, unless a private one is listed by itself", async () => {
  await withProxy(["*.example.com"], async (ask, seen) => {
    for (const name of ["inside", "mixed", "meta"]) {
      const answer = await ask(get(`http://${name}.example.com/`));
      assert.match(answer, /^HTTP\/1\.1 403 [^]*no public address/, name);
    }
    assert.deepEqual(seen.connected, []);
  });
  await withProxy(["inside.example.com", "meta.example.com", "localhost:3000"], async (ask, seen) => {
    assert.match(await ask(get("http://inside.example.com/")), /hello$/);
    assert.match(await ask(get("http://meta.example.com/")), /^HTTP\/1\.1 403 /);
    assert.match(await ask(get("http://localhost:3001/")), /^HTTP\/1\.1 403 /);
    assert.deepEqual(seen.connected, ["127.0.0.1:80"]);
  });
});

Deno.test("the proxy answers what is no request to a proxy, and heads without end", async () => {
  await withProxy(["example.com"], async (ask, seen) => {
    for (
      const request of [
        "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n",
        get("https://example.com/"),
        get("file:///etc/passwd"),
        "CONNECT example.com HTTP/1.1\r\n\r\n",
        "nonsense\r\n\r\n",
      ]
    ) assert.match(await ask(request), /^HTTP\/1\.1 400 /, request);
    assert.match(await ask(`GET / HTTP/1.1\r\nX: ${"a".repeat(20_000)}`), /^HTTP\/1\.1 431 /);
    assert.deepEqual(seen.connected, []);
  });
});

Deno.test("closing the proxy ends connections that still wait", async () => {
  await using dir = await tempDir();
  const network: Network = {
    resolve: () => Promise.reject(new Error("nothing is looked up")),
    connect: () => Promise.reject(new Error("nothing is connected")),
    ca_certs: [],
  };
  const proxy = await openDomainProxy({ domains: ["example.com"], folder: dir.path, network });
  const client = await Deno.connect({ transport: "unix", path: proxy.socket });
  await client.write(new TextEncoder().encode("GET http"));
  const reading = new Response(client.readable).text().catch((error: Error) => error.message);
  await proxy.close();
  assert.match(await reading, /^$|400|reset/i);
});

Deno.test("the folder of a proxy whose process was killed is taken away by the next one", async () => {
  await using dir = await tempDir();
  const killed = new Deno.Command("true").spawn();
  await killed.status;
  const kept = [`lumina-net-${Deno.pid}-a`, "lumina-net-x"];
  for (const name of [`lumina-net-${killed.pid}-a`, ...kept]) await dir.write(`${name}/proxy`, "");
  await removeLeftSockets(dir.path);
  const left = (await Array.fromAsync(Deno.readDir(dir.path))).map(({ name }) => name).sort();
  assert.deepEqual(left, kept);
});
