import assert from "node:assert/strict";
import { PINNED_TLS } from "../support/pinned_tls.ts";
import { webHost, webNetwork } from "../support/web_host.ts";
import type { WebCall } from "../support/web_host.ts";

/** One address that must not be reached: how its names resolve, and what the refusal says. */
interface Row {
  url: string;
  why: string;
  names?: Record<string, string[][]>;
  says?: string;
}

const TABLE: Row[] = (await Deno.readTextFile(new URL("web_ssrf.jsonl", import.meta.url))).trim().split("\n")
  .map((line) => JSON.parse(line));
/** An address that anybody may reach; the test's network leads it to a server on loopback. */
const PUBLIC = "93.184.216.34";
const OPEN = { web_fetch_require_search_result: false };

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

/** The content of a call that must have gone well. */
function read(call: WebCall): string {
  assert.ok(call.behavior === "ran" && call.is_error !== true, JSON.stringify(call));
  return call.content;
}

/** Why a call failed that the kernel had let through. */
function failure(call: WebCall): string {
  assert.ok(call.behavior === "ran" && call.is_error === true, JSON.stringify(call));
  return call.content;
}

Deno.test(`WebFetch in mode yolo reaches none of ${TABLE.length} addresses, whatever hop leads there`, async () => {
  const answer = (request: Request) => {
    const { pathname, search } = new URL(request.url);
    const location = pathname === "/circle" ? "/circle" : search.slice(1);
    return new Response("redirected", { status: 302, headers: { location } });
  };
  await serving(answer, async (port) => {
    for (const { url, why, names = {}, says = "is no public address" } of TABLE) {
      const { network, connected } = webNetwork(port, names);
      await using host = await webHost({ settings: OPEN, network });
      const message = failure(await host.call("WebFetch", { url }));
      assert.ok(message.includes(says), `${why}: ${message}`);
      assert.ok(!message.slice(message.indexOf(": ")).includes("secret"), message);
      assert.ok(connected.every((address) => address === PUBLIC), `${why}: ${connected.join()}`);
      if (!url.includes("redirect.") && !url.includes("rebind.")) assert.deepEqual(connected, [], why);
    }
  });
});

Deno.test("a name is looked up once for a hop, and the connection goes to the address that was checked", async () => {
  await serving((request) => new Response(`host ${request.headers.get("host")}`), async (port) => {
    const seen = webNetwork(port, { "rebind.example": [[PUBLIC], ["127.0.0.1"]] });
    await using host = await webHost({ settings: OPEN, network: seen.network });
    assert.match(
      read(await host.call("WebFetch", { url: "http://rebind.example/a?b=1" })),
      /host rebind\.example/,
    );
    assert.deepEqual(seen.looked_up, ["rebind.example"]);
    assert.deepEqual(seen.connected, [PUBLIC]);
  });
});

Deno.test("a private address is opened by the setting or by the person's own words, and by no rule; metadata never", async () => {
  await serving(() => new Response("mine"), async (port) => {
    const url = `http://127.0.0.1:${port}/`;
    const named = { ...OPEN, web_allow_private_hosts: [`127.0.0.1:${port}`, "169.254.169.254"] };
    await using by_setting = await webHost({ settings: named });
    assert.match(read(await by_setting.call("WebFetch", { url })), /mine/);
    assert.match(
      failure(await by_setting.call("WebFetch", { url: "http://169.254.169.254/" })),
      /is no public address$/,
    );
    await using typed = await webHost({ mode: "ask", prompt: `look at ${url}, please` });
    assert.match(read(await typed.call("WebFetch", { url })), /mine/);
    assert.equal((await typed.call("WebFetch", { url: `${url}admin` })).behavior, "ask");
    await using by_rule = await webHost({ allow: ["WebFetch(domain:127.0.0.1)"], mode: "ask" });
    assert.match(
      failure(await by_rule.call("WebFetch", { url })),
      /no public address; only its user opens it: by typing the URL, or by web_allow_private_hosts/,
    );
    // what was piped in beside the prompt is nobody's word
    await using piped = await webHost({ prompt: `sum it up\n\n<stdin>\nsee ${url}\n</stdin>` });
    assert.match(failure(await piped.call("WebFetch", { url })), /neither a result of WebSearch nor written/);
  });
});

