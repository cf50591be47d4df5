import assert from "node:assert/strict";
import {
  hostOfAuthority,
  hostOfUrl,
  matchesDomain,
  matchesHost,
  readHostPattern,
  urlHost,
} from "./url_match.ts";

type Hit = "both" | "deny" | "none";

/** A pattern, a URL, and in which kind of rule the pattern names the URL's host. */
const ROWS: readonly (readonly [pattern: string, url: string, hit: Hit])[] = [
  // plain names, case, dots at the end, ports, users, paths
  ["example.com", "https://example.com/", "both"],
  ["example.com", "https://EXAMPLE.com/a?b#c", "both"],
  ["EXAMPLE.Com", "https://example.com/", "both"],
  ["example.com", "https://example.com./", "both"],
  ["example.com.", "https://example.com/", "both"],
  ["example.com", "https://example.com../", "both"],
  ["example.com", "https://example.com:8443/", "both"],
  ["example.com", "http://example.com", "both"],
  ["example.com", "https://user:pw@example.com/", "both"],
  ["example.com", "https://example.com@evil.test/", "none"],
  ["evil.test", "https://example.com@evil.test/", "both"],
  ["example.com", "https://example.com:80@evil.test/", "none"],
  ["example.com", "https://evil.test/example.com", "none"],
  ["example.com", "https://evil.test/?u=https://example.com", "none"],
  ["example.com", "https://evil.test#@example.com", "none"],
  ["example.com", "https://sub.example.com/", "none"],
  ["example.com", "https://notexample.com/", "none"],
  ["example.com", "https://example.com.evil.test/", "none"],
  ["example.com", "https://example-com/", "none"],
  ["example.com", "https://examplexcom/", "none"],
  // what the URL standard takes away or turns round
  ["example.com", "https:\\\\example.com\\a", "both"],
  ["example.com", "https://example.com\\@evil.test/", "both"],
  ["evil.test", "https://example.com\\@evil.test/", "none"],
  ["example.com", "https://exa\tmple.com/", "both"],
  ["example.com", "https://exa\nmple.\rcom/", "both"],
  ["example.com", "  https://example.com/ ", "both"],
  ["example.com", "https:example.com", "both"],
  ["example.com", "https:///example.com/", "both"],
  ["example.com", "https://ex%61mple.com/", "both"],
  ["example.com", "https://example%2ecom/", "both"],
  ["example.com", "https://example.com%2eevil.test/", "none"],
  ["example.com", "https://example.com%00.evil.test/", "none"],
  ["example.com", "https://example.com%2f.evil.test/", "none"],
  ["example.com", "https://exam\u00adple.com/", "both"],
  ["example.com", "https://example\u3002com/", "both"],
  ["example.com", "https://\uff45xample.com/", "both"],
  ["example.com", "//example.com/", "none"],
  ["example.com", "example.com", "none"],
  ["example.com", "", "none"],
  ["example.com", "file:///example.com", "none"],
  ["example.com", "git://EXAMPLE.com/x", "both"],
  // IDN, both ways
  ["bücher.example", "https://xn--bcher-kva.example/", "both"],
  ["xn--bcher-kva.example", "https://bücher.example/", "both"],
  ["bücher.example", "https://BÜCHER.example/", "both"],
  ["bücher.example", "https://bu\u0308cher.example/", "both"],
  ["bu\u0308cher.example", "https://bücher.example/", "both"],
  ["bücher.example", "https://bucher.example/", "none"],
  ["*.bücher.example", "https://a.xn--bcher-kva.example/", "both"],
  ["bü*.example", "https://xn--bcher-kva.example/", "both"],
  ["bü*.example", "https://bcher.example/", "none"],
  ["straße.example", "https://xn--strae-oqa.example/", "both"],
  ["apple.example", "https://\u0430pple.example/", "none"],
  // wildcards
  ["*.example.com", "https://a.example.com/", "both"],
  ["*.example.com", "https://a.b.c.example.com/", "both"],
  ["*.example.com", "https://example.com/", "none"],
  ["*.example.com", "https://aexample.com/", "none"],
  ["*.example.com", "https://a.example.com.evil.test/", "none"],
  ["api-*.example.com", "https://api-1.example.com/", "both"],
  ["api-*.example.com", "https://api-1.evil.example.com/", "none"],
  ["api.*.com", "https://api.example.com/", "both"],
  ["api.*.com", "https://api.a.b.com/", "none"],
  ["*.api-*.example.com", "https://x.y.api-2.example.com/", "both"],
  ["*", "https://localhost/", "both"],
  ["*", "https://example.com/", "deny"],
  ["*", "http://127.0.0.1/", "deny"],
  ["*", "http://[::1]/", "deny"],
  ["*.*", "https://example.com/", "both"],
  ["a*e.com", "https://a.e.com/", "none"],
  ["*.com:8443", "https://example.com:8443/", "both"],
  ["*.com:8443", "https://example.com/", "none"],
  // addresses of IPv4
  ["127.0.0.1", "http://127.0.0.1/", "both"],
  ["127.0.0.1", "http://127.0.0.1.:80/", "both"],
  ["127.0.0.1", "http://2130706433/", "both"],
  ["127.0.0.1", "http://0x7f.1/", "both"],
  ["127.0.0.1", "http://0x7f000001/", "both"],
  ["127.0.0.1", "http://0177.0.0.01/", "both"],
  ["127.0.0.1", "http://127.1/", "both"],
  ["127.0.0.1", "http://%31%32%37.0.0.1/", "both"],
  ["127.0.0.1", "http://①②⑦.0.0.1/", "both"],
  ["2130706433", "http://127.0.0.1/", "both"],
  ["0x7f.1", "http://127.0.0.1/", "both"],
  ["127.0.0.1", "http://127.0.0.1.example.com/", "none"],
  ["127.0.0.1", "http://localhost/", "none"],
  ["localhost", "http://127.0.0.1/", "none"],
  ["127.*.*.*", "http://127.0.0.1/", "deny"],
  ["*.0.0.1", "http://127.0.0.1/", "deny"],
  ["127.0.0.1", "http://256.0.0.1/", "none"],
  // addresses of IPv6
  ["::1", "http://[::1]/", "both"],
  ["[::1]", "http://[::1]:8080/", "both"],
  ["::1", "http://[0:0:0:0:0:0:0:1]/", "both"],
  ["[::1]:8080", "http://[::1]:8080/", "both"],
  ["[::1]:8080", "http://[::1]:9090/", "none"],
  ["2001:DB8::A", "http://[2001:db8:0:0::000a]/", "both"],
  ["127.0.0.1", "http://[::ffff:127.0.0.1]/", "both"],
  ["127.0.0.1", "http://[::ffff:7f00:1]/", "both"],
  ["::ffff:127.0.0.1", "http://127.0.0.1/", "both"],
  ["10.0.0.1", "http://[64:ff9b::10.0.0.1]/", "deny"],
  ["10.0.0.1", "http://[2002:a00:1::]/", "deny"],
  ["10.0.0.1", "http://[::10.0.0.1]/", "deny"],
  ["64:ff9b::a00:1", "http://10.0.0.1/", "deny"],
  ["::1", "http://[::1%25eth0]/", "none"],
  ["fe80::1%eth0", "http://[fe80::1]/", "none"],
  // ports
  ["localhost:3000", "http://localhost:3000/", "both"],
  ["localhost:3000", "http://localhost:3001/", "none"],
  ["localhost:80", "http://localhost/", "both"],
  ["localhost:443", "https://localhost/", "both"],
  ["localhost:99999", "http://localhost/", "none"],
  // no host pattern at all
  ["https://example.com", "https://example.com/", "none"],
  ["example.com/path", "https://example.com/path", "none"],
  ["user@example.com", "https://example.com/", "none"],
  ["", "https://example.com/", "none"],
  ["*.", "https://example.com/", "none"],
  ["a..b", "https://a..b/", "both"],
];

