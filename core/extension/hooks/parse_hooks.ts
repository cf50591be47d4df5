import { errorMessage, nearest } from "../../base/mod.ts";
import { parseRule } from "../../permission/mod.ts";
import { HOOK_EVENTS, isJsonObject } from "../../types/mod.ts";
import type { HookEvent, Json, JsonObject } from "../../types/mod.ts";
import { FIRED_EVENTS, TOOL_EVENTS } from "./hook_definition.ts";
import type { CommandHook, HookDefinition, HookProblem, HttpHook } from "./hook_definition.ts";
import { hookMatcher } from "./hook_matcher.ts";

/** Seconds that a hook may take when it names no limit. */
const DEFAULT_SECONDS = 600;
/** What somebody waits for at the keyboard, or at the end, may take less. */
const SHORTER: Partial<Record<HookEvent, number>> = { UserPromptSubmit: 30, SessionEnd: 10 };
const MOST_SECONDS = 86_400;
/** Hooks of one file; what comes after is named. */
const MOST_HOOKS = 500;

/** Types of the protocol that this version does not run. */
const UNSUPPORTED_TYPES = ["mcp_tool", "prompt", "agent"];
const KNOWN_KEYS = new Set([
  "type",
  "command",
  "args",
  "if",
  "timeout",
  "async",
  "asyncRewake",
  "shell",
  "statusMessage",
  "url",
  "headers",
  "allowedEnvVars",
  "description",
  "once",
]);

/**
 * Reads `{Event: [{matcher, hooks: [...]}]}`, the published form. What cannot be used is named with its place and left
 * out alone: every other hook counts. Never throws.
 */
export function parseHooks(value: Json): { hooks: HookDefinition[]; problems: HookProblem[] } {
  const reader = new Reader();
  reader.all(value);
  return { hooks: reader.hooks, problems: reader.problems };
}

class Reader {
  readonly hooks: HookDefinition[] = [];
  readonly problems: HookProblem[] = [];

  all(value: Json): void {
    if (!isJsonObject(value)) return this.#wrong([], "hooks must be an object of events");
    for (const [name, groups] of Object.entries(value)) {
      const event = HOOK_EVENTS.find((each) => each === name);
      if (event === undefined) {
        const near = nearest(name, HOOK_EVENTS);
        const hint = near === undefined ? "" : `; did you mean ${near}?`;
        this.#wrong([name], `there is no event ${JSON.stringify(name)}${hint}`);
        continue;
      }
      if (!Array.isArray(groups)) {
        this.#wrong([name], `${name} must be a list of {matcher, hooks}`);
        continue;
      }
      groups.forEach((group, index) => this.#group(event, group, [name, index]));
      if (!FIRED_EVENTS.has(event) && groups.length > 0) {
        this.#wrong([name], `${name} is not fired by this version`);
      }
    }
  }

  #group(event: HookEvent, group: Json, path: (string | number)[]): void {
    if (!isJsonObject(group) || !Array.isArray(group["hooks"])) {
      return this.#wrong(path, "must be {matcher, hooks: [...]}");
    }
    const { matcher } = group;
    if (matcher !== undefined && matcher !== null && typeof matcher !== "string") {
      return this.#wrong([...path, "matcher"], "the matcher must be a text");
    }
    try {
      hookMatcher(matcher ?? undefined);
    } catch (error) {
      return this.#wrong([...path, "matcher"], errorMessage(error));
    }
    const head = { event, ...(typeof matcher === "string" && matcher.trim() !== "" ? { matcher } : {}) };
    group["hooks"].forEach((hook, index) => this.#hook(head, hook, [...path, "hooks", index]));
  }

  #hook(head: { event: HookEvent; matcher?: string }, hook: Json, path: (string | number)[]): void {
    if (this.hooks.length === MOST_HOOKS) {
      return this.#wrong(path, `more than ${MOST_HOOKS} hooks: this one is not run`);
    }
    if (!isJsonObject(hook)) return this.#wrong(path, "a hook must be an object with a type");
    for (const key of Object.keys(hook)) {
      // keys of a type that is not run anyway say nothing
      if (!KNOWN_KEYS.has(key) && !UNSUPPORTED_TYPES.includes(String(hook["type"]))) {
        this.#wrong([...path, key], `unknown key ${JSON.stringify(key)} is ignored`);
      }
    }
    const act = this.#act(hook, path);
    const condition = this.#condition(head.event, hook["if"], path);
    if (act === undefined || condition === null) return;
    this.hooks.push({
      ...head,
      ...act,
      ...(condition === undefined ? {} : { condition }),
      timeout_ms: this.#timeout(head.event, hook["timeout"], path),
      background: hook["async"] === true || hook["asyncRewake"] === true,
      path,
    });
    if (hook["asyncRewake"] === true) {
      this.#wrong([...path, "asyncRewake"], "it runs beside the work and wakes nobody");
    }
  }

