import assert from "node:assert/strict";
import { join } from "node:path";
import { emptyGrant } from "../../core/plugin_api/mod.ts";
import { testPack } from "../../core/plugin_host/process/process_tier_testing.ts";
import type { ProcessTierOptions } from "../../core/plugin_host/process/mod.ts";
import { RUN_FLAGS } from "../../scripts/run_flags.ts";
import { compiledProgram } from "../support/compiled_program.ts";
import { findDenort } from "../support/denort.ts";
import { REPO_ROOT } from "../support/repo_root.ts";
import { onlyWhere } from "../support/skip.ts";
import { tempDir } from "../support/temp_dir.ts";
import { TextLineStream } from "../support/text_line_stream.ts";

const denort = await findDenort();
const linux = Deno.build.os === "linux";

/** What a pack's process is: this Deno with the sources, or the compiled file. */
const FORMS: { form: string; skip?: string; program?: () => Promise<string> }[] = [
  { form: "deno run" },
  "skip" in denort
    ? { form: "the compiled file", skip: denort.skip }
    : { form: "the compiled file", program: () => compiledProgram(denort.env) },
];

const ECHO = "return { content: JSON.stringify(input) };";

/** Everything a pack may try to read what it was not given; each must fail. */
const READS = `
  const got = [];
  const code = "import(" + JSON.stringify(input.json) + ", { with: { type: 'json' } }).then((m) => JSON.stringify(m.default))";
  const inWorker = (url) => new Promise((resolve, reject) => {
    const worker = new Worker(url, { type: "module" });
    worker.onmessage = ({ data }) => data === undefined ? reject(new Error("nothing")) : resolve(data);
    worker.onerror = (event) => { event.preventDefault(); reject(new Error(event.message)); };
  });
  const attempt = async (name, body) => {
    try { const value = await body(); if (value !== undefined) got.push(name + ": " + value); } catch { /* denied */ }
  };
  await attempt("read", () => Deno.readTextFile(input.text));
  await attempt("node:fs", async () => (await import("node:fs")).readFileSync(input.text, "utf8"));
  await attempt("builtin", () => process.getBuiltinModule("fs").readFileSync(input.text, "utf8"));
  await attempt("require", async () => JSON.stringify((await import("node:module")).createRequire(input.json)(input.json)));
  await attempt("json", () => eval(code));
  await attempt("module", async () => (await import(input.module)).default);
  await attempt("text", async () => (await import(input.text, { with: { type: "text" } })).default);
  await attempt("script", async () => new (await import("node:vm")).Script(code, { filename: input.module }).runInThisContext());
  await attempt("callback", () => Promise.resolve(code).then(eval));
  await attempt("data", async () => (await import("data:text/javascript," + encodeURIComponent("export default await " + code))).default);
  await attempt("static", async () => (await import("data:text/javascript," + encodeURIComponent(
    "import value from " + JSON.stringify(input.json) + " with { type: 'json' }; export default JSON.stringify(value)"))).default);
  await attempt("worker", () => inWorker("data:text/javascript," + encodeURIComponent(code + ".then(postMessage, () => postMessage())")));
  await attempt("file worker", () => inWorker(input.module));
  await attempt("link", () => Deno.readTextFile("/proc/self/environ"));
  await attempt("environment", () => { const all = JSON.stringify(Deno.env.toObject()); return all === "{}" ? undefined : all; });
  return { content: got.join("\\n") };`;

