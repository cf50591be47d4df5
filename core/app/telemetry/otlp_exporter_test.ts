import assert from "node:assert/strict";
import { OtlpExporter } from "./otlp_exporter.ts";

Deno.test("spans keep their parents, what is open at the end was cut off, and headers and endpoint are those of the variables", async () => {
  const got: { path: string; key: string | null; body: string }[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const path = new URL(request.url).pathname;
    got.push({ path, key: request.headers.get("x-key"), body: await request.text() });
    return new Response("{}");
  });
  const env: Record<string, string> = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${server.addr.port}/`,
    OTEL_EXPORTER_OTLP_HEADERS: "x-key=a%20b",
  };
  const exporter = new OtlpExporter((name) => env[name]);
  exporter.take({ begin: "run", name: "lumina.run", at: 1, attributes: { a: "x" } });
  exporter.take({ begin: "tool", parent: "run", name: "lumina.tool", at: 2, attributes: {} });
  exporter.take({ end: "tool", at: 3, attributes: { failed: true }, error: "no" });
  exporter.take({ count: "lumina.runs", unit: "{run}", value: 1, attributes: {} });
  exporter.take({ record: "lumina.run.duration", unit: "s", value: 0.5, attributes: {} });
  exporter.take({ log: "ended" });
  await exporter.close();
  await server.shutdown();
  assert.deepEqual(got.map(({ path }) => path).sort(), ["/v1/logs", "/v1/metrics", "/v1/traces"]);
  assert.ok(got.every(({ key }) => key === "a b"));
  const traces = JSON.parse(got.find(({ path }) => path === "/v1/traces")!.body);
  const [tool, run] = traces.resourceSpans[0].scopeSpans[0].spans;
  assert.deepEqual([tool.name, tool.parentSpanId, tool.traceId], ["lumina.tool", run.spanId, run.traceId]);
  assert.deepEqual([tool.startTimeUnixNano, tool.status, run.status.message], [
    "2000000",
    { code: 2, message: "no" },
    "cut off",
  ]);
});
