import assert from "node:assert/strict";
import { SearxngService } from "../../core/app/services/searxng_service.ts";
import { systemWorld } from "../../core/base/mod.ts";
import { fakeDocker } from "../support/fake_docker.ts";
import { runCalls, succeeded } from "../support/run_calls.ts";
import { runLumina } from "../support/run_lumina.ts";
import { tempDir } from "../support/temp_dir.ts";

const PATH = Deno.env.get("PATH") ?? "";

Deno.test("lumina services searxng: start waits until it answers, WebSearch uses it, a second start keeps it, stop ends it", async () => {
  await using dir = await tempDir();
  await using root = await tempDir();
  await using workspace = await tempDir();
  const env = { PATH: `${await fakeDocker(dir)}:${PATH}` };
  const lumina = async (...args: string[]) => {
    const { code, stdout, stderr } = await runLumina(["services", "searxng", ...args], {
      app_root: root.path,
      cwd: workspace.path,
      env,
    });
    return { code, stderr, stdout, json: args.includes("--json") ? JSON.parse(stdout) : undefined };
  };
  assert.deepEqual((await lumina("status", "--json")).json, { state: "stopped" });

  const started = await lumina("start", "--json");
  assert.equal(started.code, 0, started.stderr);
  const { state, url, container, program } = started.json;
  assert.deepEqual({ state, container, program }, {
    state: "running",
    container: "0123456789ab",
    program: dir.join("bin/docker"),
  });
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
  const config = root.join("state/services/searxng/config");
  const settings = await Deno.readTextFile(`${config}/settings.yml`);
  assert.match(settings, /secret_key: "[0-9a-f]{64}"/);
  assert.match(settings, /limiter: false[\s\S]*- json/);
  assert.equal((await Deno.stat(root.join("state/services/searxng"))).mode! & 0o777, 0o700);
  const run = (await dir.read("calls")).split("\n").find((line) => line.startsWith("run "));
  assert.ok(run?.includes(`--publish 127.0.0.1:${new URL(url).port}:8080`), run);

  assert.equal((await lumina("start")).stdout, `SearXNG answers at ${url}\n`);
  assert.equal((await dir.read("calls")).split("\n").filter((line) => line.startsWith("run ")).length, 1);

  const { results } = await runCalls(workspace.path, [["WebSearch", { query: "deno", num_results: 3 }]], {
    app_root: root.path,
    args: ["--allowed-tools", "WebSearch"],
  });
  const answer = JSON.parse(succeeded(results[0]));
  assert.deepEqual(
    [answer.provider, answer.base_url, answer.results[0].title, answer.answers, answer.suggestions],
    ["searxng", url, "About deno", ["42"], ["more"]],
  );

  const stopped = await lumina("stop");
  assert.deepEqual([stopped.code, stopped.stdout], [0, "SearXNG is stopped\n"], stopped.stderr);
  assert.equal((await lumina("status")).stdout, "SearXNG is not running (lumina services searxng start)\n");
  assert.equal((await lumina("stop")).stdout, "SearXNG was not running\n");
});

Deno.test("without docker and podman a start says what is missing and what to set instead, exit 3", async () => {
  await using dir = await tempDir();
  const { code, stdout, stderr } = await runLumina(["services", "searxng", "start", "--json"], {
    cwd: dir.path,
    env: { PATH: dir.path },
  });
  assert.deepEqual([code, stdout], [3, ""]);
  assert.match(stderr, /^lumina: .*neither docker nor podman is on the PATH.*web_search_base_url[^\n]*\n$/);
});

Deno.test("a container that cannot start, ends or stays silent is an error in one line, and nothing of it is left", async () => {
  await using dir = await tempDir();
  await using root = await tempDir();
  const path = `${await fakeDocker(dir)}:${PATH}`;
  const service = new SearxngService({
    state_dir: root.path,
    world: systemWorld,
    path,
    workspace: root.path,
  });
  const starting = (image: string, timeout_ms: number, signal = new AbortController().signal) =>
    service.startSearxng({ image, timeout_ms, signal });
  await assert.rejects(starting("broken", 60_000), /cannot start SearXNG: Unable to find image/);
  await assert.rejects(
    starting("ending", 60_000),
    /SearXNG has ended; its last line: this image cannot run here/,
  );
  await assert.rejects(starting("silent", 1), /SearXNG did not answer within 0\.001 s/);
  assert.deepEqual(await service.searxngStatus(), { state: "stopped" });
  const interrupt = new AbortController();
  interrupt.abort(new Error("interrupted"));
  await assert.rejects(starting("silent", 60_000, interrupt.signal), /interrupted/);
  assert.equal(await service.stopSearxng(), false);
  const calls = (await dir.read("calls")).split("\n");
  const count = (word: string) => calls.filter((line) => line.startsWith(word)).length;
  assert.equal(count("rm -f 0123456789ab"), 2, "the one that ended and the silent one");
});
