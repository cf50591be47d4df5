import assert from "node:assert/strict";
import { addressKind } from "../../core/app/net/address_kind.ts";
import type { Network } from "../../core/app/net/guarded_fetch.ts";
import { packServices } from "../../core/plugin_host/services/mod.ts";
import type { ServiceError } from "../../core/plugin_api/mod.ts";
import type { JsonObject } from "../../core/types/mod.ts";
import { PINNED_TLS } from "../support/pinned_tls.ts";
import { NO_NETWORK, packWith, servicePorts } from "../support/service_ports.ts";
import type { ServiceRules } from "../support/service_ports.ts";
import { tempDir } from "../support/temp_dir.ts";

/** An address that anybody may reach; the test's network leads it to a server on loopback. */
const PUBLIC = "93.184.216.34";

type Fetched = { status: number; headers: Record<string, string>; body: string };

/** Fetches with the services of a session under these rules. */
async function fetching(
  rules: ServiceRules,
  network: Network,
  params: JsonObject,
  capability: Parameters<typeof packWith>[0] = { kind: "net", hosts: [] },
): Promise<{ fetched: Fetched } | { code: string; message: string }> {
  await using dir = await tempDir();
  await Deno.mkdir(dir.join("ws"));
  const services = packServices(servicePorts(dir.path, rules, { network }));
  try {
    const fetched = await services(packWith(capability), "call", { service: "net", method: "fetch", params });
    return { fetched: fetched as unknown as Fetched };
  } catch (error) {
    const { code, message } = error as ServiceError;
    return { code, message };
  }
}

async function body(...args: Parameters<typeof fetching>): Promise<string> {
  const result = await fetching(...args);
  assert.ok("fetched" in result, JSON.stringify(result));
  return result.fetched.body;
}

async function refusal(...args: Parameters<typeof fetching>): Promise<{ code: string; message: string }> {
  const result = await fetching(...args);
  assert.ok(!("fetched" in result), JSON.stringify(result));
  return result;
}

const ANY: ServiceRules = { allow: ["WebFetch"] };

interface Seen {
  network: Network;
  looked_up: string[];
  connected: string[];
}

/** A network whose names have the addresses given, in turn; every address leads to `port` on loopback. */
function networkOf(port: number, names: Record<string, string[][]>): Seen {
  const seen: Seen = {
    looked_up: [],
    connected: [],
    network: {
      resolve(host) {
        seen.looked_up.push(host);
        const answers = names[host] ?? [];
        return Promise.resolve((answers.length > 1 ? answers.shift() : answers[0]) ?? []);
      },
      async connect(address) {
        seen.connected.push(address);
        const connection = await Deno.connect({ hostname: "127.0.0.1", port });
        Object.defineProperty(connection, "remoteAddr", {
          value: { transport: "tcp", hostname: address, port },
        });
        return connection;
      },
      ca_certs: [PINNED_TLS.ca],
    },
  };
  return seen;
}

async function serving(
  answer: (request: Request) => Response | Promise<Response>,
  test: (port: number) => Promise<void>,
  tls: { cert: string; key: string } | undefined = undefined,
): Promise<void> {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {}, ...tls }, answer);
  try {
    await test(server.addr.port);
  } finally {
    await server.shutdown();
  }
}

Deno.test("every spelling of a private, link-local or metadata address is refused, and nothing is connected to", async () => {
  for (
    const url of [
      "http://127.0.0.1/",
      "http://[::1]/",
      "http://[::ffff:127.0.0.1]/",
      "http://[::ffff:7f00:1]/",
      "http://0x7f.1/",
      "http://0177.0.0.1/",
      "http://127.1/",
      "http://2130706433/",
      "http://①②⑦.0.0.1/",
      "http://127.0.0.1./",
      "http://0/",
      "http://0.0.0.0/",
      "http://10.0.0.1/",
      "http://172.31.255.255/",
      "http://192.168.1.1/",
      "http://100.64.0.1/",
      "http://100.100.100.200/",
      "http://169.254.169.254/latest/meta-data/",
      "http://[fd00:ec2::254]/latest/meta-data/",
      "http://[fe80::1]/",
      "http://[::]/",
      "http://[64:ff9b::a9fe:a9fe]/",
      "http://[2002:7f00:1::]/",
      "http://[2001:db8::1]/",
      "http://[ff02::1]/",
      "http://255.255.255.255/",
      "http://224.0.0.1/",
      "https://127.0.0.1/",
    ]
  ) {
    const { code, message } = await refusal(ANY, NO_NETWORK, { url });
    assert.equal(code, "failed", url);
    assert.match(message, /no public address/, url);
  }
});

