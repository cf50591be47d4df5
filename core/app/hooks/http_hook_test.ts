import assert from "node:assert/strict";
import type { HookInput } from "../../types/mod.ts";
import { systemNetwork } from "../net/guarded_fetch.ts";
import { runHttpHook } from "./http_hook.ts";

const INPUT: HookInput = {
  session_id: "s",
  transcript_path: "/t",
  cwd: "/w",
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
};
const scope = {
  network: () => Promise.resolve(systemNetwork()),
  private_allowed: true,
  variable: (name: string) => ({ TOKEN: "t0ken", OTHER: "secret" })[name],
};

Deno.test("an address gets the JSON and allowed variables alone, and its answer is the output", async () => {
  const seen: { body: unknown; auth: string | null; other: string | null }[] = [];
  const answers = [
    new Response('{"decision":"block","reason":"no"}'),
    new Response(""),
    new Response("plain"),
    new Response("{", { status: 200 }),
    new Response("x", { status: 500 }),
  ];
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    seen.push({
      body: await request.json(),
      auth: request.headers.get("authorization"),
      other: request.headers.get("x-other"),
    });
    return answers[seen.length - 1] ?? new Response("none left");
  });
  const hook = {
    type: "http" as const,
    url: `http://127.0.0.1:${server.addr.port}/hook`,
    headers: { Authorization: "Bearer ${TOKEN}", "X-Other": "[$OTHER]" },
    allowed_env: ["TOKEN"],
  };
  const signal = new AbortController().signal;
  const replies = [];
  for (const _ of answers) replies.push(await runHttpHook(hook, INPUT, scope, signal));
  assert.deepEqual(seen[0], { body: INPUT, auth: "Bearer t0ken", other: "[]" });
  assert.deepEqual(replies.map(({ kind }) => kind), ["json", "none", "text", "error", "error"]);
  assert.deepEqual(replies[4], { kind: "error", message: "was answered with status 500" });

  const closed = await runHttpHook(hook, INPUT, { ...scope, private_allowed: false }, signal);
  assert.match(
    JSON.stringify(closed),
    /no public address/,
    "a repository's hook reaches nothing on this machine",
  );
  assert.equal(seen.length, 5);
});

Deno.test("an address that does not answer is an error, an abort the signal's reason", async () => {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const url = `http://127.0.0.1:${listener.addr.port}/`;
  const hook = { type: "http" as const, url, headers: {}, allowed_env: [] };
  const abort = new AbortController();
  const running = runHttpHook(hook, INPUT, scope, abort.signal);
  const connection = await listener.accept();
  const reason = new Error("over");
  abort.abort(reason);
  await assert.rejects(running, (error) => error === reason);
  connection.close();
  listener.close();
  const gone = await runHttpHook(hook, INPUT, scope, new AbortController().signal);
  assert.match(JSON.stringify(gone), /"error","message":"cannot be reached: /);
});
