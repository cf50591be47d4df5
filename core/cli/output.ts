import { resultFields, StreamJsonWriter } from "../protocol/mod.ts";
import type { StreamJsonHeader } from "../protocol/mod.ts";
import type { ModelEvent, RunEvent, RunResult } from "../types/mod.ts";
import type { CliIo } from "./io.ts";

export const OUTPUT_FORMATS = ["text", "json", "stream-json"] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** Prints a run. Standard output carries the chosen format alone; everything for people goes to standard error. */
export interface RunPrinter {
  event(event: RunEvent): void;
  /** Resolves when the reader has everything. */
  done(): Promise<void>;
}

/** The printer of a format. `verbose` tells what happens on standard error. */
export function runPrinter(
  format: OutputFormat,
  io: CliIo,
  header: StreamJsonHeader,
  verbose: boolean,
): RunPrinter {
  const writer = new StreamJsonWriter(header);
  let pending: Promise<void> = Promise.resolve();
  const line = (value: unknown) => {
    pending = io.out(`${JSON.stringify(value)}\n`);
  };
  return {
    event(event) {
      if (verbose) tell(event, io);
      else if (event.type === "warning") io.err(`lumina: ${event.text}\n`);
      else if (event.type === "stream" && event.event.type === "retry") {
        io.err(`lumina: ${retryText(event.event)}\n`);
      }
      if (format === "stream-json") { for (const fields of writer.lines(event)) line(fields); }
      else if (event.type === "run_finished") {
        if (format === "json") {
          line({
            ...resultFields(event.result),
            ...(header.lockdown === undefined ? {} : { lockdown: header.lockdown }),
            session_id: header.session_id,
            uuid: header.uuid(),
          });
        } else pending = printText(event.result, io, verbose);
      }
    },
    done: () => pending,
  };
}

function printText(result: RunResult, io: CliIo, verbose: boolean): Promise<void> {
  if (result.status === "success") {
    const refused = result.denials.map((denial) => denial.tool_name);
    if (refused.length > 0 && !verbose) {
      // the answer may say that all is done
      io.err(
        `lumina: ${refused.length} ${refused.length === 1 ? "call was" : "calls were"} refused (${
          [...new Set(refused)].join(", ")
        }): lumina permission log says why; --allowed-tools and --permission-mode allow more, --permission-prompt stdio asks\n`,
      );
    }
    return io.out(result.answer.endsWith("\n") ? result.answer : `${result.answer}\n`);
  }
  const hint = result.status === "interrupted" ? "; --continue goes on" : "";
  io.err(`lumina: ${result.error?.message ?? `the run ended: ${result.status}`}${hint}\n`);
  return Promise.resolve();
}

function retryText({ attempt, max_attempts, delay_ms, error }: ModelEvent & { type: "retry" }): string {
  return `attempt ${attempt} of ${max_attempts} failed (${error}); next in ${(delay_ms / 1000).toFixed(1)} s`;
}

/** One short line per event that a person who debugs wants to see. */
function tell(event: RunEvent, io: CliIo): void {
  const say = (text: string) => io.err(`[lumina] ${text}\n`);
  switch (event.type) {
    case "run_started":
      return say(`run ${event.run_id} in ${event.cwd}, model ${event.model}, mode ${event.mode}`);
    case "stream":
      if (event.event.type === "retry") {
        say(retryText(event.event));
      } else if (event.event.type === "fallback") say(`${event.event.from} failed, asking ${event.event.to}`);
      return;
    case "assistant":
      return say(`answer ${event.message_id}: ${event.stop ?? "aborted"}, ${event.usage.output} tokens`);
    case "tool_started":
      return say(`${event.name} ${JSON.stringify(event.input).slice(0, 300)}`);
    case "tool_result":
      return say(`${event.name} ${event.is_error ? "failed" : "done"}: ${event.content.length} characters`);
    case "permission_denied":
      return say(`${event.name} refused: ${event.reason}`);
    case "warning":
      return say(`warning: ${event.text}`);
    case "run_finished":
      return say(
        `run ended: ${event.result.status}, ${event.result.turns} requests, ${event.result.duration_ms} ms`,
      );
    case "tool_progress":
      for (const line of event.text.split("\n")) if (line.trim() !== "") say(line.trimEnd());
      return;
    case "compacted":
      return say(
        `compacted (${event.trigger}): about ${event.tokens_before} tokens, now ${event.tokens_after}`,
      );
    case "command_output":
      return say(`/${event.name} answered: ${event.text.length} characters`);
    case "user":
      return;
  }
}