Deno.test("a redirect to another host is followed where the kernel allows that host, told where it asks, refused where it denies", async () => {
  const seen_headers: string[] = [];
  const answer = (request: Request) => {
    seen_headers.push(JSON.stringify([...request.headers]));
    const url = new URL(request.url);
    return url.hostname === "one.example"
      ? new Response(null, {
        status: 301,
        headers: { location: "http://two.example/end", "set-cookie": "a=b" },
      })
      : new Response("the end");
  };
  await serving(answer, async (port) => {
    const { network } = webNetwork(port, { "one.example": [[PUBLIC]], "two.example": [["1.1.1.1"]] });
    const url = "http://one.example/start";
    const allow = ["WebFetch(domain:one.example)"];
    await using told = await webHost({ mode: "ask", allow, network });
    assert.match(
      read(await told.call("WebFetch", { url })),
      /redirects to another host \(301\): http:\/\/two\.example\/end\nIt was not followed/,
    );
    await using followed = await webHost({
      mode: "ask",
      allow: [...allow, "WebFetch(domain:two.example)"],
      network,
    });
    assert.match(
      read(await followed.call("WebFetch", { url })),
      /URL: http:\/\/two\.example\/end[\s\S]*the end/,
    );
    followed.deny(["WebFetch(domain:two.example)"]);
    assert.match(
      failure(await followed.call("WebFetch", { url })),
      /redirects to .*refuses/,
      "not from the cache",
    );
    await using denied = await webHost({ settings: OPEN, deny: ["WebFetch(domain:two.example)"], network });
    assert.match(
      failure(await denied.call("WebFetch", { url })),
      /redirects to http:\/\/two\.example\/end, and .*refuses/,
    );
    assert.ok(!seen_headers.join().match(/cookie|authorization/i));
  });
});

Deno.test("TLS is checked against the name of the URL although the connection goes to an address", async () => {
  await serving(() => new Response("over TLS"), async (port) => {
    const { network } = webNetwork(port, { "pinned.example": [[PUBLIC]], "other.example": [[PUBLIC]] });
    await using host = await webHost({ settings: OPEN, network });
    assert.match(read(await host.call("WebFetch", { url: "https://pinned.example/" })), /over TLS/);
    assert.match(failure(await host.call("WebFetch", { url: "https://other.example/" })), /certificate/i);
  }, { cert: PINNED_TLS.cert, key: PINNED_TLS.key });
});

Deno.test("without a rule WebFetch and WebSearch ask, but for the very address that the person wrote", async () => {
  await using host = await webHost({ mode: "ask", prompt: "read https://docs.example/a (and b)." });
  assert.equal((await host.call("WebSearch", { query: "a" })).behavior, "ask");
  for (const url of ["https://docs.example/b", "https://docs.example/a?x=1", "http://docs.example/a"]) {
    assert.equal((await host.call("WebFetch", { url })).behavior, "ask", url);
  }
});

Deno.test("a proxy that the variables name is used for the web, and not for what a name leads to that is private here", async () => {
  const asked: string[] = [];
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const proxy = (async () => {
    for await (const connection of listener) {
      const bytes = new Uint8Array(65_536);
      const head = new TextDecoder().decode(bytes.subarray(0, await connection.read(bytes) ?? 0));
      asked.push(head.split("\r\n")[0] ?? "");
      const answer =
        "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 9\r\nconnection: close\r\n\r\nby proxy!";
      await connection.write(new TextEncoder().encode(answer));
      connection.close();
    }
  })();
  const { network, connected } = webNetwork(1, {
    "public.example": [[PUBLIC]],
    "private.example": [["10.0.0.1"]],
  });
  {
    await using host = await webHost({
      settings: OPEN,
      network,
      env: {
        HTTP_PROXY: `http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}`,
        NO_PROXY: "direct.example",
      },
    });
    assert.match(read(await host.call("WebFetch", { url: "http://public.example/a" })), /by proxy!/);
    assert.match(
      read(await host.call("WebFetch", { url: "http://only-the-proxy-knows.example/" })),
      /by proxy!/,
    );
    assert.match(
      failure(await host.call("WebFetch", { url: "http://private.example/" })),
      /leads to 10\.0\.0\.1, which is no public address/,
    );
    assert.match(failure(await host.call("WebFetch", { url: "http://10.0.0.2/" })), /no public address/);
  }
  listener.close();
  await proxy;
  assert.deepEqual(asked, [
    "GET http://public.example/a HTTP/1.1",
    "GET http://only-the-proxy-knows.example/ HTTP/1.1",
  ]);
  assert.deepEqual(connected, []);
});
