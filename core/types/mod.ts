export type { CommandInfo, CommandProvider, CommandReply, CommandSource, TurnLimits } from "./command.ts";
export { CONFINEMENT_LEVELS } from "./confinement.ts";
export type { Confinement, ConfinementLevel } from "./confinement.ts";
export type { NewEvent, StoredEvent } from "./event.ts";
export { HOOK_EVENTS } from "./hook.ts";
export type { HookEvent, HookInput, HookMoment, HookOutcome, HookReply } from "./hook.ts";
export { isJsonObject } from "./json.ts";
export type { Json, JsonObject } from "./json.ts";
export { IMAGE_TYPES, isMedia, mediaBytes, mediaLabel, mediaTokens } from "./media.ts";
export { withoutMedia } from "./without_media.ts";
export type { DocumentBlock, ImageBlock, ImageType, MediaBlock, MediaSupport } from "./media.ts";
export { messageText } from "./message.ts";
export type {
  AssistantBlock,
  AssistantMessage,
  Message,
  RedactedThinkingBlock,
  TextBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolUseBlock,
  UserBlock,
  UserMessage,
} from "./message.ts";
export type { ModelEvent, StopReason } from "./model_event.ts";
export type { Denial, ModelUse, RunEvent, RunResult, RunStatus } from "./run_event.ts";
export { MODE_ALIASES, parsePermissionMode, PERMISSION_MODES } from "./permission.ts";
export type { Behavior, PermissionMode, TouchedPath, Verdict } from "./permission.ts";
export type { RepeatClass, ToolEffect, ToolSchema, ToolSubject } from "./tool.ts";
export { addUsage, NO_USAGE } from "./usage.ts";
export type { Usage } from "./usage.ts";
