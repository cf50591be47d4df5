import * as z from "zod";
import { IMAGE_TYPES } from "../types/mod.ts";
import type { Json, JsonObject } from "../types/mod.ts";
import { TASK_STATUSES } from "./tasks.ts";

// Parts of the events' payloads.

/** Any JSON. */
export const json = () => z.custom<Json>();
/** A JSON object. */
export const jsonObject = () => z.custom<JsonObject>();
/** Tokens of one or several requests. */
export const usage = () =>
  z.object({
    input: z.number(),
    output: z.number(),
    cache_read: z.number(),
    cache_write: z.number(),
  });
const text = () => z.object({ type: z.literal("text"), text: z.string() });
const toolUse = () =>
  z.object({
    type: z.literal("tool_use"),
    call_id: z.string(),
    wire_id: z.string(),
    name: z.string(),
    input: jsonObject(),
    malformed: z.object({ raw: z.string(), error: z.string() }).exactOptional(),
  });
/** An answer of a model. */
export const assistant = () =>
  z.object({
    role: z.literal("assistant"),
    content: z.array(z.discriminatedUnion("type", [
      text(),
      z.object({ type: z.literal("thinking"), text: z.string(), signature: z.string().exactOptional() }),
      z.object({ type: z.literal("redacted_thinking"), data: z.string() }),
      toolUse(),
    ])),
  });
/** A picture or a document. */
export const media = () =>
  z.discriminatedUnion("type", [
    z.object({
      type: z.literal("image"),
      media_type: z.enum(IMAGE_TYPES),
      data: z.string(),
      name: z.string().exactOptional(),
      width: z.int().exactOptional(),
      height: z.int().exactOptional(),
    }),
    z.object({
      type: z.literal("document"),
      media_type: z.literal("application/pdf"),
      data: z.string(),
      name: z.string().exactOptional(),
      pages: z.int().exactOptional(),
    }),
  ]);
/** One message of a conversation. */
export const message = () =>
  z.union([
    assistant(),
    z.object({
      role: z.literal("user"),
      content: z.array(z.discriminatedUnion("type", [
        text(),
        z.object({
          type: z.literal("tool_result"),
          call_id: z.string(),
          content: z.string(),
          is_error: z.boolean(),
          media: z.array(media()).exactOptional(),
        }),
        media(),
      ])),
    }),
  ]);
/** Where a sub-agent worked for itself. */
export const worktree = () => z.object({ path: z.string(), branch: z.string() });
/** A task as it is from the event on. */
export const task = () =>
  z.object({
    task_id: z.string(),
    subject: z.string(),
    description: z.string(),
    /** What is shown while it is worked on. */
    active_form: z.string().exactOptional(),
    status: z.enum(TASK_STATUSES),
    owner: z.string().exactOptional(),
    /** The tasks that must be completed before it. */
    blocked_by: z.array(z.string()),
  });
/** What went wrong. */
export const failure = () => z.object({ code: z.string(), message: z.string() });
/** Why a model stopped. */
export const stop = () => z.enum(["end_turn", "tool_use", "max_tokens", "refusal", "stop_sequence", "pause"]);
/** How a run ended. */
export const status = () =>
  z.enum(["success", "failed", "max_turns", "blocked", "answer_schema", "interrupted"]);
