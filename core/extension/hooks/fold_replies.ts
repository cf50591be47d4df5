import { canonicalJson } from "../../base/mod.ts";
import { isJsonObject } from "../../types/mod.ts";
import type { Behavior, HookEvent, HookOutcome, HookReply, Json, JsonObject } from "../../types/mod.ts";
import type { HookOrigin } from "./handler.ts";

/** What one hook said at a moment. */
export interface NamedReply {
  name: string;
  source: HookOrigin;
  reply: HookReply;
}

/** Events that a block stops; elsewhere the reason is for the model or for people. */
const BLOCKABLE: ReadonlySet<HookEvent> = new Set<HookEvent>([
  "UserPromptSubmit",
  "UserPromptExpansion",
  "PostToolBatch",
  "Stop",
  "SubagentStop",
  "TeammateIdle",
  "TaskCreated",
  "TaskCompleted",
  "ConfigChange",
  "PreCompact",
  "Elicitation",
  "ElicitationResult",
  "WorktreeCreate",
]);

/** Events whose plain output the model reads. */
const TEXT_IS_CONTEXT: ReadonlySet<HookEvent> = new Set<HookEvent>([
  "SessionStart",
  "UserPromptSubmit",
  "UserPromptExpansion",
]);

const AFTER_A_CALL: ReadonlySet<HookEvent> = new Set<HookEvent>(["PostToolUse", "PostToolUseFailure"]);

const STRICTNESS: Readonly<Record<Behavior, number>> = { allow: 0, ask: 1, deny: 2 };

/**
 * Joins what all hooks of one moment said. The strictest word about a call counts: one refusal refuses, whatever the
 * others allow, and the order of the hooks changes nothing of that. A hook of a repository never allows. A yes holds for the
 * input that the hook has seen or has written itself, not for what another one makes of it. Broken replies decide nothing
 * and are named. Pure.
 */
export function foldReplies(event: HookEvent, replies: readonly NamedReply[]): HookOutcome {
  const fold = new Fold(event);
  for (const reply of replies) fold.add(reply);
  return fold.end();
}

class Fold {
  readonly outcome: HookOutcome = { context: [], messages: [], problems: [] };
  readonly #event: HookEvent;
  /** The input that each hook which says yes wrote itself. */
  readonly #allowed: (Json | undefined)[] = [];

  constructor(event: HookEvent) {
    this.#event = event;
  }

