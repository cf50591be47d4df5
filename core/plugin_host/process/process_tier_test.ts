import assert from "node:assert/strict";
import { emptyGrant, ServiceError } from "../../plugin_api/mod.ts";
import { testPack } from "./process_tier_testing.ts";

const ECHO = "return { content: JSON.stringify(input) };";

Deno.test("a tool of a pack answers, streams ahead of its result, tells of its progress and asks the host", async () => {
  const asked: unknown[] = [];
  await using pack = await testPack({
    echo: ECHO,
    stream: `for (const part of ["one ", "two "]) await context.write(part);
      context.progress("half"); return { content: "end", data: { parts: 2 } };`,
    ask: `const name = await context.services.config.get();
      try { await context.services.fs.read("/x"); } catch (error) { return { content: name.name + " " + error.code + ": " + error.message }; }`,
  }, {
    services: (pack, call_id, { service, method, params }) => {
      asked.push([pack.id, call_id, service, method, params]);
      if (service === "config") return Promise.resolve({ name: "sample" });
      return Promise.reject(new ServiceError("denied", "not that"));
    },
  });
  assert.deepEqual(await pack.call("echo", { input: { a: 1 } }), { content: '{"a":1}' });
  const progress: string[] = [];
  const streamed = await pack.call("stream", { progress: (text) => progress.push(text) });
  assert.deepEqual(streamed, { content: "one two end", data: { parts: 2 } });
  assert.deepEqual(progress, ["half"]);
  assert.equal((await pack.call("ask")).content, "sample denied: not that");
  assert.deepEqual(asked, [
    ["sample", "call-1", "config", "get", {}],
    ["sample", "call-1", "fs", "read", { path: "/x" }],
  ]);
  assert.equal(pack.tier.pids.length, 1);
});

Deno.test("of the environment a pack has the variables that it was granted, as far as there are any", async () => {
  const host: Record<string, string> = { EDITOR: "ed", TOKEN: "secret" };
  await using pack = await testPack({
    env:
      `const read = (name) => { try { return Deno.env.get(name) ?? "missing"; } catch (error) { return error.name; } };
      return { content: ["EDITOR", "PAGER", "TOKEN"].map(read).join(", ") };`,
  }, { variable: (name) => host[name] });
  const grant = { ...emptyGrant(), env: ["EDITOR", "PAGER"] };
  assert.equal((await pack.call("env", { grant })).content, "ed, missing, NotCapable");
  assert.equal((await pack.call("env")).content, "NotCapable, NotCapable, NotCapable");
});

Deno.test("a tool reaches the services that it names itself, not those of its pack's other tools", async () => {
  await using pack = await testPack({
    models: "return context.services.model.complete({ prompt: 'x' });",
    look: ECHO,
  }, {
    capabilities: { models: ["model", "ask"], look: ["session.read"] },
    services: (pack) => Promise.resolve({ content: pack.grant.join(", ") }),
  });
  assert.equal((await pack.call("models")).content, "model, ask");
});

Deno.test("a pack holds nothing that was not granted, and of what was granted only what is named", async () => {
  await using pack = await testPack({
    try: `const denied = [];
      const attempt = async (name, body) => { try { await body(); } catch (error) { denied.push(name + " " + error.name); } };
      await attempt("read", () => Deno.readTextFile("/etc/hostname"));
      await attempt("write", () => Deno.writeTextFile("x", "x"));
      await attempt("net", () => Deno.connect({ port: 9 }));
      await attempt("env", () => Deno.env.toObject());
      await attempt("run", () => new Deno.Command("/bin/true").output());
      await attempt("sys", () => Deno.hostname());
      await attempt("file import", () => import("file:///etc/hostname"));
      await attempt("npm import", () => import("npm:zod"));
      await attempt("remote import", () => import("https://127.0.0.1:9/x.js"));
      return { content: denied.join(", ") };`,
    read: "return { content: await Deno.readTextFile(input.path) };",
  });
  assert.equal(
    (await pack.call("try")).content,
    "read NotCapable, write NotCapable, net NotCapable, env NotCapable, run NotCapable, sys NotCapable, " +
      "file import TypeError, npm import TypeError, remote import TypeError",
  );
  const grant = { ...emptyGrant(), read: [pack.data_dir] };
  await Deno.writeTextFile(`${pack.data_dir}/in.txt`, "inside");
  const inside = await pack.call("read", { grant, input: { path: `${pack.data_dir}/in.txt` } });
  assert.equal(inside.content, "inside");
  assert.match((await pack.call("read", { grant, input: { path: "/etc/hostname" } })).content, /read access/);
});