for (const { form, skip, program } of FORMS) {
  const name = (claim: string) =>
    onlyWhere(`${form}: ${claim}`, skip === undefined && linux, skip ?? "needs Linux");
  const options = async (): Promise<ProcessTierOptions> =>
    program === undefined ? {} : { command: { program: await program(), args: ["__plugin"] } };

  Deno.test(name("a pack answers, streams and is cancelled"), async () => {
    await using pack = await testPack({
      echo: ECHO,
      stream: "for (let i = 0; i < 20; i++) await context.write('x'.repeat(1e5)); return { content: '.' };",
      spin: "context.progress('x'); await new Promise((go) => setTimeout(go, 50)); while (true);",
    }, await options());
    assert.equal((await pack.call("echo", { input: { a: "ü" } })).content, '{"a":"ü"}');
    assert.equal((await pack.call("stream")).content.length, 2_000_001);
    const abort = new AbortController();
    const spinning = pack.call("spin", {
      signal: abort.signal,
      progress: () => abort.abort(new Error("enough")),
    });
    await assert.rejects(spinning, /enough/);
    assert.equal((await pack.call("echo")).content, "{}");
  });

  Deno.test(name("nothing on disk can be read by any way, by importing it neither"), async () => {
    await using dir = await tempDir();
    const text = await dir.write("canary.txt", "canary-text");
    const json = await dir.write("canary.json", '{"canary":"json"}');
    const module = await dir.write("canary.mjs", 'postMessage?.("ran"); export default "canary-module";');
    await using pack = await testPack({ read: READS }, await options());
    const url = (path: string) => `file://${path}`;
    const outcome = await pack.call("read", { input: { text, json: url(json), module: url(module) } });
    assert.deepEqual(outcome, { content: "" });
  });

  Deno.test(name("the environment of the host is not the pack's, whatever it was granted"), async () => {
    Deno.env.set("LUMINA_TEST_CANARY", "canary-environment");
    try {
      await using pack = await testPack({
        env: "return { content: String(Deno.env.get('LUMINA_TEST_CANARY')) + Deno.env.get('HOME') };",
      }, await options());
      const grant = { ...emptyGrant(), env: ["LUMINA_TEST_CANARY", "HOME"] };
      assert.equal((await pack.call("env", { grant })).content, "undefinedundefined");
      const [pid] = pack.tier.pids;
      const environment = await new Deno.Command("/bin/cat", { args: [`/proc/${pid}/environ`] }).output();
      assert.equal(new TextDecoder().decode(environment.stdout), "");
    } finally {
      Deno.env.delete("LUMINA_TEST_CANARY");
    }
  });

  Deno.test(name("a pack that eats memory is ended, and the host is not"), async () => {
    await using pack = await testPack({
      eat: "const all = []; for (;;) { all.push(new Uint8Array(8e6).fill(1)); await 0; }",
    }, { ...await options(), own_limits: { rss_mib: 350 } });
    assert.equal((await pack.failure("eat")).code, "plugin.quota");
    assert.equal(pack.trips[0]?.quota, "rss_mib");
  });

  const children =
    `const child = new Deno.Command("/bin/sleep", { args: ["1000"], stdin: "null", stdout: "null",
    stderr: "null" }).spawn(); context.progress(Deno.pid + " " + child.pid);`;
  const alone = "context.progress(String(Deno.pid));";
  const cases = [
    ["waits", `${children} await new Promise(() => {});`],
    ["spins", `${children} await new Promise((go) => setTimeout(go, 100)); for (;;);`],
    [
      "floods its own process",
      `${alone} await new Promise((go) => setTimeout(go, 100)); for (;;) postMessage({});`,
    ],
  ];
  for (const [what, body = ""] of cases) {
    Deno.test(
      name(`a host that is killed takes a pack along that ${what}, and the pack's children`),
      async () => {
        const command = program === undefined ? [] : [await program()];
        const script = join(REPO_ROOT, "tests/e2e/plugin_process_host.ts");
        const config = ["--config", join(REPO_ROOT, "deno.json")];
        const host = new Deno.Command(Deno.execPath(), {
          args: ["run", "--quiet", "--no-check", ...config, ...RUN_FLAGS, script, body, ...command],
          stdin: "null",
          stdout: "piped",
        }).spawn();
        const lines = host.stdout.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream())
          .getReader();
        try {
          const data_dir = (await lines.read()).value ?? "";
          const pids = ((await lines.read()).value ?? "").split(" ").map(Number);
          assert.ok(pids.length > 0 && pids.every((pid) => pid > 1));
          host.kill("SIGKILL");
          await host.status;
          for (const pid of pids) await waitForEnd(pid);
          await Deno.remove(data_dir, { recursive: true });
        } finally {
          await lines.cancel();
        }
      },
    );
  }
}

/** Resolves when a process is gone. */
async function waitForEnd(pid: number): Promise<void> {
  for (;;) {
    const { success } = await new Deno.Command("/bin/kill", { args: ["-0", String(pid)], stderr: "null" })
      .output();
    if (!success) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
