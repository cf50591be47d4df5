import assert from "node:assert/strict";
import { emptyGrant, RPC_VERSION } from "../../plugin_api/mod.ts";
import { testPack } from "./process_tier_testing.ts";

const ECHO = "return { content: JSON.stringify(input) };";
const MIB = 1024 * 1024;
const linux = Deno.build.os === "linux";

Deno.test("a module that throws, is no JavaScript or lacks a tool disables the pack in one line", async () => {
  const modules: [string, RegExp][] = [
    ['throw new Error("no\\nluck")', /^Pack "sample": it cannot be loaded: no luck$/],
    ["this is no JavaScript", /^Pack "sample": it cannot be loaded: .{1,200}$/],
    ["export const tools = {}", /^Pack "sample": it cannot be loaded: its default export has no tools$/],
    ["Deno.exit(3)", /^Pack "sample": it cannot be loaded: it called Deno\.exit$/],
    [
      'setTimeout(() => { throw new Error("late") }); await new Promise(() => {})',
      /cannot be loaded: .*late$/,
    ],
  ];
  for (const [source, expected] of modules) {
    await using pack = await testPack(source);
    const { code, message } = await pack.failure("any");
    assert.equal(code, "plugin.load");
    assert.match(message, expected);
    const again = await pack.failure("any");
    assert.equal(again.code, "plugin.disabled");
    assert.match(again.message, /^Pack "sample" is disabled for this session: it cannot be loaded: /);
    assert.equal(pack.crashes.length, 1);
    assert.ok(pack.crashes[0]?.disabled !== undefined);
  }
});

Deno.test("a pack that never says hello is given up and disabled", async () => {
  await using pack = await testPack("await new Promise(() => {}); export default {}", { hello_ms: 1_000 });
  const { code, message } = await pack.failure("any");
  assert.equal(code, "plugin.load");
  assert.equal(message, 'Pack "sample": it was not loaded within 1 s');
  assert.equal((await pack.failure("any")).code, "plugin.disabled");
});

Deno.test("bytes that are not what was approved are not run", async () => {
  await using pack = await testPack({ echo: ECHO }, { files: { "mod.js": "0".repeat(64) } });
  const { code, message } = await pack.failure("echo");
  assert.equal(code, "plugin.load");
  assert.match(message, /its module is not what was approved$/);
});

Deno.test("a call that is never answered ends at its limit; at the fifth time the pack is disabled", async () => {
  await using pack = await testPack({ never: "while (true);" });
  for (let time = 1; time <= 5; time++) {
    const { code, message } = await pack.failure("never", { timeout_ms: 100 });
    assert.equal(code, "plugin.timeout");
    assert.equal(message, 'Pack "sample": never did not end within 0.1 s');
    assert.equal(pack.crashes.length, time);
  }
  const { code, message } = await pack.failure("never");
  assert.equal(code, "plugin.disabled");
  assert.match(message, /it has failed 5 times/);
});

Deno.test("a result of the wrong shape, a forged message, garbage and another RPC version are one line each", async () => {
  const cases: [string, string, RegExp][] = [
    ["return 5;", "plugin.protocol", /it sent a result that is no object$/],
    ["return { content: 5 };", "plugin.protocol", /it sent a result whose content is no text$/],
    ["return { content: '', data: [] };", "plugin.protocol", /it sent a result whose data is no object$/],
    ["raw({ type: 'nonsense' }); await new Promise(() => {});", "plugin.protocol", /of an unknown type$/],
    [
      "raw({ type: 'chunk', id: '1', text: '' }); await new Promise(() => {});",
      "plugin.protocol",
      /id is no number$/,
    ],
    [
      "raw('{\"type\":'); await new Promise(() => {});",
      "plugin.protocol",
      /it sent a message that is not JSON$/,
    ],
    [
      "raw('['.repeat(1e6)); await new Promise(() => {});",
      "plugin.protocol",
      /lists and objects more than 64 deep$/,
    ],
    [
      "raw('[' + '[],'.repeat(1e6)); await new Promise(() => {});",
      "plugin.protocol",
      /more than 200000 values/,
    ],
    [
      "await Deno.stdout.write(new TextEncoder().encode('Hello world')); await new Promise(() => {});",
      "plugin.protocol",
      /it wrote text to standard output/,
    ],
    [
      "await Deno.stdout.write(new Uint8Array([255, 0, 0, 0, 0])); await new Promise(() => {});",
      "plugin.quota",
      /a message of 4278190080 bytes, at most 16777216 are taken$/,
    ],
    [
      "raw({ type: 'hello', version: 3, api: 1 }); await new Promise(() => {});",
      "plugin.version",
      new RegExp(`it speaks RPC 3 and API 1, this program ${RPC_VERSION} and 1`),
    ],
  ];
  for (const [body, code, line] of cases) {
    await using pack = await testPack({ bad: body });
    const failed = await pack.failure("bad");
    assert.equal(failed.code, code, failed.message);
    assert.match(failed.message, /^Pack "sample": [^\n]*$/);
    assert.match(failed.message, line);
    assert.equal((await pack.failure("bad")).code, "plugin.disabled");
  }
});

