import assert from "node:assert/strict";
import { systemWorld } from "../base/mod.ts";
import type { RunResult } from "../types/mod.ts";
import type { AppPort, OpenSession, RunFlags } from "./app_port.ts";
import type { CliIo } from "./io.ts";
import type { PrintOptions } from "./print_options.ts";
import { runStreamInput } from "./run_stream_input.ts";

Deno.test("what a client sets before a message holds for it, however long the setting takes", async () => {
  const done: string[] = [];
  const slowly = async (what: string) => {
    await new Promise((resolve) => setTimeout(resolve));
    done.push(what);
  };
  const session: Partial<OpenSession> = {
    session_id: "s",
    api_key_source: "none",
    plugins: [],
    setMode: (mode) => slowly(mode),
    setModel: (model) => slowly(model),
    run: ({ text }) => {
      done.push(text);
      return Promise.resolve({ status: "success", text: "" } as unknown as RunResult);
    },
    steer: () => {},
    unsteered: () => [],
    close: () => Promise.resolve(),
  };
  const lines = [
    { type: "control_request", request_id: "1", request: { subtype: "set_permission_mode", mode: "plan" } },
    { type: "control_request", request_id: "2", request: { subtype: "set_model", model: "other" } },
    { type: "user", message: { role: "user", content: "first" } },
    { type: "control_request", request_id: "3", request: { subtype: "set_permission_mode", mode: "ask" } },
    { type: "user", message: { role: "user", content: "second" } },
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const io: CliIo = {
    out: () => Promise.resolve(),
    flushed: () => Promise.resolve(),
    err: () => {},
    stdin: new Blob([text]).stream(),
    stdin_is_terminal: false,
  };
  const app = { openSession: () => Promise.resolve(session) } as unknown as AppPort;
  const options: PrintOptions = {
    output: "text",
    input: "stream-json",
    include_partial: false,
    replay_user_messages: false,
    permission_prompt: false,
    verbose: false,
    version: "0",
  };
  await runStreamInput(app, io, systemWorld, {} as RunFlags, options);
  const at = (what: string) => done.indexOf(what);
  assert.deepEqual(done.toSorted(), ["ask", "first", "other", "plan", "second"]);
  assert.ok(at("plan") < at("first") && at("other") < at("first") && at("ask") < at("second"), done.join());
});
