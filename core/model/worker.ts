// Entry of the worker that speaks with the model in a locked run; started with the model's hosts as its only network.
import { type ModelWorkerScope, serveModels } from "./worker/serve_models.ts";

serveModels(self as unknown as ModelWorkerScope);
