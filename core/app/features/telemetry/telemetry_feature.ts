import type { StageParticipant } from "../../../agent/mod.ts";
import type { FeatureScope, SessionFeature } from "../session_feature.ts";
import type { Telemetry } from "./session_telemetry.ts";

/** Spans, metrics and logs of runs, where the settings want them. */
export function telemetryFeature(
  { depth, parts, shared, tell }: FeatureScope,
): SessionFeature | undefined {
  const { telemetry, telemetry_endpoint, telemetry_content } = parts.watch.current.settings;
  // a locked run reaches nothing that it has not named
  if (!telemetry || parts.lockdown !== undefined) return undefined;
  const begun = async (): Promise<Telemetry> => {
    const [{ TelemetrySender }, { runSpans }] = await Promise.all([
      import("../../telemetry/telemetry_sender.ts"),
      import("./run_spans.ts"),
    ]);
    const own = Object.entries(parts.env.toObject()).filter(([name]) => name.startsWith("OTEL_"));
    const warn = (text: string) => tell({ type: "warning", text });
    const sender = new TelemetrySender(telemetry_endpoint, Object.fromEntries(own), parts.world, warn);
    return { sender, spans: runSpans };
  };
  let spans: Promise<StageParticipant["at"]> | undefined;
  const at = () =>
    spans ??= (async () => {
      shared.telemetry ??= { at: begun() };
      const session = shared.telemetry;
      const { sender, spans } = await session.at;
      return spans({
        send: (message) => sender.send(message),
        content: telemetry_content,
        depth,
        parent: () => depth === 0 ? undefined : session.run,
        begun: (span) => {
          if (depth === 0) session.run = span;
        },
      });
    })();
  return {
    participant: {
      name: "telemetry",
      at: {
        prompt: async (moment, run) => await (await at()).prompt?.(moment, run),
        context: async (moment, run) => await (await at()).context?.(moment, run),
        before_model: async (moment, run) => await (await at()).before_model?.(moment, run),
        after_model: async (moment, run) => await (await at()).after_model?.(moment, run),
        before_tool: async (moment, run) => await (await at()).before_tool?.(moment, run),
        after_tool: async (moment, run) => await (await at()).after_tool?.(moment, run),
        end: async (moment, run) => await (await at()).end?.(moment, run),
      },
    },
    close: async () => {
      if (depth === 0) await (await shared.telemetry?.at)?.sender.close();
    },
  };
}