Deno.test("a call that heeds its cancellation has the last word; one that does not loses its process within a second", async () => {
  await using pack = await testPack({
    wait: `context.progress("x");
      await new Promise((resolve) => context.signal.addEventListener("abort", resolve, { once: true }));
      return { content: "stopped: " + context.signal.reason.message, is_error: true };`,
    spin: 'context.progress("x"); await new Promise((resolve) => setTimeout(resolve, 50)); while (true);',
    echo: ECHO,
  });
  const first = new AbortController();
  const outcome = await pack.call("wait", {
    signal: first.signal,
    progress: () => first.abort(new Error("by hand")),
  });
  assert.deepEqual(outcome, { content: "stopped: by hand", is_error: true });
  const second = new AbortController();
  let aborted = 0;
  const spinning = pack.call("spin", {
    signal: second.signal,
    progress: () => {
      aborted = performance.now();
      second.abort(new Error("enough"));
    },
  });
  await assert.rejects(spinning, /enough/);
  assert.ok(performance.now() - aborted < 1_000);
  assert.equal((await pack.call("echo")).content, "{}");
  assert.equal(pack.crashes.length, 0);
});

Deno.test("a long stream waits for credit and arrives whole; calls run side by side", async () => {
  await using pack = await testPack({
    stream: `const line = "x".repeat(99) + "\\n"; for (let i = 0; i < 30_000; i++) await context.write(line);
      return { content: "" };`,
    echo: ECHO,
  });
  const [streamed, echoed] = await Promise.all([pack.call("stream"), pack.call("echo")]);
  assert.equal(streamed.content.length, 3_000_000);
  assert.equal(echoed.content, "{}");
});

Deno.test("an idle process ends by itself, and the next call has a new one", async () => {
  await using pack = await testPack({ pid: "return { content: String(Deno.pid) };" }, { idle_ms: 0 });
  const first = Number((await pack.call("pid")).content);
  await waitForEnd(first);
  const second = Number((await pack.call("pid")).content);
  assert.notEqual(first, second);
});

Deno.test("what a pack logs is kept apart from its messages", async () => {
  await using pack = await testPack({
    log:
      `console.log("for people"); console.info("\\x1b[31mred\\x1b]0;title\\x07"); return { content: "done" };`,
    crash: `setTimeout(() => { throw new Error("worker \\x1b[2Jgone"); }); await new Promise(() => {});`,
  });
  assert.equal((await pack.call("log")).content, "done");
  const { code, message } = await pack.failure("crash");
  assert.equal(code, "plugin.crashed");
  assert.match(message, /^Pack "sample": it has broken: .*worker gone$/);
  assert.match(pack.crashes[0]?.stderr ?? "", /for people\n.*red/);
  // deno-lint-ignore no-control-regex -- controls are what must not be there
  assert.doesNotMatch(pack.crashes[0]?.stderr ?? "", /[\x00-\x09\x0b-\x1f]/);
});

/** Resolves when a process is gone. */
async function waitForEnd(pid: number): Promise<void> {
  for (;;) {
    const { success } = await new Deno.Command("/bin/kill", { args: ["-0", String(pid)], stderr: "null" })
      .output();
    if (!success) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
