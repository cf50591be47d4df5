import { OtlpExporter } from "./otlp_exporter.ts";
import type { TelemetryAttributes, TelemetryMessage } from "./telemetry_message.ts";

/** The parts of the OpenTelemetry API that are used here (https://opentelemetry.io/docs/specs/otel/). */
interface Span {
  setAttributes(attributes: TelemetryAttributes): void;
  setStatus(status: { code: number; message?: string }): void;
  end(at?: number): void;
}
interface Instrument {
  add(value: number, attributes: TelemetryAttributes): void;
  record(value: number, attributes: TelemetryAttributes): void;
}
interface Meter {
  createCounter(name: string, options: { unit: string }): Instrument;
  createHistogram(name: string, options: { unit: string }): Instrument;
}
interface Providers {
  tracerProvider: {
    getTracer(name: string): {
      startSpan(
        name: string,
        options: { startTime: number; attributes: TelemetryAttributes; root?: boolean },
        context?: unknown,
      ): Span;
    };
  };
  meterProvider: { getMeter(name: string): Meter };
}

const ERROR = 2;
/** Under which the API keeps a context's span. */
const SPAN_KEY = Symbol.for("OpenTelemetry Context Key SPAN");

/**
 * The process that hands spans, metrics and logs to Deno's exporter, which is switched on by this process's own environment.
 * It is a process of its own so that the exporter, which also tells of every request that its process makes, sees none of
 * Lumina's. Ends with its input; what is still open then was cut off.
 */
export async function telemetryProcess(): Promise<void> {
  const exporter = Deno.build.standalone
    ? new OtlpExporter((name) => Deno.env.get(name))
    : new Exporter(Deno.telemetry as unknown as Providers);
  let held = "";
  for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (held + text).split("\n");
    held = lines.pop() ?? "";
    for (const line of lines) exporter.take(JSON.parse(line));
  }
  await exporter.close();
}

class Exporter {
  readonly #tracer: ReturnType<Providers["tracerProvider"]["getTracer"]>;
  readonly #meter: Meter;
  readonly #spans = new Map<string, Span>();
  readonly #instruments = new Map<string, Instrument>();

  constructor({ tracerProvider, meterProvider }: Providers) {
    this.#tracer = tracerProvider.getTracer("lumina");
    this.#meter = meterProvider.getMeter("lumina");
  }

  take(message: TelemetryMessage): void {
    if ("begin" in message) {
      const parent = message.parent === undefined ? undefined : this.#spans.get(message.parent);
      const { name, at: startTime, attributes } = message;
      const options = { startTime, attributes, ...(parent === undefined ? { root: true } : {}) };
      this.#spans.set(message.begin, this.#tracer.startSpan(name, options, contextOf(parent)));
    } else if ("end" in message) {
      const span = this.#spans.get(message.end);
      this.#spans.delete(message.end);
      span?.setAttributes(message.attributes);
      if (message.error !== undefined) span?.setStatus({ code: ERROR, message: message.error });
      span?.end(message.at);
    } else if ("count" in message) {
      const { count, unit, value, attributes } = message;
      this.#instrument(count, () => this.#meter.createCounter(count, { unit })).add(value, attributes);
    } else if ("record" in message) {
      const { record, unit, value, attributes } = message;
      this.#instrument(record, () => this.#meter.createHistogram(record, { unit })).record(value, attributes);
    } else {
      // deno-lint-ignore no-console -- the exporter takes what is printed as log records
      console.info(message.log);
    }
  }

  close(): void {
    for (const span of this.#spans.values()) {
      span.setStatus({ code: ERROR, message: "cut off" });
      span.end();
    }
  }

  #instrument(name: string, make: () => Instrument): Instrument {
    const made = this.#instruments.get(name) ?? make();
    this.#instruments.set(name, made);
    return made;
  }
}

/** A context that holds a span and nothing else. */
function contextOf(span: Span | undefined): unknown {
  const context = {
    getValue: (key: symbol) => key === SPAN_KEY ? span : undefined,
    setValue: () => context,
    deleteValue: () => context,
  };
  return context;
}
