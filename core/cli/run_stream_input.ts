import { errorMessage, EXIT, LuminaError } from "../base/mod.ts";
import type { World } from "../base/mod.ts";
import { parseInputLine, suggestedUpdates } from "../protocol/mod.ts";
import type { InputLine } from "../protocol/mod.ts";
import { parsePermissionMode } from "../types/mod.ts";
import type { Json, JsonObject } from "../types/mod.ts";
import type { AppPort, CliAnswer, CliQuestion, OpenSession, RunFlags } from "./app_port.ts";
import type { CliIo } from "./io.ts";
import { readAnswer } from "./read_answer.ts";
import { sessionPrinter } from "./session_printer.ts";
import { readLines } from "./read_stdin.ts";
import { exitOf } from "./print_options.ts";
import type { PrintOptions } from "./print_options.ts";
import { SignalAbort } from "./signals.ts";

/**
 * `--input-format stream-json`: user messages run one after the other in one session; control lines act at once.
 * Ends when standard input has ended and every message has run. The exit code is that of the last run.
 */
export async function runStreamInput(
  app: AppPort,
  io: CliIo,
  world: World,
  flags: RunFlags,
  options: PrintOptions,
): Promise<number> {
  const signals = new SignalAbort();
  const client = new ControlClient(io, world);
  if (options.permission_prompt) flags.ask = (question, signal) => client.ask(question, signal);
  const warn = (text: string) => io.err(`lumina: ${text}\n`);
  const session = await app.openSession(flags, warn);
  let exit: number = EXIT.ok;
  try {
    const printer = sessionPrinter(session, io, world, options);
    let current: AbortController | undefined;
    let runs: Promise<void> = Promise.resolve();
    let failure: unknown;
    // a session that cannot run its next prompt ends at once: the client waits for a result that would never come
    const over = new AbortController();
    let broken = false;
    const runOne = async (text: string, key?: string): Promise<void> => {
      if (signals.signal.aborted || failure !== undefined || broken) return;
      current = new AbortController();
      const signal = AbortSignal.any([current.signal, signals.signal]);
      if (options.replay_user_messages && options.output === "stream-json") {
        client.send({
          type: "user",
          parent_tool_use_id: null,
          message: { role: "user", content: text },
          isReplay: true,
          session_id: session.session_id,
          uuid: key ?? world.uuid(),
        });
      }
      try {
        const prompt = key === undefined ? { text } : { text, key: `user:${key}` };
        exit = exitOf(await session.run(prompt, (event) => printer.event(event), signal));
      } catch (error) {
        failure = error;
        over.abort();
      }
      current = undefined;
    };
    // what a client asked for before a message holds for it
    let asked: Promise<void> = Promise.resolve();
    const take = (line: InputLine) => {
      if (line.type === "user") {
        const before = asked;
        runs = runs.then(() => before).then(() => runOne(line.text, line.uuid));
      } else if (line.type === "control_response") client.receive(line);
      else if (line.type === "control_request") {
        const interrupt = () => current?.abort(new Error("interrupted by the client"));
        const reply = client.reply(line, () => control(line.request, session, interrupt));
        asked = Promise.all([asked, reply]).then(() => {});
      }
    };
    try {
      await forEachLine(io, AbortSignal.any([signals.signal, over.signal]), take);
    } catch (error) {
      // what cannot be understood ends everything, and the run that goes on is closed before the session is
      broken = true;
      current?.abort(error);
      client.end();
      await runs;
      throw error;
    }
    client.end();
    await runs;
    await printer.done();
    if (failure !== undefined) throw failure;
  } finally {
    await session.close();
    signals.stop();
  }
  return signals.exit ?? exit;
}