Deno.test("what cannot be sent is an error result, and a key __proto__ changes nothing", async () => {
  await using pack = await testPack({
    big: "return { content: '', data: { big: 1n } };",
    fun: "return { content: '', data: { fun() {} } };",
    proto:
      `return { content: "", data: JSON.parse('{"__proto__":{"is_error":true},"inner":{"__proto__":{"x":1},"y":2}}') };`,
  });
  assert.match((await pack.call("big")).content, /^The result is no JSON: /);
  assert.match((await pack.call("fun")).content, /^The result of fun cannot be sent: /);
  const outcome = await pack.call("proto");
  assert.deepEqual(outcome, { content: "", data: { inner: { y: 2 } } });
  assert.deepEqual(Object.keys(outcome.data?.["inner"] ?? {}), ["y"]);
  assert.equal(({} as Record<string, unknown>)["x"], undefined);
});

Deno.test("floods of messages, progress, results, requests and standard error leave the host as it was", async () => {
  const flood = (message: string) => `for (;;) raw(${message});`;
  const cases: [string, string, string | undefined][] = [
    ["plain messages", flood("{ type: 'closed' }"), "flood"],
    ["large plain messages", flood("{ type: 'closed', more: 'x'.repeat(1e7) }"), "flood"],
    [
      "messages of no call",
      flood("{ type: 'outcome', id: 99, outcome: { content: 'x'.repeat(3e6) } }"),
      "flood",
    ],
    ["progress", flood("{ type: 'progress', id: 1, text: 'x'.repeat(1e6) }"), "flood"],
    ["chunks without credit", flood("{ type: 'chunk', id: 1, text: 'x'.repeat(2e6) }"), "flood"],
    ["chunks", "for (;;) await context.write('x'.repeat(1e5));", "result_bytes"],
    ["a result", "return { content: 'x'.repeat(5e6) };", "result_bytes"],
    ["a message", "return { content: 'x'.repeat(20e6) };", "frame_bytes"],
    [
      "requests",
      "for (;;) await context.services.config.get().catch(() => {});",
      "service_requests_per_call",
    ],
    [
      "requests at once",
      "for (let i = 0; i < 1e4; i++) context.services.config.get().catch(() => {}); await new Promise(() => {});",
      undefined,
    ],
    [
      "progress by the book",
      "for (let i = 0; i < 1e5; i++) context.progress('x'.repeat(100)); return { content: 'ok' };",
      "",
    ],
    [
      "standard error",
      "for (let i = 0; i < 100; i++) console.log('x'.repeat(1e5)); return { content: 'ok' };",
      "",
    ],
  ];
  const before = Deno.memoryUsage().rss;
  let most = 0;
  const timer = setInterval(() => most = Math.max(most, Deno.memoryUsage().rss), 10);
  try {
    for (const [name, body, quota] of cases) {
      await using pack = await testPack({ flood: body }, { own_limits: { rss_mib: 300 } });
      if (quota === "") {
        assert.equal((await pack.call("flood")).content, "ok", name);
        continue;
      }
      const { code, message } = await pack.failure("flood");
      assert.equal(code, "plugin.quota", `${name}: ${message}`);
      assert.match(message, /^Pack "sample": [^\n]+$/);
      assert.equal(pack.trips.length, 1);
      const { call_id, pack: id } = pack.trips[0] ?? {};
      assert.deepEqual({ call_id, id }, { call_id: "call-1", id: "sample" });
      if (quota !== undefined) assert.equal(pack.trips[0]?.quota, quota, name);
    }
  } finally {
    clearInterval(timer);
  }
  assert.ok(most - before < 250 * MIB, `the host grew by ${Math.round((most - before) / MIB)} MiB`);
});