  #act(hook: JsonObject, path: (string | number)[]): CommandHook | HttpHook | undefined {
    const { type, command, args, shell } = hook;
    if (type === "command") {
      if (typeof command !== "string" || command.trim() === "") {
        this.#wrong(path, "a hook of type command needs a command; it is not run");
        return undefined;
      }
      if (command.includes("\0")) {
        this.#wrong(path, "the command holds a NUL; it is not run");
        return undefined;
      }
      if (shell !== undefined && shell !== "bash") {
        this.#wrong([...path, "shell"], `shell ${JSON.stringify(shell)} is not supported; it is not run`);
        return undefined;
      }
      if (args === undefined) return { type, command };
      if (!isTextList(args)) {
        this.#wrong([...path, "args"], "args must be a list of texts; it is not run");
        return undefined;
      }
      return { type, command, args };
    }
    if (type === "http") return this.#http(hook, path);
    const known = UNSUPPORTED_TYPES.includes(String(type));
    const what = known ? `type ${JSON.stringify(type)} is not supported by this version` : badType(type);
    this.#wrong([...path, "type"], `${what}; the hook is not run`);
    return undefined;
  }

  #http(hook: JsonObject, path: (string | number)[]): HttpHook | undefined {
    const { url, headers = {}, allowedEnvVars = [] } = hook;
    const parsed = typeof url === "string" ? URL.parse(url) : null;
    const wrong = typeof url !== "string" || parsed === null || !/^https?:$/.test(parsed.protocol)
      ? "url must be an http or https address"
      : !isJsonObject(headers) || Object.values(headers).some((value) => typeof value !== "string")
      ? "headers must be an object of texts"
      : !isTextList(allowedEnvVars)
      ? "allowedEnvVars must be a list of names"
      : undefined;
    if (wrong !== undefined || typeof url !== "string") {
      this.#wrong(path, `${wrong}; the hook is not run`);
      return undefined;
    }
    try {
      new Headers(headers as Record<string, string>);
    } catch {
      this.#wrong([...path, "headers"], "a header's name or value cannot be sent; the hook is not run");
      return undefined;
    }
    return {
      type: "http",
      url,
      headers: headers as Record<string, string>,
      allowed_env: allowedEnvVars as string[],
    };
  }

  /** The rule, undefined where there is none, null where the hook can never run. */
  #condition(
    event: HookEvent,
    value: Json | undefined,
    path: (string | number)[],
  ): string | undefined | null {
    if (value === undefined || value === null) return undefined;
    const at = [...path, "if"];
    if (typeof value !== "string") {
      this.#wrong(at, '"if" must be a permission rule such as Bash(git *); the hook runs at every call');
      return undefined;
    }
    if (!TOOL_EVENTS.has(event)) {
      this.#wrong(at, `"if" goes with events about a tool; at ${event} the hook is never run`);
      return null;
    }
    try {
      return parseRule(value, { origin: "user", base_dir: "/" }).text;
    } catch (error) {
      // a hook that should look at some calls looks at all of them rather than at none
      this.#wrong(at, `${errorMessage(error)}; the hook runs at every call`);
      return undefined;
    }
  }

  #timeout(event: HookEvent, value: Json | undefined, path: (string | number)[]): number {
    const usual = SHORTER[event] ?? DEFAULT_SECONDS;
    if (value === undefined || value === null) return usual * 1000;
    if (typeof value === "number" && value > 0 && value <= MOST_SECONDS) return Math.ceil(value * 1000);
    this.#wrong(
      [...path, "timeout"],
      `timeout must be a number of seconds above 0, at most ${MOST_SECONDS}; ${usual} s hold`,
    );
    return usual * 1000;
  }

  #wrong(path: readonly (string | number)[], text: string): void {
    this.problems.push({ path, text });
  }
}

function badType(type: Json | undefined): string {
  return type === undefined ? "the hook has no type" : `there is no type ${JSON.stringify(type)}`;
}

function isTextList(value: Json): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
