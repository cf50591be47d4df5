export { parseUpdates, suggestedUpdates } from "./rule_update.ts";
export type { WireUpdate } from "./rule_update.ts";
export { parseInputLine } from "./stream_input.ts";
export type { InputLine } from "./stream_input.ts";
export { publicMode, resultFields, StreamJsonWriter } from "./stream_json.ts";
export type { StreamJsonHeader } from "./stream_json.ts";
export { shownContent } from "./shown_content.ts";