/** Reads until the end of input or the signal. */
async function forEachLine(io: CliIo, signal: AbortSignal, take: (line: InputLine) => void): Promise<void> {
  const lines = readLines(io.stdin);
  const aborted = new Promise<IteratorReturnResult<undefined>>((resolve) => {
    signal.addEventListener("abort", () => resolve({ done: true, value: undefined }), { once: true });
  });
  for (let number = 1;; number++) {
    const next = await Promise.race([lines.next(), aborted]);
    if (next.done) return;
    if (next.value.trim() === "") continue;
    try {
      take(parseInputLine(next.value));
    } catch (error) {
      throw new LuminaError("cli.input", `Line ${number} on standard input: ${errorMessage(error)}`, {
        exit: EXIT.protocol,
      });
    }
  }
}

/** Carries out a control request; throws what the client is told. */
async function control(request: JsonObject, session: OpenSession, interrupt: () => void): Promise<Json> {
  switch (request["subtype"]) {
    case "initialize":
      return { commands: [], session_id: session.session_id };
    case "interrupt":
      interrupt();
      return {};
    case "set_permission_mode": {
      const mode = parsePermissionMode(String(request["mode"]));
      if (mode === undefined) {
        throw new Error(`unknown permission mode ${JSON.stringify(request["mode"] ?? null)}`);
      }
      await session.setMode(mode);
      return { mode };
    }
    case "set_model": {
      const model = request["model"];
      if (typeof model !== "string" || model === "") {
        throw new Error('"model" must be a text that is not empty');
      }
      await session.setModel(model);
      return {};
    }
    default:
      throw new Error(`unknown control request ${JSON.stringify(request["subtype"] ?? null)}`);
  }
}

/** The other half of the control protocol: our questions and the client's answers. */
class ControlClient {
  #io: CliIo;
  #world: World;
  #open = new Map<string, (answer: CliAnswer) => void>();
  #ended = false;

  constructor(io: CliIo, world: World) {
    this.#io = io;
    this.#world = world;
  }

  send(value: JsonObject): void {
    void this.#io.out(`${JSON.stringify(value)}\n`);
  }

  /** Answers a control request with what `act` returns, or with why it failed. */
  async reply(
    { request_id }: InputLine & { type: "control_request" },
    act: () => Promise<Json>,
  ): Promise<void> {
    let response: JsonObject;
    try {
      response = { subtype: "success", request_id, response: await act() };
    } catch (error) {
      response = { subtype: "error", request_id, error: errorMessage(error) };
    }
    this.send({ type: "control_response", response });
  }

  /** Asks the client with `can_use_tool`; an end of input or an abort is a no. */
  ask(question: CliQuestion, signal: AbortSignal): Promise<CliAnswer> {
    if (this.#ended) return Promise.resolve({ behavior: "deny", message: "nobody is there to answer" });
    if (signal.aborted) return Promise.resolve({ behavior: "deny", message: "the run was interrupted" });
    const request_id = this.#world.uuid();
    return new Promise((resolve) => {
      const settle = (answer: CliAnswer) => {
        this.#open.delete(request_id);
        signal.removeEventListener("abort", withdraw);
        resolve(answer);
      };
      const withdraw = () => {
        this.send({ type: "control_cancel_request", request_id });
        settle({ behavior: "deny", message: "the run was interrupted" });
      };
      signal.addEventListener("abort", withdraw, { once: true });
      this.#open.set(request_id, settle);
      this.send({
        type: "control_request",
        request_id,
        request: {
          subtype: "can_use_tool",
          tool_name: question.tool,
          tool_use_id: question.call_id,
          input: question.input,
          decision_reason: question.verdict.reason,
          permission_suggestions: suggestedUpdates(
            question.verdict.suggestions,
            question.verdict.folder_suggestions,
          ),
        },
      });
    });
  }

  receive(line: InputLine & { type: "control_response" }): void {
    const settle = this.#open.get(line.request_id);
    if (settle === undefined) return; // an answer to a question that was withdrawn
    settle(readAnswer(line));
  }

  /** No more answers can come. */
  end(): void {
    this.#ended = true;
    for (const settle of [...this.#open.values()]) {
      settle({ behavior: "deny", message: "standard input ended before the question was answered" });
    }
  }
}
