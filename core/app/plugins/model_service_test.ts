import assert from "node:assert/strict";
import { packWith } from "../../../tests/support/service_ports.ts";
import { systemWorld } from "../../base/mod.ts";
import type { ModelOptions, OpenModel } from "../../model/mod.ts";
import type { ServiceError } from "../../plugin_api/mod.ts";
import type { Session, SessionCommand } from "../../session/mod.ts";
import type { ModelEvent, Usage } from "../../types/mod.ts";
import { ModelService } from "./model_service.ts";

/** A model that answers with what it may say at most, when it is let, and uses what it is told. */
function service(
  budget: number,
  usage: Usage | "fails",
  options: { replayed?: boolean; until?: Promise<void> } = {},
) {
  const recorded: SessionCommand[] = [];
  const outputs: (number | undefined)[] = [];
  let open = 0;
  const made = new ModelService({
    session: {
      execute(...commands: SessionCommand[]) {
        recorded.push(...commands);
        return Promise.resolve([]);
      },
    } as unknown as Session,
    world: systemWorld,
    budget,
    max_output: 500,
    replayed: options.replayed ?? false,
    makeModel(adjust) {
      const { primary } = adjust({ primary: { api_type: "auto", model: "m" } } as ModelOptions);
      outputs.push(primary.max_output_tokens);
      open++;
      const model: OpenModel = {
        name: "m",
        window: 1_000,
        max_output: 500,
        costOf: () => 0.5,
        close: () => void open--,
        async *stream(): AsyncGenerator<ModelEvent> {
          await options.until;
          if (usage === "fails") throw new Error("the line is dead");
          yield {
            type: "done",
            model: "m",
            message_id: "1",
            message: { role: "assistant", content: [{ type: "text", text: "said" }] },
            stop: "end_turn",
            usage,
          };
        },
      };
      return Promise.resolve(model);
    },
  });
  const ask = (pack: string, prompt = "p", max_tokens?: number) =>
    made.complete({ system: "", prompt, ...(max_tokens === undefined ? {} : { max_tokens }) }, {
      pack: { ...packWith("model"), id: pack },
      call_id: "call",
      signal: new AbortController().signal,
    }).catch((error) => (error as ServiceError).code ?? String(error));
  return { made, ask, recorded, outputs, open: () => open };
}

const USED: Usage = { input: 60, output: 40, cache_read: 0, cache_write: 0 };

Deno.test("each plugin has its budget for the run, and what an answer used counts, not what it might have", async () => {
  const { ask, made, recorded, outputs, open } = service(250, USED);
  assert.deepEqual([await ask("one"), await ask("one"), await ask("two")], ["said", "said", "said"]);
  assert.equal(await ask("one", "p".repeat(200)), "quota");
  assert.equal(await ask("two", "p", 10), "said");
  assert.ok((outputs[0] ?? 0) < 250 && (outputs[1] ?? 0) < 150, `${outputs}`);
  assert.equal(outputs.at(-1), 10);
  assert.equal(open(), 0, "every model is closed");
  assert.deepEqual(new Set(recorded.map(({ type }) => type)), new Set(["note_plugin_usage"]));
  assert.deepEqual(made.takeUse().length, 4);
  assert.deepEqual(made.takeUse(), [], "told once");
});

Deno.test("requests side by side cannot use the same tokens", async () => {
  const gate = Promise.withResolvers<void>();
  const { ask } = service(250, USED, { until: gate.promise });
  const all = [ask("one", "p", 150), ask("one", "p", 150), ask("two", "p", 150)];
  gate.resolve();
  assert.deepEqual(await Promise.all(all), ["said", "said", "said"]);
  const late = Promise.withResolvers<void>();
  const tight = service(100, USED, { until: late.promise });
  const both = [tight.ask("one", "p", 500), tight.ask("one", "p", 500)];
  late.resolve();
  assert.deepEqual(await Promise.all(both), ["said", "quota"]);
});

Deno.test("a request that failed has used what was asked, and a replay is asked nothing", async () => {
  const { ask, open, made } = service(100, "fails");
  const failures: unknown[] = [];
  for (let count = 0; count < 20; count++) failures.push(await ask("one", "p".repeat(100)));
  assert.equal(failures[0], "Error: the line is dead");
  assert.equal(failures.at(-1), "quota", "a plugin cannot ask a dead line for ever");
  assert.equal(open(), 0);
  assert.deepEqual(made.takeUse(), []);
  assert.equal(await service(100, USED, { replayed: true }).ask("one"), "unavailable");
  assert.equal(await service(0, USED).ask("one"), "quota");
});