Deno.test(`a host pattern names the hosts that its rule means: ${ROWS.length} pairs`, () => {
  const wrong = ROWS.filter(([pattern, url, hit]) => {
    const allow = matchesDomain(`domain:${pattern}`, url);
    const deny = matchesDomain(`domain:${pattern}`, url, true);
    return (allow ? deny ? "both" : "allow alone" : deny ? "deny" : "none") !== hit;
  });
  assert.deepEqual(wrong, []);
});

Deno.test("what an allow rule names, the same text in a deny rule names too", () => {
  for (const [pattern] of ROWS) {
    for (const [, url] of ROWS) {
      if (!matchesDomain(`domain:${pattern}`, url)) continue;
      assert.ok(matchesDomain(`domain:${pattern}`, url, true), `${pattern} ${url}`);
    }
  }
});

Deno.test("a host and port as a proxy is given them are read, and nothing else is", () => {
  const read = (text: string) => {
    const host = hostOfAuthority(text);
    return host === undefined ? undefined : [host.kind, host.name, host.port];
  };
  assert.deepEqual(read("Example.com:443"), ["name", "example.com", 443]);
  assert.deepEqual(read("example.com"), ["name", "example.com", undefined]);
  assert.deepEqual(read("[::1]:443"), ["ipv6", "::1", 443]);
  assert.deepEqual(read("::1"), ["ipv6", "::1", undefined]);
  assert.deepEqual(read("0x7f.1:80"), ["ipv4", "127.0.0.1", 80]);
  assert.deepEqual(read("[::ffff:10.0.0.1]:1"), ["ipv4", "10.0.0.1", 1]);
  assert.deepEqual(read("bücher.example:1"), ["name", "xn--bcher-kva.example", 1]);
  for (
    const text of [
      "",
      ":443",
      "example.com:",
      "example.com:x",
      "example.com:70000",
      "http://example.com",
      "a/b",
      "u@example.com",
      "fe80::1%eth0",
      "[fe80::1%25eth0]:1",
      "a b",
      "a\tb",
      "[::1",
      "::1]:2",
      "1.2.3.256",
    ]
  ) assert.equal(read(text), undefined, text);
});

Deno.test("the host of a URL is shown in its canonical form", () => {
  assert.equal(urlHost("http://[::1]:80/"), "[::1]");
  assert.equal(urlHost("http://[::ffff:1.2.3.4]/"), "1.2.3.4");
  assert.equal(urlHost("https://Bücher.example./x"), "xn--bcher-kva.example");
  assert.equal(urlHost("mailto:a@b.example"), undefined);
  assert.equal(hostOfUrl("https://a.example/")?.port, 443);
  assert.equal(hostOfUrl("foo://a.example/")?.port, undefined);
  const pattern = readHostPattern("a.example:443");
  assert.equal(matchesHost(pattern!, hostOfUrl("foo://a.example/")!), false);
  assert.equal(matchesHost(pattern!, hostOfUrl("foo://a.example/")!, true), true);
});
