export type { HttpPreset, ProviderScriptInput } from "./script_schema.ts";
export { providerScript } from "./script_schema.ts";
export type { AnswerOutcome, RecordedRequest } from "./request_log.ts";
export { runScriptedProvider } from "./run_scripted_provider.ts";
export { startScriptedProvider } from "./start_scripted_provider.ts";
export type { ScriptedProvider } from "./start_scripted_provider.ts";
