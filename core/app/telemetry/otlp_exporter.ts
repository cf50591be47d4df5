import { systemWorld } from "../../base/mod.ts";
import type { TelemetryAttributes, TelemetryMessage } from "./telemetry_message.ts";

interface OpenSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: 1;
  startTimeUnixNano: string;
  attributes: unknown[];
}

/** How long a request may take, milliseconds. */
const REQUEST_MS = 3_000;
const DELTA = 1;
const INFO = 9;
const ERROR = 2;

/**
 * OTLP as JSON over HTTP (https://opentelemetry.io/docs/specs/otlp/#otlphttp): the exporter of the compiled program, whose
 * runtime decides when it is compiled whether its own is switched on. Sends everything when the run's process has ended.
 */
export class OtlpExporter {
  readonly #env: (name: string) => string | undefined;
  readonly #open = new Map<string, OpenSpan>();
  readonly #spans: unknown[] = [];
  readonly #metrics: unknown[] = [];
  readonly #logs: unknown[] = [];

  constructor(env: (name: string) => string | undefined) {
    this.#env = env;
  }

  take(message: TelemetryMessage): void {
    const now = nano(systemWorld.now());
    if ("begin" in message) {
      const parent = message.parent === undefined ? undefined : this.#open.get(message.parent);
      this.#open.set(message.begin, {
        traceId: parent?.traceId ?? hex(16),
        spanId: hex(8),
        ...(parent === undefined ? {} : { parentSpanId: parent.spanId }),
        name: message.name,
        kind: 1,
        startTimeUnixNano: nano(message.at),
        attributes: pairs(message.attributes),
      });
    } else if ("end" in message) {
      this.#end(message.end, nano(message.at), message.attributes, message.error);
    } else if ("count" in message) {
      const point = {
        attributes: pairs(message.attributes),
        startTimeUnixNano: now,
        timeUnixNano: now,
        asDouble: message.value,
      };
      const sum = { dataPoints: [point], aggregationTemporality: DELTA, isMonotonic: true };
      this.#metrics.push({ name: message.count, unit: message.unit, sum });
    } else if ("record" in message) {
      const { value } = message;
      const point = {
        attributes: pairs(message.attributes),
        startTimeUnixNano: now,
        timeUnixNano: now,
        count: "1",
        sum: value,
        bucketCounts: ["1"],
        explicitBounds: [],
        min: value,
        max: value,
      };
      const histogram = { dataPoints: [point], aggregationTemporality: DELTA };
      this.#metrics.push({ name: message.record, unit: message.unit, histogram });
    } else {
      this.#logs.push({
        timeUnixNano: now,
        severityNumber: INFO,
        severityText: "INFO",
        body: { stringValue: message.log },
      });
    }
  }

  /** Sends what there is; what was not ended was cut off. A receiver that does not take it loses it. */
  async close(): Promise<void> {
    for (const span of [...this.#open.keys()]) this.#end(span, nano(systemWorld.now()), {}, "cut off");
    const resource = { attributes: pairs({ "service.name": this.#env("OTEL_SERVICE_NAME") ?? "lumina" }) };
    const scope = { name: "lumina" };
    await Promise.all([
      this.#post("traces", this.#spans, {
        resourceSpans: [{ resource, scopeSpans: [{ scope, spans: this.#spans }] }],
      }),
      this.#post("metrics", this.#metrics, {
        resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics: this.#metrics }] }],
      }),
      this.#post("logs", this.#logs, {
        resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords: this.#logs }] }],
      }),
    ]);
  }

  #end(name: string, at: string, attributes: TelemetryAttributes, error?: string): void {
    const span = this.#open.get(name);
    if (span === undefined) return;
    this.#open.delete(name);
    this.#spans.push({
      ...span,
      endTimeUnixNano: at,
      attributes: [...span.attributes, ...pairs(attributes)],
      ...(error === undefined ? {} : { status: { code: ERROR, message: error } }),
    });
  }

  async #post(part: string, all: readonly unknown[], body: unknown): Promise<void> {
    if (all.length === 0) return;
    const base = this.#env("OTEL_EXPORTER_OTLP_ENDPOINT") ?? "http://localhost:4318";
    const headers = new Headers({ "content-type": "application/json" });
    for (const pair of (this.#env("OTEL_EXPORTER_OTLP_HEADERS") ?? "").split(",")) {
      const at = pair.indexOf("=");
      if (at > 0) headers.set(pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim()));
    }
    const signal = AbortSignal.timeout(REQUEST_MS);
    try {
      const url = `${base.replace(/\/+$/, "")}/v1/${part}`;
      const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body), signal });
      await answer.body?.cancel();
    } catch {
      // nobody is there to take it, and no run waits for that
    }
  }
}

function nano(ms: number): string {
  return (BigInt(Math.round(ms)) * 1_000_000n).toString();
}

function hex(bytes: number): string {
  return crypto.getRandomValues(new Uint8Array(bytes)).reduce(
    (text, byte) => text + byte.toString(16).padStart(2, "0"),
    "",
  );
}

function pairs(attributes: TelemetryAttributes): unknown[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === "string"
      ? { stringValue: value }
      : typeof value === "boolean"
      ? { boolValue: value }
      : { doubleValue: value },
  }));
}