Deno.test({
  name: "a pack that eats memory, burns processor time or forks is ended with its whole group",
  ignore: !linux,
  async fn() {
    const cases: [string, string, object, string][] = [
      ["memory", "const all = []; for (;;) { all.push(new Uint8Array(8e6).fill(1)); await 0; }", {
        rss_mib: 300,
      }, "rss_mib"],
      ["time", "for (;;);", { cpu_seconds_per_call: 1 }, "cpu_seconds_per_call"],
      [
        "forks",
        `const make = () => new Deno.Command("/bin/sleep", { args: ["1000.25"], detached: true, stdin: "null", stdout: "null" }).spawn();
         for (let i = 0; i < 12; i++) make(); await new Promise(() => {});`,
        { processes: 8 },
        "processes",
      ],
    ];
    for (const [name, body, own_limits, quota] of cases) {
      await using pack = await testPack({ eat: body }, { own_limits });
      const grant = { ...emptyGrant(), run: name === "forks" ? ["/bin/sleep"] : [] };
      const { code, message } = await pack.failure("eat", { grant });
      assert.equal(code, "plugin.quota", `${name}: ${message}`);
      assert.match(message, /^Pack "sample": it (used|had) \d+ /);
      assert.equal(pack.trips[0]?.quota, quota);
    }
    const left = await new Deno.Command("/bin/sh", {
      args: ["-c", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '"],
    }).output();
    assert.doesNotMatch(new TextDecoder().decode(left.stdout), /sleep 1000\.25/);
  },
});

Deno.test({
  name: "a pack that goes on burning processor time after its call is ended",
  ignore: !linux,
  async fn() {
    const tripped = Promise.withResolvers<string>();
    await using pack = await testPack({
      linger: "setTimeout(() => { for (;;); }); return { content: 'done' };",
    }, { own_limits: { cpu_seconds_per_call: 1 }, onQuota: ({ quota }) => tripped.resolve(quota) });
    assert.equal((await pack.call("linger")).content, "done");
    assert.equal(await tripped.promise, "cpu_seconds_per_call");
  },
});

Deno.test("a pack that exits, kills itself or closes its pipes has crashed, and the next call has a new process", async () => {
  const cases = [
    "Deno.exit(7);",
    // some versions of Deno refuse it, then the call has its time limit
    "try { Deno.kill(Deno.pid, 'SIGKILL'); } catch { /* denied */ } await new Promise(() => {});",
    "Deno.stdin.close(); Deno.stdout.close(); await new Promise(() => {});",
  ];
  for (const body of cases) {
    await using pack = await testPack({ end: body, echo: ECHO });
    const { code, message } = await pack.failure("end", { timeout_ms: 1_500 });
    assert.ok(["plugin.crashed", "plugin.timeout"].includes(code), message);
    assert.match(message, /^Pack "sample": [^\n]+$/);
    assert.equal((await pack.call("echo")).content, "{}");
  }
});

Deno.test("calls of one run are counted, and those beyond the limit are refused with one record", async () => {
  await using pack = await testPack({ echo: ECHO }, { own_limits: { calls_per_run: 1 } });
  await pack.call("echo");
  assert.equal(
    (await pack.failure("echo")).message,
    'Pack "sample": its tools have been called 1 times in this run',
  );
  assert.equal((await pack.failure("echo")).code, "plugin.quota");
  assert.deepEqual(pack.trips.map(({ quota }) => quota), ["calls_per_run"]);
  pack.tier.startRun();
  assert.equal((await pack.call("echo")).content, "{}");
});