Deno.test("addresses that anybody may reach are public", () => {
  for (
    const address of [
      PUBLIC,
      "1.1.1.1",
      "172.32.0.1",
      "100.128.0.1",
      "2606:4700:4700::1111",
      "[2a00:1450:4001:82b::200e]",
      "::ffff:8.8.8.8",
      "64:ff9b::808:808",
    ]
  ) assert.equal(addressKind(address), "public", address);
  for (const text of ["", "localhost", "127.0.0.1.example", "fe80::1%eth0", "1.2.3"]) {
    assert.equal(addressKind(text), "closed", text);
  }
});

Deno.test("a name is looked up once and the connection goes to the address that was checked", async () => {
  await serving((request) => new Response(`host ${request.headers.get("host")}`), async (port) => {
    // the second look would give an address of this machine
    const seen = networkOf(port, { "rebind.example": [[PUBLIC], ["127.0.0.1"]] });
    assert.equal(
      await body(ANY, seen.network, { url: "http://rebind.example/a?b=1" }),
      "host rebind.example",
    );
    assert.deepEqual(seen.looked_up, ["rebind.example"]);
    assert.deepEqual(seen.connected, [PUBLIC]);
  });
});

Deno.test("a name that leads to a private address, alone or among others, is refused", async () => {
  const names = {
    "private.example": [["10.1.2.3"]],
    "mixed.example": [[PUBLIC, "169.254.169.254"]],
    localhost: [["127.0.0.1", "::1"]],
  };
  for (const name of Object.keys(names)) {
    const seen = networkOf(9, names);
    const { message } = await refusal(ANY, seen.network, { url: `http://${name}/` });
    assert.match(message, new RegExp(`${name} leads to .* no public address`));
    assert.deepEqual(seen.connected, []);
  }
});

Deno.test("a connection that ended up at another address than the one asked for is not used", async () => {
  let asked = 0;
  await serving(() => {
    asked++;
    return new Response("");
  }, async (port) => {
    const network: Network = {
      resolve: () => Promise.resolve([PUBLIC]),
      connect: () => Deno.connect({ hostname: "127.0.0.1", port }),
      ca_certs: [],
    };
    assert.match(
      (await refusal(ANY, network, { url: "http://a.example/" })).message,
      /leads to 127\.0\.0\.1/,
    );
  });
  assert.equal(asked, 0);
});

Deno.test("each hop of a redirect is looked up, judged and checked again", async () => {
  const targets: Record<string, string> = {
    "/loopback": "http://127.0.0.1:1/",
    "/metadata": "//169.254.169.254/latest/meta-data/",
    "/renamed": "http://inside.example/",
    "/file": "file:///etc/passwd",
    "/denied": "http://denied.example/",
    "/userinfo": "http://user:pass@public.example/",
    "/circle": "/circle",
  };
  const answer = (request: Request) =>
    new Response(null, {
      status: 302,
      headers: { location: targets[new URL(request.url).pathname] ?? "/" },
    });
  await serving(answer, async (port) => {
    const rules = { ...ANY, deny: ["WebFetch(domain:denied.example)"] };
    const said = async (path: string) => {
      const seen = networkOf(port, {
        "public.example": [[PUBLIC]],
        "inside.example": [["192.168.0.1"]],
        "denied.example": [[PUBLIC]],
      });
      const { message } = await refusal(rules, seen.network, { url: `http://public.example${path}` });
      assert.ok(seen.connected.every((address) => address === PUBLIC), path);
      return message;
    };
    assert.match(await said("/loopback"), /127\.0\.0\.1 is no public address/);
    assert.match(await said("/metadata"), /169\.254\.169\.254 is no public address/);
    assert.match(await said("/renamed"), /inside\.example leads to 192\.168\.0\.1/);
    assert.match(await said("/file"), /the scheme file:/);
    assert.match(await said("/denied"), /refused/);
    assert.match(await said("/userinfo"), /no user or password/);
    assert.match(await said("/circle"), /redirects more than 5 times/);
  });
});

