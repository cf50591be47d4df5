import type { TelemetrySender } from "../../telemetry/telemetry_sender.ts";

/** The telemetry of one session: one exporter for all of its agents. */
export interface SessionTelemetry {
  at: Promise<Telemetry>;
  /** The span of the session's own run that goes on. */
  run?: string;
}

/** The exporter, and what makes spans for it; loaded by the first run. */
export interface Telemetry {
  sender: TelemetrySender;
  spans: typeof import("./run_spans.ts").runSpans;
}
