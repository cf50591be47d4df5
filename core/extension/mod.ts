export type { HookHandler, HookOrigin, HookSource } from "./hooks/handler.ts";
