import * as z from "zod";
import type { ServiceName } from "../../plugin_api/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { serviceFailure } from "./service_failure.ts";

/** Characters of a path or a URL. */
const LONGEST_NAME = 4_096;
/** Characters of a text that is written, sent or kept: 4 MiB of ASCII. */
export const LONGEST_TEXT = 4 * 1024 * 1024;
/** Characters of what a model is asked. */
const LONGEST_PROMPT = 1_000_000;

const name = () => z.string().min(1).max(LONGEST_NAME);
const text = () => z.string().max(LONGEST_TEXT);
const object = () =>
  z.custom<JsonObject>(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
    "must be an object",
  );

/** Everything a pack may ask for, with exactly what it must give. */
const PARAMS = {
  "model.complete": () =>
    z.strictObject({
      system: z.string().max(LONGEST_PROMPT).optional(),
      prompt: z.string().min(1).max(LONGEST_PROMPT),
      max_tokens: z.int().min(1).max(1_000_000).optional(),
    }),
  "artifact.put": () => z.strictObject({ name: name(), content: text() }),
  "artifact.get": () => z.strictObject({ name: name() }),
  "artifact.list": () => z.strictObject({}),
  "ask.question": () =>
    z.strictObject({
      text: z.string().trim().min(1).max(2_000),
      options: z.array(z.string().trim().min(1).max(200)).max(20).optional(),
    }),
  "session.messages": () => z.strictObject({ limit: z.int().min(1).max(1_000).optional() }),
  "tasks.list": () => z.strictObject({}),
  "tasks.create": () => z.strictObject({ task: object() }),
  "tasks.update": () => z.strictObject({ id: name(), change: object() }),
  "journal.emit": () =>
    z.strictObject({
      name: z.string().regex(/^[a-z][a-z0-9_.-]{0,63}$/, "must be lower-case letters, digits, _, . and -"),
      data: object(),
    }),
  "fs.read": () => z.strictObject({ path: name() }),
  "fs.write": () => z.strictObject({ path: name(), content: text() }),
  "fs.list": () => z.strictObject({ path: name() }),
  "net.fetch": () =>
    z.strictObject({
      url: name(),
      method: z.enum(["GET", "POST"]).optional(),
      headers: z.record(z.string().max(200), z.string().max(8_192)).optional(),
      body: text().optional(),
    }),
  "log.write": () => z.strictObject({ level: z.enum(["info", "warning"]), text: z.string().max(10_000) }),
  "config.get": () => z.strictObject({}),
} as const;

export type ServiceMethod = keyof typeof PARAMS;
export type ServiceParams<M extends ServiceMethod> = z.output<ReturnType<(typeof PARAMS)[M]>>;

/** The method that a request names; throws `invalid` for one that no service has. */
export function serviceMethod(service: ServiceName, method: string): ServiceMethod {
  const key = `${service}.${method}`;
  if (Object.hasOwn(PARAMS, key)) return key as ServiceMethod;
  throw serviceFailure("invalid", `There is no service ${JSON.stringify(key.slice(0, 80))}`);
}

/** The parameters of a request, checked; throws `invalid` and says what is wrong. */
export function serviceParams<M extends ServiceMethod>(method: M, params: unknown): ServiceParams<M> {
  const result = PARAMS[method]().safeParse(params);
  if (result.success) return result.data as ServiceParams<M>;
  const [issue] = result.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "" : ` ${issue.path.join(".")}:`;
  throw serviceFailure("invalid", `${method}:${where} ${issue?.message ?? "wrong parameters"}`);
}
