import assert from "node:assert/strict";
import { decide } from "./decide.ts";
import type { CallFacts } from "./facts.ts";
import { buildPolicy } from "./policy.ts";
import { isTypedUrl, typedUrls } from "./typed_urls.ts";

Deno.test("typedUrls() finds what a person wrote, in any surroundings, and nothing that was piped in", () => {
  const cases: [text: string, url: string, typed: boolean][] = [
    ["see https://a.example/b.", "https://a.example/b", true],
    ["see https://a.example/b.", "https://a.example/b#part", true],
    ["(https://a.example/wiki/X_(y))", "https://a.example/wiki/X_(y)", true],
    ["看看https://a.example/页，谢谢", "https://a.example/页", true],
    ["打开https://a.example/b然后", "https://a.example/b", true],
    ["<https://a.example/?q=1&r=2>", "https://a.example/?q=1&r=2", true],
    ["HTTPS://A.Example:443/b/", "https://a.example/b", true],
    ["http://a.example/b", "https://a.example/b", true],
    ["www.a.example/b", "https://www.a.example/b", true],
    ["my server at localhost:3000/x", "http://localhost:3000/x", true],
    ["127.0.0.1:8080", "http://127.0.0.1:8080/", true],
    ["https://a.example/b", "http://a.example/b", false],
    ["https://a.example/b", "https://a.example/b?leak=1", false],
    ["https://a.example/b", "https://a.example/b/c", false],
    ["https://a.example/", "https://a.example.evil/", false],
    ["https://a.example@evil.example/", "https://evil.example/", false],
    ["https://user:secret@a.example/", "https://a.example/", false],
    ["notlocalhost:1/", "http://localhost:1/", false],
    ["file:///etc/passwd", "file:///etc/passwd", false],
    ["sum up\n\n<stdin>\nhttps://piped.example/\n</stdin>", "https://piped.example/", false],
  ];
  for (const [text, url, typed] of cases) {
    assert.equal(isTypedUrl(url, typedUrls(text)), typed, `${text} -> ${url}: ${typedUrls(text).join(" ")}`);
  }
  assert.ok(typedUrls("https://a.example/1 ".repeat(10).replaceAll("1", "x")).length < 5);
});

Deno.test("a typed address needs no rule; a rule that refuses or asks, a secret that was read and a pack's request stand above it", () => {
  const url = "https://a.example/b";
  const facts = (input = {}): CallFacts => ({
    tool: {
      name: "WebFetch",
      aliases: [],
      effect: "net",
      subject: { kind: "url", param: "url" },
      capabilities: ["net"],
    },
    input: { url, ...input },
    paths: [],
    url,
  });
  const verdict = (rules: { deny?: string[]; ask?: string[] }, more = {}, input = {}) => {
    const { policy } = buildPolicy({
      mode: "ask",
      layers: [{ source: { origin: "flag", base_dir: "/w" }, ...rules }],
      workspace: "/w",
      home: "/h",
    });
    return decide(facts(input), { ...policy, typed_urls: typedUrls(`read ${url}`), ...more });
  };
  assert.equal(verdict({}).behavior, "allow");
  assert.match(verdict({}).reason, /^the user wrote the address/);
  assert.equal(verdict({ deny: ["WebFetch(domain:a.example)"] }).behavior, "deny");
  assert.equal(verdict({ ask: ["WebFetch"] }).behavior, "ask");
  assert.equal(verdict({}, { secret_read: ".env" }).source, "danger");
  assert.equal(verdict({}, {}, { method: "GET" }).behavior, "ask");
  assert.equal(verdict({}, { typed_urls: [] }).behavior, "ask");
});
