import { systemWorld } from "../../base/mod.ts";
import { createModel, type OpenModel } from "../create_model.ts";
import type { FromModelWorker, ToModelWorker } from "./message.ts";
import { toWireError } from "./wire_error.ts";

/** The part of a worker's global scope that serving needs. */
export interface ModelWorkerScope {
  postMessage(message: FromModelWorker): void;
  onmessage: ((event: MessageEvent<ToModelWorker>) => void) | null;
}

/** Serves models inside a worker until that ends: whatever goes wrong is told to the one who asked. */
export function serveModels(scope: ModelWorkerScope): void {
  const models = new Map<number, OpenModel>();
  const running = new Map<number, AbortController>();

  const open = ({ model, options }: ToModelWorker & { type: "open" }): void => {
    try {
      const opened = createModel({ ...options, world: systemWorld });
      models.set(model, opened);
      scope.postMessage({ type: "opened", model, window: opened.window, max_output: opened.max_output });
    } catch (error) {
      scope.postMessage({ type: "refused", model, error: toWireError(error) });
    }
  };

  const stream = async ({ id, model, request }: ToModelWorker & { type: "stream" }): Promise<void> => {
    const abort = new AbortController();
    running.set(id, abort);
    try {
      const open = models.get(model);
      if (open === undefined) throw new Error("The model has been closed");
      for await (const event of open.stream(request, abort.signal)) {
        scope.postMessage({ type: "event", id, event });
      }
      scope.postMessage({ type: "end", id });
    } catch (error) {
      scope.postMessage({ type: "failed", id, error: toWireError(error) });
    } finally {
      running.delete(id);
    }
  };

  scope.onmessage = ({ data }) => {
    switch (data.type) {
      case "open":
        return open(data);
      case "stream":
        return void stream(data);
      case "abort":
        return running.get(data.id)?.abort();
      case "close":
        models.get(data.model)?.close();
        models.delete(data.model);
    }
  };
}
