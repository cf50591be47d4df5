import * as z from "zod";
import {
  type Json,
  MODE_ALIASES,
  parsePermissionMode,
  PERMISSION_MODES,
  type PermissionMode,
} from "../types/mod.ts";

/** How hard a model should think. */
export const EFFORT_NAMES = ["low", "medium", "high", "max"] as const;

/** Every spelling of an API type, with what it means. */
const API_TYPES = {
  auto: "auto",
  anthropic: "anthropic",
  claude: "anthropic",
  openai_compatible: "openai_compatible",
  "openai-compatible": "openai_compatible",
  openai: "openai_compatible",
  deepseek: "openai_compatible",
  replay: "replay",
} as const;
type ApiTypeName = keyof typeof API_TYPES;

/** What a locked run gives up. */
export const LOCKDOWN_MODES = ["read-only", "workspace", "offline"] as const;
export type LockdownMode = (typeof LOCKDOWN_MODES)[number];

/** Rules and mode of one source, or of all of them together. */
export interface Permissions {
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
  readonly defaultMode: PermissionMode | undefined;
  readonly additionalDirectories: readonly string[];
  /** Mode `yolo` cannot be chosen. */
  readonly disableBypassPermissionsMode?: "disable";
}

/** The keys of `Permissions`. */
export const PERMISSION_PARTS: readonly string[] = [
  "allow",
  "ask",
  "deny",
  "defaultMode",
  "additionalDirectories",
  "disableBypassPermissionsMode",
];

/** No rule and no mode. */
export const NO_PERMISSIONS: Permissions = {
  allow: [],
  ask: [],
  deny: [],
  defaultMode: undefined,
  additionalDirectories: [],
};

/** Text without the spaces around it. */
export const text = () => z.string().trim();
/** What a key may hold. */
export const keyText = () => z.string().trim().regex(/^[\x20-\x7e]*$/);
/** Sent as given. */
export const modelName = () => z.string().trim();
/** An http or https URL, or empty. */
export const baseUrl = () => z.string().trim().refine((value) => value === "" || isHttpUrl(value));
/** Any spelling of an API type, as what it means. */
export const apiType = () =>
  z.enum(Object.keys(API_TYPES) as [ApiTypeName, ...ApiTypeName[]]).transform((name) => API_TYPES[name]);
/** A whole number within bounds. */
export const wholeFrom = (least: number, most?: number) =>
  most === undefined ? z.int().min(least) : z.int().min(least).max(most);
/** A plain file name. */
export const fileName = () => z.string().regex(/^(?!\.{1,2}$)[^/\\\0]+$/);
/** A list of names. */
export const names = () => z.array(z.string().trim().min(1));
/** A section for each plugin; what is in it is checked by the plugin's own schema. */
export const pluginSections = () =>
  z.record(z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/), z.record(z.string(), z.unknown()));
/** What a number of tokens must be, in words. */
export const TOKENS = "a whole number of tokens, 1 or more";
/** What an API type must be, in words. */
export const API_TYPE_WORDS =
  "one of auto, anthropic, openai_compatible (or claude, openai, deepseek), replay";

function isHttpUrl(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:");
}

/** Rules and mode as a file holds them. */
export function permissionsSchema() {
  const rules = z.array(z.string().trim().min(1, "must not be empty"), "must be a list of rules").default([]);
  const modes = [...PERMISSION_MODES, ...Object.keys(MODE_ALIASES)];
  const must = `must be one of ${PERMISSION_MODES.join(", ")} (or ${Object.keys(MODE_ALIASES).join(", ")})`;
  return z.object({
    allow: rules,
    ask: rules,
    deny: rules,
    defaultMode: z.enum(modes, must).transform((name) => parsePermissionMode(name)).optional(),
    additionalDirectories: z.array(
      z.string().trim().min(1, "must not be empty"),
      "must be a list of directories",
    )
      .default([]),
    disableBypassPermissionsMode: z.literal("disable", 'must be "disable" or not there').exactOptional(),
  }, `must be an object with ${PERMISSION_PARTS.join(", ")}`).transform((value) => ({
    ...value,
    defaultMode: value.defaultMode,
  } satisfies Permissions as Permissions));
}

/** What a plugin can use too much of. */
export const PLUGIN_LIMITS = [
  "calls_per_run",
  "result_bytes",
  "frame_bytes",
  "rss_mib",
  "cpu_seconds_per_call",
  "processes",
  "service_requests_per_call",
] as const;

export const pluginLimits = (): z.ZodType<Partial<Record<(typeof PLUGIN_LIMITS)[number], number>>> =>
  z.partialRecord(z.enum(PLUGIN_LIMITS), z.int().min(1));

/** Hooks by event; what is in a list is read by whoever runs hooks, which names faults one by one. */
export const hookLists = (): z.ZodType<Readonly<Record<string, readonly Json[]>>> =>
  z.record(z.string(), z.array(z.unknown())) as unknown as z.ZodType<
    Readonly<Record<string, readonly Json[]>>
  >;

/** What is wished of the sandbox around commands. */
export interface SandboxSettings {
  readonly fail_if_unavailable: boolean;
  readonly allowed_domains: readonly string[];
  readonly allow_read: readonly string[];
  readonly allow_write: readonly string[];
  readonly deny_read: readonly string[];
  readonly excluded_commands: readonly string[];
  readonly allow_escalation: boolean;
}

export const DEFAULT_SANDBOX: SandboxSettings = {
  fail_if_unavailable: false,
  allowed_domains: [],
  allow_read: [],
  allow_write: [],
  deny_read: [],
  excluded_commands: [],
  allow_escalation: true,
};

export function sandboxSchema(): z.ZodType<SandboxSettings> {
  const list = z.array(z.string().trim().min(1, "must not be empty"), "must be a list of texts").default([]);
  return z.strictObject({
    fail_if_unavailable: z.boolean("must be true or false").default(false),
    allowed_domains: list,
    allow_read: list,
    allow_write: list,
    deny_read: list,
    excluded_commands: list,
    allow_escalation: z.boolean("must be true or false").default(true),
  });
}

/** True for the variables from which Lumina itself takes a key; a child never gets them. */
export function isOwnKeyVariable(name: string): boolean {
  return /^(LUMINA|LLM)_.*(KEY|TOKEN|SECRET|JWT)/.test(name);
}

/** An amount of money. */
export function dollars() {
  return z.number().positive();
}

/** Prices by the names of models. */
export function priceList() {
  return z.record(z.string().min(1), z.array(z.number().nonnegative()).min(2).max(4));
}

/** A path that means the same from everywhere. */
export const absoluteOrHome = () =>
  z.string().refine((path) => path.startsWith("/") || path.startsWith("~/") || /^[A-Za-z]:[\\/]/.test(path));