  add(named: NamedReply): void {
    const { name, reply } = named;
    switch (reply.kind) {
      case "none":
        return;
      case "error":
        return this.#problem(name, reply.message);
      case "text":
        if (TEXT_IS_CONTEXT.has(this.#event)) this.outcome.context.push(reply.text);
        return;
      case "block":
        return this.#block(name, reply.reason);
      case "json":
        return this.#json(named, reply.value);
    }
  }

  /** What all of them said, once nothing more comes. */
  end(): HookOutcome {
    const { permission, updated_input } = this.outcome;
    if (permission?.behavior !== "allow" || updated_input === undefined) return this.outcome;
    const written = canonicalJson(updated_input);
    const about = (input: Json | undefined) => input !== undefined && canonicalJson(input) === written;
    if (this.#allowed.some(about)) return this.outcome;
    this.#problem(permission.hook, "it allows the call as it was, and another hook has changed the input");
    delete this.outcome.permission;
    return this.outcome;
  }

  #json(named: NamedReply, value: JsonObject): void {
    const { name } = named;
    const message = this.#text(name, value, "systemMessage");
    if (message !== undefined) this.outcome.messages.push(`${name}: ${message}`);
    if (value["continue"] === false) {
      const reason = this.#text(name, value, "stopReason") ?? "it gave no reason";
      this.outcome.stop ??= { reason, hook: name };
    }
    const { decision } = value;
    const reason = this.#text(name, value, "reason");
    if (decision === "block" || decision === "deny") this.#block(name, reason ?? "it gave no reason");
    else if (decision === "approve" || decision === "allow") {
      this.#permission(named, "allow", reason ?? "allowed", writtenInput(value["hookSpecificOutput"]));
    } else if (decision !== undefined && decision !== null) {
      this.#problem(name, `the decision ${shown(decision)} is none that there is`);
    }
    const specific = value["hookSpecificOutput"];
    if (specific === undefined || specific === null) return;
    if (!isJsonObject(specific)) return this.#problem(name, "hookSpecificOutput is no object");
    const { hookEventName } = specific;
    if (hookEventName !== undefined && hookEventName !== this.#event) {
      return this.#problem(
        name,
        `its hookSpecificOutput is for ${shown(hookEventName)} and not for ${this.#event}`,
      );
    }
    this.#specific(named, specific);
  }

  #specific(named: NamedReply, specific: JsonObject): void {
    const { name } = named;
    const context = this.#text(name, specific, "additionalContext");
    if (context !== undefined && context.trim() !== "") this.outcome.context.push(context);
    if (this.#event === "PreToolUse") {
      const { permissionDecision } = specific;
      const reason = this.#text(name, specific, "permissionDecisionReason") ?? "it gave no reason";
      if (permissionDecision === "allow" || permissionDecision === "deny" || permissionDecision === "ask") {
        this.#permission(named, permissionDecision, reason, specific["updatedInput"]);
      } else if (permissionDecision === "defer") {
        // left to whoever started the run: nothing goes on unasked
        this.#permission(named, "ask", reason);
      } else if (permissionDecision !== undefined && permissionDecision !== null) {
        this.#problem(name, `the permissionDecision ${shown(permissionDecision)} is none that there is`);
      }
      this.#input(name, specific["updatedInput"]);
    }
    if (this.#event === "PermissionRequest") this.#request(named, specific["decision"]);
    if (this.#event === "PostToolUse" && specific["updatedToolOutput"] !== undefined) {
      const { updatedToolOutput } = specific;
      const { updated_output } = this.outcome;
      if (
        updated_output !== undefined && canonicalJson(updated_output) !== canonicalJson(updatedToolOutput)
      ) {
        this.#problem(name, "another hook has changed the output as well, and this one comes later");
      }
      this.outcome.updated_output = updatedToolOutput;
    }
  }

  #request(named: NamedReply, decision: Json | undefined): void {
    if (decision === undefined || decision === null) return;
    const { name } = named;
    const behavior = isJsonObject(decision) ? decision["behavior"] : undefined;
    if (!isJsonObject(decision) || (behavior !== "allow" && behavior !== "deny")) {
      return this.#problem(name, `the decision ${shown(decision)} has no behavior allow or deny`);
    }
    const why = this.#text(name, decision, "message") ?? "it gave no reason";
    this.#permission(named, behavior, why, decision["updatedInput"]);
    if (behavior === "deny" && decision["interrupt"] === true) {
      this.outcome.stop ??= { reason: why, hook: name };
    }
    if (behavior === "allow") this.#input(name, decision["updatedInput"]);
  }

  #permission({ name, source }: NamedReply, behavior: Behavior, reason: string, input?: Json): void {
    if (this.#event !== "PreToolUse" && this.#event !== "PermissionRequest") return;
    if (behavior === "allow" && source === "repo") {
      return this.#problem(name, "it would allow the call, which a hook of a repository never does");
    }
    if (behavior === "allow") this.#allowed.push(input);
    const { permission } = this.outcome;
    if (permission === undefined || STRICTNESS[behavior] > STRICTNESS[permission.behavior]) {
      this.outcome.permission = { behavior, reason, hook: name };
    }
  }

  #input(name: string, input: Json | undefined): void {
    if (input === undefined || input === null) return;
    if (!isJsonObject(input)) return this.#problem(name, "its updatedInput is no object");
    const { updated_input } = this.outcome;
    if (updated_input !== undefined && canonicalJson(updated_input) !== canonicalJson(input)) {
      this.#problem(name, "another hook has changed the input as well, and this one comes later");
    }
    this.outcome.updated_input = input;
  }

  #block(name: string, reason: string): void {
    if (this.#event === "PreToolUse" || this.#event === "PermissionRequest") {
      // whoever says no may come from anywhere
      this.#permission({ name, source: "user", reply: { kind: "none" } }, "deny", reason);
    } else if (BLOCKABLE.has(this.#event)) this.outcome.block ??= { reason, hook: name };
    else if (AFTER_A_CALL.has(this.#event)) this.outcome.context.push(`${name}: ${reason}`);
    else this.outcome.messages.push(`${name}: ${reason}`);
  }

  #text(name: string, value: JsonObject, key: string): string | undefined {
    const text = value[key];
    if (text === undefined || text === null) return undefined;
    if (typeof text === "string") return text;
    this.#problem(name, `its ${key} is no text`);
    return undefined;
  }

  #problem(name: string, message: string): void {
    this.outcome.problems.push(`${name}: ${message}`);
  }
}

/** The input that a reply puts in the place of the call's own. */
function writtenInput(specific: Json | undefined): Json | undefined {
  return specific !== undefined && isJsonObject(specific) ? specific["updatedInput"] : undefined;
}

function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
