import type { HookHandler } from "../lumina.d.ts";

/** What everybody who commits here should know. */
const RULES = "Commit messages here are one line of at most 72 characters, in the present tense.";

/** PreToolUse: sees each call of Bash before it runs. Nothing returned means: nothing to say, the usual rules decide. */
export const guardPushes: HookHandler = (input) => {
  const { tool_input } = input;
  const command = typeof tool_input === "object" && tool_input !== null &&
      "command" in tool_input
    ? tool_input.command
    : undefined;
  if (typeof command !== "string" || !isForcedPush(command)) return undefined;
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      // the model reads it: say what would work
      permissionDecisionReason:
        "A forced push can lose the work of others: push without --force, or ask first",
    },
  };
};

/** UserPromptSubmit: sees each prompt before the model does, and may add to it. */
export const remindOfRules: HookHandler = ({ prompt }) => {
  if (typeof prompt !== "string" || !/\bcommit/i.test(prompt)) return undefined;
  return {
    hookSpecificOutput: {
      hookEventName: "UserPromptSubmit",
      additionalContext: RULES,
    },
  };
};

/** True for a line that pushes with force, wherever in the line it does. */
export function isForcedPush(command: string): boolean {
  return /\bgit\b[^;&|\n]*\bpush\b[^;&|\n]*\s(?:-f\b|--force(?![-\w])|\+\S)/.test(
    command,
  );
}
