import type { SessionEvent } from "../session/mod.ts";
import type { Denial, JsonObject, RunResult, StopReason } from "../types/mod.ts";
import { messageText } from "../types/mod.ts";
import type { AnswerCheck } from "./answer_schema.ts";
import { RunTotals } from "./run_totals.ts";

/**
 * The result of a run that is over, from its events: what the one who asked was told, but for the time to the first
 * token. A run that was interrupted is `interrupted`; one that is still open fails with `session.busy`.
 */
export function storedResult(events: readonly SessionEvent[], check: AnswerCheck | undefined): RunResult {
  const totals = new RunTotals();
  const inputs = new Map<string, JsonObject>();
  const denials: Denial[] = [];
  let parts: string[] = [];
  let stop: StopReason | undefined;
  let ending: Pick<RunResult, "status" | "error" | "duration_ms"> = {
    status: "failed",
    error: {
      code: "session.busy",
      message: "The first run of this prompt has not ended yet: wait for its result",
    },
    duration_ms: 0,
  };
  for (const event of events) {
    switch (event.type) {
      case "model.answered": {
        const { message } = event.payload;
        const calls = message.content.filter((block) => block.type === "tool_use");
        for (const { call_id, input } of calls) inputs.set(call_id, input);
        stop = event.payload.stop;
        if (calls.length > 0) parts = [];
        else if (stop !== "pause") parts.push(messageText(message));
        break;
      }
      case "run.note_added":
      case "run.steered":
        if (stop !== "max_tokens") parts = []; // asked to say it anew, not to go on where it was cut
        break;
      case "usage.recorded": {
        const { model, chain, usage, cost_usd, duration_ms } = event.payload;
        if (chain === "plugin" || chain === "compaction") totals.addBeside({ model, usage, cost_usd });
        else totals.add(model, usage, cost_usd, duration_ms);
        break;
      }
      case "permission.decided": {
        const { behavior, call_id, tool, pack } = event.payload;
        // what a plugin was refused during its call is no refused call
        if (behavior === "deny" && pack === undefined) {
          denials.push({ tool_name: tool, call_id, tool_input: inputs.get(call_id) ?? {} });
        }
        break;
      }
      case "run.finished": {
        const { status, error, duration_ms } = event.payload;
        ending = { status, duration_ms, ...(error === undefined ? {} : { error }) };
        break;
      }
      case "run.interrupted": {
        const message = `${event.payload.reason}; send the prompt under another uuid to run it again`;
        ending = { status: "interrupted", error: { code: "agent.interrupted", message }, duration_ms: 0 };
        break;
      }
    }
  }
  const answer = ending.status === "success" ? parts.join("") : "";
  const checked = ending.status === "success" ? check?.(answer) : undefined;
  return {
    ...ending,
    answer,
    ...(checked?.ok === true ? { structured: checked.value } : {}),
    ...(stop === undefined ? {} : { stop }),
    ...totals.summary(),
    denials,
  };
}
