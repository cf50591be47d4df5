import assert from "node:assert/strict";
import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import type { JsonObject } from "../../core/types/mod.ts";
import { runLumina } from "../support/run_lumina.ts";
import { tempDir } from "../support/temp_dir.ts";
import { outcomes, reach, SettingsRun } from "./setting_effects_support.ts";

/** A site and a search engine on loopback; `/hang` never answers. */
function serve() {
  const ended = Promise.withResolvers<void>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const url = new URL(request.url);
    const found = (path: string) => ({ title: path, url: `${url.origin}${path}`, content: "" });
    switch (url.pathname) {
      case "/search":
        return Response.json({ results: [found("/page"), found("/long"), found("/hang")] });
      case "/hang":
      case "/hang/search":
        await ended.promise;
        return new Response("late");
      case "/html":
        return new Response('<a class="result__a" href="https://duck.example/">Duck</a>', {
          headers: { "content-type": "text/html" },
        });
      case "/long":
        return new Response("word ".repeat(400));
      default:
        return new Response(`read by ${request.headers.get("user-agent")}`);
    }
  });
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    host: `127.0.0.1:${server.addr.port}`,
    async [Symbol.asyncDispose]() {
      ended.resolve();
      await server.shutdown();
    },
  };
}

Deno.test("web_search_ and web_fetch_ settings and web_allow_private_hosts each have their effect on the next turn", async () => {
  await using site = serve();
  const { origin } = site;
  const search = (settings: JsonObject, says: RegExp) => ({
    settings,
    call: { name: "WebSearch", input: { query: "q" } },
    says,
  });
  const fetch = (path: string, settings: JsonObject, says: RegExp) => ({
    settings,
    call: { name: "WebFetch", input: { url: origin + path } },
    says,
  });
  const cases = [
    search({}, /"provider": "searxng"[\s\S]*\/long"[\s\S]*\/hang"/),
    search({ web_search_max_results: 1 }, /^(?![\s\S]*\/long")[\s\S]*\/page"/),
    search(
      { web_search_base_url: `${origin}/hang`, web_search_timeout_seconds: 0.2 },
      /no answer within 0\.2 s \(web_search_timeout_seconds\)/,
    ),
    search(
      { web_search_provider: "duckduckgo", web_search_base_url: `${origin}/html` },
      /https:\/\/duck\.example\//,
    ),
    search({
      web_search_provider: "auto",
      web_search_custom: { command: 'echo \'[{"url":"https://own.example/"}]\'' },
    }, /"provider": "custom"[\s\S]*own\.example/),
    search({ web_search_enabled: false }, /There is no tool "WebSearch"/),
    fetch("/long", {}, /word word/),
    fetch("/page", { web_fetch_user_agent: "Probe/9" }, /read by Probe\/9/),
    fetch("/long", { web_fetch_max_chars: 500 }, /Cut: 500 of 2000 characters/),
    fetch("/other", {}, /neither a result of WebSearch nor written by the user/),
    fetch("/other", { web_fetch_require_search_result: false }, /read by LuminaCode/),
    fetch("/more", {
      web_fetch_require_search_result: false,
      web_fetch_max_bytes: 1_000,
      web_fetch_user_agent: "x".repeat(2_000),
    }, /more than 1000 bytes/),
    fetch(
      "/hang",
      { web_fetch_timeout_seconds: 0.2 },
      /no answer within 0\.2 s \(web_fetch_timeout_seconds\)/,
    ),
    fetch("/hang", { web_allow_private_hosts: [] }, /is no public address; only its user opens it/),
    fetch("/page", { web_fetch_enabled: false }, /There is no tool "WebFetch"/),
  ];
  await using provider = await startScriptedProvider({
    turns: cases.flatMap(({ call }) => [{ tool_calls: [call] }, { text: "done" }]),
  });
  await using run = await SettingsRun.start({
    settings: reach(provider),
    args: ["--allowed-tools", "WebSearch,WebFetch"],
  });
  for (const { settings, call, says } of cases) {
    const lines = await run.turn(reach(provider, {
      web_search_provider: "searxng",
      web_search_base_url: origin,
      web_allow_private_hosts: [site.host],
      ...settings,
    }));
    assert.match(outcomes(lines)[0]!.content, says, JSON.stringify([call, settings]));
  }
  assert.equal((await run.end()).code, 0);
});

Deno.test("an address that the user typed is opened in a headless run without any rule, every other one is refused", async () => {
  await using site = serve();
  await using root = await tempDir();
  await using workspace = await tempDir();
  const typed = `${site.origin}/page`;
  await using provider = await startScriptedProvider({
    turns: [
      { tool_calls: [{ name: "WebFetch", input: { url: typed } }] },
      { tool_calls: [{ name: "WebFetch", input: { url: `${typed}?leak=1` } }] },
      { tool_calls: [{ name: "WebSearch", input: { query: "a" } }] },
      { text: "done" },
    ],
  });
  const { code, stdout } = await runLumina(
    [
      "-p",
      `Read ${typed}, then stop.`,
      "--output-format",
      "stream-json",
      "--api-type",
      "anthropic",
      "--model",
      "m",
    ],
    {
      cwd: workspace.path,
      app_root: root.path,
      env: { LUMINA_API_KEY: "k", LUMINA_API_BASE_URL: provider.url },
    },
  );
  assert.equal(code, 0, stdout);
  const [first, ...others] = outcomes(stdout.trim().split("\n").map((line) => JSON.parse(line)));
  assert.match(first!.content, /read by LuminaCode/);
  assert.equal(first!.is_error, false);
  for (const { content, is_error } of others) {
    assert.equal(is_error, true);
    assert.match(content, /^Permission needed for Web/);
  }
});
