import assert from "node:assert/strict";
import { AgentProject } from "../support/agent_project.ts";

interface Span {
  name: string;
  spanId: string;
  parentSpanId: string;
  attributes: { key: string; value: Record<string, unknown> }[];
}

/** A receiver of OTLP on loopback that keeps what it gets, by the last part of the path. */
function receiver() {
  const bodies: Record<string, string[]> = { traces: [], metrics: [], logs: [] };
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const part = new URL(request.url).pathname.split("/").at(-1) ?? "";
    (bodies[part] ??= []).push(await request.text());
    return new Response("{}", { headers: { "content-type": "application/json" } });
  });
  const spans = (): Span[] =>
    bodies["traces"]!.flatMap((body) =>
      // deno-lint-ignore no-explicit-any -- a public format, taken apart field by field
      JSON.parse(body).resourceSpans.flatMap((one: any) => one.scopeSpans.flatMap((each: any) => each.spans))
    );
  return { bodies, spans, url: `http://127.0.0.1:${server.addr.port}`, close: () => server.shutdown() };
}

const CANARY = "canary-of-content";

Deno.test("telemetry: a run's spans, metrics and logs go to telemetry_endpoint, with content only where telemetry_content says so", async () => {
  for (const content of [false, true]) {
    const otlp = receiver();
    await using project = await AgentProject.open({
      turns: [
        {
          text: CANARY,
          tool_calls: [{ name: "Write", input: { file_path: `${CANARY}.txt`, content: CANARY } }],
        },
        { text: `done ${CANARY}` },
      ],
    });
    const run = await project.run(["-p", `say ${CANARY}`, "--permission-mode", "accept-edits"], {
      settings: {
        TELEMETRY: "true",
        TELEMETRY_ENDPOINT: otlp.url,
        TELEMETRY_CONTENT: String(content),
      },
      env: { OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" },
    });
    await otlp.close();
    assert.equal(run.code, 0, run.stderr);
    assert.equal(run.stderr, "");
    const spans = otlp.spans();
    const names = spans.map(({ name }) => name).sort();
    assert.deepEqual(names, [
      "lumina.model",
      "lumina.model",
      "lumina.run",
      "lumina.step",
      "lumina.step",
      "lumina.tool",
    ]);
    const root = spans.find(({ name }) => name === "lumina.run");
    assert.ok(root !== undefined);
    for (const step of spans.filter(({ name }) => name === "lumina.step")) {
      assert.equal(step.parentSpanId, root.spanId);
    }
    const everything = JSON.stringify(otlp.bodies);
    assert.equal(everything.includes(CANARY), content, "content is told where it is wanted, and only there");
    for (const name of ["lumina.tokens", "lumina.run.duration", "lumina.tool.duration", "lumina.runs"]) {
      assert.ok(otlp.bodies["metrics"]!.join("").includes(name), name);
    }
    assert.match(otlp.bodies["logs"]!.join(""), /run run-[^ ]+ ended: success/);
    assert.ok(!everything.includes("sk-scripted") && !everything.includes(project.provider.url));
    for (const { headers } of project.provider.requests) assert.equal(headers["traceparent"], undefined);
  }
});

Deno.test("telemetry is off by default, and an endpoint that nobody serves troubles no run", async () => {
  const otlp = receiver();
  const { url } = otlp;
  await using project = await AgentProject.open({ turns: [{ text: "one" }, { text: "two" }] });
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" };
  assert.equal((await project.run(["-p", "hi"], { env })).stdout, "one\n");
  await otlp.close();
  assert.deepEqual(otlp.bodies, { traces: [], metrics: [], logs: [] });
  const run = await project.run(["-p", "hi"], { env, settings: { TELEMETRY: "true" } });
  assert.deepEqual([run.code, run.stdout], [0, "two\n"]);
});
