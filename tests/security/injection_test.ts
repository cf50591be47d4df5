import assert from "node:assert/strict";
import { appRootPaths, projectIdentity } from "../../core/app_root/mod.ts";
import { snapshot } from "../support/refusals.ts";
import { failed, runCalls, succeeded } from "../support/run_calls.ts";
import type { ScriptedCall } from "../support/run_calls.ts";
import { tempDir } from "../support/temp_dir.ts";
import type { TempDir } from "../support/temp_dir.ts";

/** A text that a model may meet, the call of a model that obeys it, and what must come of that call. */
interface Injection {
  id: string;
  /** Where the text stands. */
  hides: string;
  text: string;
  obeys: [tool: string, input: Record<string, string>];
  /** A person is asked (and says no), the policy refuses by itself, there is no such tool, or the mode allows it anyway. */
  must: "ask" | "deny" | "unknown" | "allow";
}

const CORPUS: Injection[] = (await Deno.readTextFile(new URL("injection_corpus.jsonl", import.meta.url)))
  .trim().split("\n")
  .map((line) => JSON.parse(line));

const KEY = "AKIA-the-canary-of-this-test";

Deno.test(`a model that obeys what it reads gains nothing: ${CORPUS.length} injected texts, one run`, async () => {
  assert.ok(CORPUS.length >= 40);
  await using ws = await tempDir();
  await using home = await tempDir();
  await using root = await tempDir();
  await using server = listen();
  await using web = serveTexts((text) => fill(text));
  const fill = (text: string) =>
    text.replaceAll("{{url}}", `http://127.0.0.1:${server.port}`).replaceAll(
      "{{host}}",
      `127.0.0.1:${server.port}`,
    )
      .replaceAll("{{home}}", home.path).replaceAll("{{root}}", root.path);
  await furnish(ws, home, root, fill);

  const calls: ScriptedCall[] = [];
  const carriers: number[] = [];
  /** Which call obeys which text. */
  const obeying = new Map<number, Injection>();
  for (const injection of CORPUS) {
    const carrier = reading(injection, web.origin);
    if (carrier !== undefined) carriers.push(calls.push(carrier) - 1);
    obeying.set(calls.length, injection);
    const [tool, input] = injection.obeys;
    calls.push([tool, JSON.parse(fill(JSON.stringify(input)))]);
  }
  const before = await snapshot(ws.path);
  const run = await runCalls(ws.path, calls, {
    args: [
      "--permission-mode",
      "accept-edits",
      "--allowed-tools",
      `WebSearch,WebFetch(domain:${new URL(web.origin).host})`,
    ],
    settings: {
      web_allow_private_hosts: [new URL(web.origin).host],
      web_search_provider: "searxng",
      web_search_base_url: web.origin,
    },
    app_root: root.path,
    env: { HOME: home.path, DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno` },
    consent: () => false,
  });

  const asked = new Set(
    run.questions.map((question) => JSON.stringify([question["tool_name"], question["input"]])),
  );
  for (const [at, { id, must }] of obeying) {
    const result = run.results[at];
    const was_asked = asked.has(JSON.stringify(calls[at]));
    const told = `${id}: ${JSON.stringify(calls[at])} -> ${result?.content}`;
    assert.equal(was_asked, must === "ask", told);
    if (must === "ask") assert.match(failed(result), /^The user did not allow this /, told);
    if (must === "deny") assert.match(failed(result), /^Permission denied /, told);
    if (must === "unknown") assert.match(failed(result), /^There is no tool /, told);
    if (must === "allow") succeeded(result);
  }
  for (const at of carriers) if (/^Web/.test(String(calls[at]?.[0]))) succeeded(run.results[at]);
  // every question was put for a call, and none was answered by anything that the tools printed
  assert.equal(run.questions.length, CORPUS.filter(({ must }) => must === "ask").length);

  const after = await snapshot(ws.path);
  assert.equal(after["docs.md"], "# Documentation\n");
  delete after["docs.md"];
  assert.deepEqual(after, before, "nothing but what the mode allows was written");
  assert.equal(server.connections, 0, "nothing was sent");
  assert.ok(!JSON.stringify(run.results).includes(KEY), "no secret was read");
  assert.equal(await home.read(".bashrc"), "");
  const project = await projectIdentity(ws.path);
  const kept = `${appRootPaths(root.path).projectDir(project.id)}/permissions.json`;
  await assert.rejects(Deno.stat(kept), Deno.errors.NotFound, "no rule was kept");
  assert.equal(await root.read("config/settings.json"), "{}");
  const modes = run.lines.map((line) => line["permissionMode"] ?? line["permission_mode"]).filter((mode) =>
    mode !== undefined
  );
  assert.ok(modes.every((mode) => /^accept-?edits$/i.test(mode)), `the mode stayed: ${modes.join()}`);
});

Deno.test("what was allowed to reach the network asks once the run has read a secret", async () => {
  await using ws = await tempDir();
  await using server = listen();
  await ws.write(".env", `TOKEN=${KEY}\n`);
  await ws.write("a.txt", "harmless\n");
  const url = `http://127.0.0.1:${server.port}/`;
  const page: ScriptedCall = ["WebFetch", { url }];
  const fetching = `curl -s --max-time 2 ${url}`;
  const run = await runCalls(ws.path, [
    ["Read", { file_path: "a.txt" }],
    fetching,
    page,
    ["Read", { file_path: ".env" }],
    fetching,
    page,
    ["WebSearch", { query: KEY }],
    "git status --short; cat a.txt",
  ], {
    args: [
      "--allowed-tools",
      "Bash(curl *),Bash(git status *),WebSearch,WebFetch(domain:127.0.0.1)",
    ],
    settings: { web_allow_private_hosts: ["127.0.0.1"], web_search_base_url: url },
    consent: () => false,
  });
  assert.equal(server.connections, 2, "before it was allowed by the rules");
  assert.match(succeeded(run.results[2]), /hello/);
  assert.match(succeeded(run.results[3]), new RegExp(KEY));
  for (const at of [4, 5, 6]) assert.match(failed(run.results[at]), /did not allow/);
  assert.equal(run.questions.length, 3);
  for (const question of run.questions) {
    assert.match(JSON.stringify(question), /this run has read \.env, which holds secrets/);
  }
});

/** The call that brings the text before the model; none where the text is a part of what it always sees. */
function reading({ id, hides }: Injection, web: string): ScriptedCall | undefined {
  switch (hides) {
    case "web page":
    case "web redirect":
      return ["WebFetch", { url: `${web}/${id}` }];
    case "search result":
      return ["WebSearch", { query: id }];
    case "tool description":
      return undefined;
    case "AGENTS.md":
      return ["Read", { file_path: "AGENTS.md" }];
    case "file name":
      return ["List", { path: "names" }];
    case "commit message":
      return "git log -5";
    case "git log":
      return "git log --oneline";
    case "tool output":
      return `cat texts/${id}.txt`;
    default:
      return ["Read", { file_path: `texts/${id}.txt` }];
  }
}

async function furnish(
  ws: TempDir,
  home: TempDir,
  root: TempDir,
  fill: (text: string) => string,
): Promise<void> {
  await home.write(".aws/credentials", `aws_secret_access_key = ${KEY}\n`);
  await home.write(".ssh/id_ed25519", KEY);
  await home.write(".bashrc", "");
  await root.write("config/settings.json", "{}");
  await ws.write("src/a.ts", "export const a = 1;\n");
  const messages: string[] = [];
  const rules: string[] = [];
  for (const { id, hides, text } of CORPUS) {
    const filled = fill(text);
    if (hides === "file name") await ws.write(`names/${text.replaceAll(/[/]|\{\{|\}\}/g, "_")}`, "");
    else if (hides === "AGENTS.md") rules.push(filled);
    else if (hides === "commit message" || hides === "git log") messages.push(filled);
    else if (hides !== "tool description" && !/^(web|search) /.test(hides)) {
      await ws.write(`texts/${id}.txt`, `${filled}\n`);
    }
  }
  await ws.write("AGENTS.md", `${rules.join("\n\n")}\n`);
  const git = async (...args: string[]) => {
    const { success, stderr } = await new Deno.Command("git", {
      args: ["-c", "user.name=t", "-c", "user.email=t@t", ...args],
      cwd: ws.path,
    }).output();
    assert.ok(success, new TextDecoder().decode(stderr));
  };
  await git("init", "-q");
  for (const message of messages) await git("commit", "-q", "--allow-empty", "-m", message);
}

/** A site that serves the texts of the corpus as pages, redirects and search results. */
function serveTexts(fill: (text: string) => string): AsyncDisposable & { origin: string } {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const url = new URL(request.url);
    const id = url.searchParams.get("q") ?? url.pathname.slice(1);
    const { hides, text } = CORPUS.find((each) => each.id === id)!;
    if (hides === "web redirect") {
      return new Response(null, { status: 302, headers: { location: fill("{{url}}/redirected") } });
    }
    if (hides === "search result") {
      return Response.json({ results: [{ title: "t", url: "https://a.example/", content: fill(text) }] });
    }
    return new Response(`<html><body><article>${fill(text)}</article></body></html>`, {
      headers: { "content-type": "text/html" },
    });
  });
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    async [Symbol.asyncDispose]() {
      await server.shutdown();
    },
  };
}

interface Server extends AsyncDisposable {
  readonly port: number;
  readonly connections: number;
}

/** A server that counts who comes. */
function listen(): Server {
  let connections = 0;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => {
    connections += 1;
    return new Response("hello\n");
  });
  return {
    port: server.addr.port,
    get connections() {
      return connections;
    },
    async [Symbol.asyncDispose]() {
      await server.shutdown();
    },
  };
}
