import * as z from "zod";
import { key } from "./setting_definition.ts";
import { baseUrl } from "./setting_schemas.ts";

export const TELEMETRY_SETTINGS = {
  telemetry: key({
    schema: () => z.boolean(),
    default: false,
    kind: "boolean",
    must: "true or false",
    description:
      "Export traces, metrics and logs of runs by OpenTelemetry (OTLP over HTTP), from a process beside this one. The variables `OTEL_*` hold, such as `OTEL_EXPORTER_OTLP_HEADERS`. Not in locked runs.",
    project: "no",
  }),
  telemetry_endpoint: key({
    schema: baseUrl,
    default: "",
    kind: "text",
    must: "an http or https URL",
    description:
      "Where telemetry goes; the parts of OTLP (`/v1/traces` and so on) are added. Empty: `OTEL_EXPORTER_OTLP_ENDPOINT`, else http://localhost:4318.",
    project: "no",
  }),
  telemetry_content: key({
    schema: () => z.boolean(),
    default: false,
    kind: "boolean",
    must: "true or false",
    description:
      "Export prompts, answers, and the inputs and results of tools too, the first 4,000 characters of each.",
    project: "no",
  }),
};
