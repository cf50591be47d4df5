import { errorMessage, EXIT, LuminaError } from "../base/mod.ts";
import type { World } from "../base/mod.ts";
import { parseInputLine, shownContent, suggestedUpdates } from "../protocol/mod.ts";
import type { InputLine } from "../protocol/mod.ts";
import type { Json, JsonObject, RunEvent, RunResult } from "../types/mod.ts";
import type { AppPort, CliAnswer, CliQuestion, RunFlags, SessionPrompt } from "./app_port.ts";
import type { CliIo } from "./io.ts";
import { controlRequest } from "./control_request.ts";
import { readAnswer } from "./read_answer.ts";
import { sessionPrinter } from "./session_printer.ts";
import { readLines } from "./read_stdin.ts";
import { exitOf } from "./print_options.ts";
import type { PrintOptions } from "./print_options.ts";
import { SignalAbort } from "./signals.ts";

/** What stands before a client's own id in the key by which its message happens once. */
const KEY = "user:";

type UserLine = InputLine & { type: "user" };

/**
 * `--input-format stream-json`: a user message begins a run when none goes on, and reaches the model at the next step of one
 * that has begun, unless prompts already wait; its `priority` says otherwise (see `MessagePriority`). A slash command always
 * is a prompt of its own, and so is a message that its run ends without taking. Control lines act at once.
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
  flags.model_later = true;
  let session = await app.openSession(flags, warn);
  let exit: number = EXIT.ok;
  try {
    let printer = await sessionPrinter(session, io, world, options);
    let current: AbortController | undefined;
    /** Prompts that wait, with what must be done before each. */
    const waiting: { prompt: SessionPrompt; before: Promise<void>; urgent: boolean }[] = [];
    /** The run that goes on has recorded its prompt. */
    let begun = false;
    let runs: Promise<void> | undefined;
    let failure: unknown;
    // a session that cannot run its next prompt ends at once: the client waits for a result that would never come
    const over = new AbortController();
    let broken = false;
    const echo = ({ text, key, media }: SessionPrompt) => {
      if (!options.replay_user_messages || options.output !== "stream-json") return;
      client.send({
        type: "user",
        parent_tool_use_id: null,
        message: { role: "user", content: shownContent(text, media) },
        isReplay: true,
        session_id: session.session_id,
        uuid: key?.slice(KEY.length) ?? world.uuid(),
      });
    };
    const show = (event: RunEvent) => {
      if (event.type === "run_started") begun = true;
      // what the client has typed itself is told as its prompts are
      if (event.type === "user" && !event.synthetic) echo(event);
      else printer.event(event);
    };
    /** The next prompts go to another session; the one that was left is closed. */
    const goOn = async (session_id: string): Promise<void> => {
      const next = await app.openSession({ ...flags, session: { kind: "resume", id: session_id } }, warn);
      const left = session;
      session = next;
      await printer.done();
      await left.close();
      printer = await sessionPrinter(session, io, world, options);
    };
    const runOne = async (prompt: SessionPrompt): Promise<RunResult["next"]> => {
      if (signals.signal.aborted || failure !== undefined || broken) return undefined;
      current = new AbortController();
      begun = false;
      const signal = AbortSignal.any([current.signal, signals.signal]);
      echo(prompt);
      let next: RunResult["next"];
      try {
        const result = await session.run(prompt, show, signal);
        exit = exitOf(result);
        next = result.next;
      } catch (error) {
        failure = error;
        over.abort();
      }
      current = undefined;
      return next;
    };
    const runAll = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        await next.before;
        const then = await runOne(next.prompt);
        // what the run has not taken comes before what was sent to wait for its end
        const left = session.unsteered().map((prompt) => ({
          prompt,
          before: Promise.resolve(),
          urgent: false,
        }));
        waiting.splice(waiting.filter(({ urgent }) => urgent).length, 0, ...left);
        if (then === "end") {
          waiting.length = 0;
          over.abort();
        } else if (then !== undefined) {
          await goOn(then.session_id).catch((error) => {
            failure = error;
            over.abort();
          });
        }
      }
      runs = undefined;
    };
    // what a client asked for before a message holds for it
    let asked: Promise<void> = Promise.resolve();
    const interrupt = () => current?.abort(new Error("interrupted by the client"));
    const takeMessage = (line: UserLine) => {
      const prompt = promptOf(line);
      const { priority } = line;
      const steers = priority === "next" || (priority === undefined && begun && waiting.length === 0);
      if (current !== undefined && steers && !isCommand(line.text)) return session.steer(prompt);
      const urgent = priority === "now";
      const at = urgent ? waiting.filter(({ urgent }) => urgent).length : waiting.length;
      waiting.splice(at, 0, { prompt, before: asked, urgent });
      if (urgent) interrupt();
      runs ??= runAll();
    };
    const take = (line: InputLine) => {
      if (line.type === "user") takeMessage(line);
      else if (line.type === "control_response") client.receive(line);
      else if (line.type === "control_request") {
        const reply = client.reply(line, () => controlRequest(line.request, session, interrupt));
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

function promptOf({ text, media, uuid }: UserLine): SessionPrompt {
  return {
    text,
    ...(uuid === undefined ? {} : { key: KEY + uuid }),
    ...(media === undefined ? {} : { media }),
  };
}

/** A slash command is carried out by the program: no run can take it. */
function isCommand(text: string): boolean {
  return /^\/[^/\s]+(\s|$)/.test(text);
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
          ...(question.agent === undefined ? {} : { ...question.agent }),
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