Deno.test("only http and https are fetched, without user or password, and no header of the connection is a pack's", async () => {
  for (
    const url of [
      "file:///etc/passwd",
      "ftp://a.example/",
      "data:text/plain,a",
      "blob:http://a.example/1",
      "gopher://a.example/",
      "javascript:1",
      "/relative",
      "http://user:secret@a.example/",
    ]
  ) {
    const { code, message } = await refusal(ANY, NO_NETWORK, { url });
    assert.equal(code, "invalid", url);
    assert.ok(!message.includes("secret"));
  }
  for (
    const headers of [{ Host: "b.example" }, { "Transfer-Encoding": "chunked" }, { "content-length": "0" }, {
      "x-a": "1\r\nhost: b.example",
    }, { "bad name": "1" }]
  ) {
    const { code } = await refusal(ANY, NO_NETWORK, { url: "http://a.example/", headers } as JsonObject);
    assert.equal(code, "invalid", JSON.stringify(headers));
  }
  for (const method of ["PUT", "DELETE", "CONNECT", "get"]) {
    assert.equal((await refusal(ANY, NO_NETWORK, { url: "http://a.example/", method })).code, "invalid");
  }
});

Deno.test("keys that a pack sends stay with the origin that it sent them to", async () => {
  const seen_at: Record<string, Record<string, string>> = {};
  const answer = (request: Request) => {
    const url = new URL(request.url);
    seen_at[url.host + url.pathname] = Object.fromEntries(request.headers);
    if (url.pathname === "/same") return Response.redirect("http://one.example/moved", 307);
    return url.pathname === "/moved" ? Response.redirect("http://two.example/end", 307) : new Response("end");
  };
  await serving(answer, async (port) => {
    const { network } = networkOf(port, { "one.example": [[PUBLIC]], "two.example": [["1.1.1.1"]] });
    const headers = {
      Authorization: "Bearer canary",
      Cookie: "a=canary",
      "X-Api-Key": "canary",
      Accept: "text/html",
    };
    assert.equal(await body(ANY, network, { url: "http://one.example/same", headers }), "end");
    const [same, elsewhere] = [seen_at["one.example/moved"], seen_at["two.example/end"]];
    assert.equal(same?.["authorization"], "Bearer canary");
    assert.equal(elsewhere?.["accept"], "text/html");
    assert.ok(!JSON.stringify(elsewhere).includes("canary"), JSON.stringify(elsewhere));
  });
});

Deno.test("a POST has its body; what a 303 leads to is fetched without it", async () => {
  const answer = async (request: Request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/see") return new Response(null, { status: 303, headers: { location: "/end" } });
    return new Response(`${request.method} ${request.headers.get("content-type")} ${await request.text()}`);
  };
  await serving(answer, async (port) => {
    const { network } = networkOf(port, { "a.example": [[PUBLIC]] });
    const post = { method: "POST", body: "größe", headers: { "content-type": "text/x" } };
    assert.equal(await body(ANY, network, { url: "http://a.example/", ...post }), "POST text/x größe");
    assert.equal(await body(ANY, network, { url: "http://a.example/see", ...post }), "GET null ");
  });
});

Deno.test("TLS is checked against the name of the URL although the connection goes to an address", async () => {
  await serving(() => new Response("over TLS"), async (port) => {
    const { network } = networkOf(port, { "pinned.example": [[PUBLIC]], "other.example": [[PUBLIC]] });
    assert.equal(await body(ANY, network, { url: "https://pinned.example/" }), "over TLS");
    assert.match((await refusal(ANY, network, { url: "https://other.example/" })).message, /certificate/i);
    const untrusted = { ...network, ca_certs: [] };
    assert.match((await refusal(ANY, untrusted, { url: "https://pinned.example/" })).message, /certificate/i);
  }, { cert: PINNED_TLS.cert, key: PINNED_TLS.key });
});

Deno.test("an allow rule that names the very host opens loopback, and nothing else does", async () => {
  await serving(() => new Response("mine"), async (port) => {
    const network: Network = {
      resolve: () => Promise.resolve(["127.0.0.1"]),
      connect: (hostname, port) => Deno.connect({ hostname, port }),
      ca_certs: [],
    };
    const url = `http://127.0.0.1:${port}/`;
    assert.equal(await body({ allow: ["WebFetch(domain:127.0.0.1)"] }, network, { url }), "mine");
    assert.equal(
      await body({ allow: ["WebFetch(domain:localhost)"] }, network, { url: `http://localhost:${port}/` }),
      "mine",
    );
    for (const rules of [ANY, { mode: "yolo" }] as ServiceRules[]) {
      assert.match(
        (await refusal(rules, network, { url })).message,
        /no public address; only a rule that names/,
      );
    }
    // no wildcard allows an address
    const wild = { allow: ["WebFetch(domain:127.0.0.*)"] };
    assert.match((await refusal(wild, network, { url })).message, /mode ask asks/);
    // never, whatever is named: the metadata of a cloud holds the keys of the machine
    const metadata = { allow: ["WebFetch(domain:169.254.169.254)"] };
    assert.match(
      (await refusal(metadata, NO_NETWORK, { url: "http://169.254.169.254/" })).message,
      /no public address$/,
    );
  });
});

