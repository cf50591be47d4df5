/** What the exporter's process is told, one JSON value a line. Times are milliseconds since 1970. */
export type TelemetryMessage =
  | { begin: string; parent?: string; name: string; at: number; attributes: TelemetryAttributes }
  | { end: string; at: number; attributes: TelemetryAttributes; error?: string }
  | { count: string; unit: string; value: number; attributes: TelemetryAttributes }
  | { record: string; unit: string; value: number; attributes: TelemetryAttributes }
  | { log: string };

export type TelemetryAttributes = Record<string, string | number | boolean>;

/** The first argument that makes this program the exporter's process. */
export const TELEMETRY_ARGUMENT = "__telemetry";
