export { parseInputLine } from "./stream_input.ts";
export type { InputLine } from "./stream_input.ts";
export { publicMode, resultFields, StreamJsonWriter } from "./stream_json.ts";
export type { StreamJsonHeader } from "./stream_json.ts";
