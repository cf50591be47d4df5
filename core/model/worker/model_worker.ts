import { fileURLToPath } from "node:url";
import { LuminaError } from "../../base/mod.ts";
import { abilitiesOf, Catalogue } from "../catalogue.ts";
import type { OpenModel } from "../create_model.ts";
import type { ModelOptions } from "../endpoint.ts";
import { PROXY_VARIABLES } from "../http_clients.ts";
import { ModelError } from "../model_error.ts";
import type { ModelEvent } from "../port.ts";
import type { FromModelWorker, ToModelWorker } from "./message.ts";
import { modelHosts } from "./model_hosts.ts";
import { fromWireError } from "./wire_error.ts";

/**
 * The variables that the SDKs read however they are called: without them they fail. What they say changes no request, see
 * `AttemptFetch`.
 */
const SDK_VARIABLES = [
  "ANTHROPIC_CUSTOM_HEADERS",
  "OPENAI_CUSTOM_HEADERS",
];

interface Opening {
  resolve(limits: { window: number; max_output: number }): void;
  reject(error: Error): void;
}

/** A request under way: what has come and has not been taken, and who waits for more. */
interface Stream {
  events: ModelEvent[];
  over?: { error?: Error };
  wake(): void;
}

/**
 * Models in a worker of their own, which can connect to `hosts` and to nothing else, read the catalogue and the
 * certificates, and see the few variables that are read when a client or a connection is made. Keys travel in messages.
 * Every model of the run lives here, so that the main process needs no network.
 */
export class ModelWorker {
  /** The `host:port` places that it may connect to. */
  readonly hosts: readonly string[];
  readonly #worker: Worker;
  readonly #opening = new Map<number, Opening>();
  readonly #streams = new Map<number, Stream>();
  #last = 0;
  #gone: ModelError | undefined;

  /** @param entry `core/model/worker.ts` or its built `.js` @param options of the first model: they say where it may go */
  constructor(entry: URL, options: ModelOptions) {
    this.hosts = modelHosts(options);
    const files = [options.ca_file, ...(options.extra_ca_files ?? [])].filter((file) => file !== undefined);
    this.#worker = new Worker(entry, {
      type: "module",
      name: "model",
      deno: {
        permissions: {
          read: [filePath(options.models_file), ...files],
          write: [],
          net: [...this.hosts],
          env: [...PROXY_VARIABLES, ...SDK_VARIABLES],
          run: [],
          sys: [],
          ffi: [],
          import: [],
        },
      },
    } as WorkerOptions);
    this.#worker.onmessage = ({ data }: MessageEvent<FromModelWorker>) => this.#receive(data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#end(
        new ModelError(`The model's worker crashed: ${event.message}; start again`, { category: "unknown" }),
      );
    };
  }

  /**
   * Opens a model in the worker. Throws `model.out_of_reach` when it is at an address that the worker may not connect to,
   * and what `createModel` throws.
   */
  async open(options: ModelOptions): Promise<OpenModel> {
    const far = modelHosts(options).find((host) => !this.hosts.includes(host));
    if (far !== undefined) {
      throw new LuminaError(
        "model.out_of_reach",
        `The model ${options.primary.model} is at ${far}, and this locked run may only reach ${
          this.hosts.join(", ")
        }: start a new run for it`,
      );
    }
    if (this.#gone !== undefined) throw this.#gone;
    const { world: _, ...rest } = options;
    const model = ++this.#last;
    const opened = Promise.withResolvers<{ window: number; max_output: number }>();
    this.#opening.set(model, opened);
    this.#send({ type: "open", model, options: { ...rest, models_file: filePath(options.models_file) } });
    const limits = await opened.promise;
    const catalogue = Catalogue.load(options.models_file, options.prices);
    return {
      name: options.primary.model,
      ...limits,
      ...abilitiesOf(options.primary, catalogue.find(options.primary.model)),
      costOf: (name, usage) => catalogue.costOf(name, usage),
      stream: (request, signal) => this.#stream(model, request, signal),
      close: () => this.#send({ type: "close", model }),
    };
  }

  /** Ends the worker; what still runs fails. */
  close(): void {
    this.#end(new ModelError("The model has been closed", { category: "aborted" }));
  }

  async *#stream(
    model: number,
    request: Parameters<OpenModel["stream"]>[0],
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent> {
    if (this.#gone !== undefined) throw this.#gone;
    if (signal.aborted) throw new ModelError("The model request was aborted", { category: "aborted" });
    const id = ++this.#last;
    let more = Promise.withResolvers<void>();
    const stream: Stream = { events: [], wake: () => more.resolve() };
    this.#streams.set(id, stream);
    const abort = () => this.#send({ type: "abort", id });
    signal.addEventListener("abort", abort, { once: true });
    this.#send({ type: "stream", id, model, request });
    try {
      for (;;) {
        yield* stream.events.splice(0);
        if (stream.events.length > 0) continue;
        if (stream.over !== undefined) break;
        await more.promise;
        more = Promise.withResolvers<void>();
      }
      if (stream.over.error !== undefined) throw stream.over.error;
    } finally {
      signal.removeEventListener("abort", abort);
      if (stream.over === undefined) abort(); // whoever asked has gone
      this.#streams.delete(id);
    }
  }

  #receive(message: FromModelWorker): void {
    switch (message.type) {
      case "opened":
      case "refused": {
        const opening = this.#opening.get(message.model);
        this.#opening.delete(message.model);
        if (message.type === "opened") opening?.resolve(message);
        else opening?.reject(fromWireError(message.error));
        return;
      }
      case "event": {
        const stream = this.#streams.get(message.id);
        stream?.events.push(message.event);
        stream?.wake();
        return;
      }
      case "end":
        return this.#over(message.id, {});
      case "failed":
        return this.#over(message.id, { error: fromWireError(message.error) });
    }
  }

  #over(id: number, over: { error?: Error }): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    stream.over = over;
    stream.wake();
  }

  #send(message: ToModelWorker): void {
    if (this.#gone === undefined) this.#worker.postMessage(message);
  }

  #end(error: ModelError): void {
    if (this.#gone !== undefined) return;
    this.#gone = error;
    this.#worker.terminate();
    for (const opening of this.#opening.values()) opening.reject(error);
    this.#opening.clear();
    for (const id of this.#streams.keys()) this.#over(id, { error });
  }
}

function filePath(file: string | URL): string {
  return file instanceof URL ? fileURLToPath(file) : file;
}