Deno.test("without a rule a headless run refuses, and a grant of hosts bounds what the rules would allow", async () => {
  assert.equal((await refusal({}, NO_NETWORK, { url: "http://a.example/" })).code, "unavailable");
  assert.equal(
    (await refusal({ deny: ["WebFetch"] }, NO_NETWORK, { url: "http://a.example/" })).code,
    "denied",
  );
  await serving(() => new Response("granted"), async (port) => {
    const { network } = networkOf(port, { "api.a.example": [[PUBLIC]], "b.example": [[PUBLIC]] });
    const hosts = { kind: "net" as const, hosts: ["*.a.example:80"] };
    assert.equal(await body(ANY, network, { url: "http://api.a.example/" }, hosts), "granted");
    for (const url of ["http://b.example/", "https://api.a.example/", "http://a.example/"]) {
      assert.equal((await refusal(ANY, network, { url }, hosts)).code, "denied", url);
    }
  });
  assert.match(
    (await refusal(ANY, NO_NETWORK, { url: "http://a.example/" }, "model")).message,
    /capability net/,
  );
});

Deno.test("an answer that is too long or no HTTP is an error, and the connection is closed", async () => {
  const raw = async (bytes: string, test: (port: number) => Promise<void>) => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const served = (async () => {
      const connection = await listener.accept();
      await connection.read(new Uint8Array(4096));
      await connection.write(new TextEncoder().encode(bytes)).catch(() => {}); // closed by then
      await connection.read(new Uint8Array(1)).catch(() => {}); // resolves when the other side has closed
      connection.close();
    })();
    try {
      await test((listener.addr as Deno.NetAddr).port);
      await served;
    } finally {
      listener.close();
    }
  };
  const cases: [string, RegExp][] = [
    ["SSH-2.0-OpenSSH_9.9\r\n\r\n", /does not begin as HTTP/],
    ["HTTP/1.1 200 OK\r\ncontent-length: 5000000\r\n\r\n", /more than 4194304 bytes/],
    ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffff\r\n", /more than 4194304 bytes/],
    ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", /size of a chunk/],
    ["HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n", /encoded as gzip/],
    [`HTTP/1.1 200 OK\r\nx: ${"a".repeat(70_000)}`, /head is too long/],
    ["HTTP/1.1 200 OK\r\nbad header: 1\r\n\r\n", /header is not valid/],
  ];
  for (const [bytes, expected] of cases) {
    await raw(bytes, async (port) => {
      const { network } = networkOf(port, { "a.example": [[PUBLIC]] });
      assert.match((await refusal(ANY, network, { url: "http://a.example/" })).message, expected);
    });
  }
  await raw(
    "HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3;x=1\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
    async (port) => {
      const { network } = networkOf(port, { "a.example": [[PUBLIC]] });
      assert.equal(await body(ANY, network, { url: "http://a.example/" }), "abcde");
    },
  );
});

Deno.test("an interruption ends a fetch at once and closes its connection", async () => {
  await using dir = await tempDir();
  await Deno.mkdir(dir.join("ws"));
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { network } = networkOf((listener.addr as Deno.NetAddr).port, { "a.example": [[PUBLIC]] });
  const services = packServices(servicePorts(dir.path, ANY, { network }));
  const interrupt = new AbortController();
  const fetched = services(
    packWith("net"),
    "call",
    { service: "net", method: "fetch", params: { url: "http://a.example/" } },
    interrupt.signal,
  );
  const connection = await listener.accept();
  await connection.read(new Uint8Array(4096));
  interrupt.abort(new Error("the run was interrupted"));
  await assert.rejects(fetched, /interrupted/);
  assert.equal(await connection.read(new Uint8Array(1)).catch(() => null), null);
  connection.close();
  listener.close();
});
