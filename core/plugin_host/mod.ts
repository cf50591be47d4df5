export { compileAnswerSchema } from "./answer_schema.ts";
export { readCatalog, ToolCatalog } from "./catalog.ts";
export type { CatalogTool } from "./catalog.ts";
export type { Pack, PackProblem, PackScope } from "./packs/pack.ts";
export type { PackCall, PackTier } from "./packs/pack_call.ts";
export { InputValidator } from "./validate_input.ts";
export { WorkerTier } from "./worker_tier.ts";
export type { WorkerCall, WorkerServices } from "./worker_tier.ts";
