import type { InstructionFile } from "./instructions.ts";

/**
 * The system prompt: fixed text first, then the project's instructions, then what was appended by a flag. It holds
 * nothing that changes within a session, so that a provider's cache keeps hitting.
 */
export function systemPrompt(
  base: string,
  instructions: readonly InstructionFile[],
  appended: string,
): string {
  const parts = [base.trim()];
  if (instructions.length > 0) {
    const texts = instructions.map(({ path, text }) =>
      `<instructions path="${path}">\n${text}\n</instructions>`
    );
    parts.push(`# Project instructions\nWhere two disagree, the later one holds.\n\n${texts.join("\n\n")}`);
  }
  if (appended.trim() !== "") parts.push(appended.trim());
  return parts.join("\n\n");
}

/** Facts of the moment; they travel before the prompt, never in the system prompt. */
export interface Moment {
  now: Date;
  cwd: string;
  platform: string;
  mode: string;
  /** Branch or commit when the workspace is in a git repository. */
  git_head?: string;
  added_dirs: readonly string[];
}

/** What the model must know of mode plan. */
const PLAN =
  " (look around and change nothing; then hand your plan in with ExitPlanMode, or give it as your answer where there is no such tool)";

/** The context block of a run's first message. */
export function momentText(moment: Moment): string {
  const lines = [
    `Date: ${moment.now.toISOString().slice(0, 10)}`,
    `Working directory: ${moment.cwd}`,
    ...moment.added_dirs.map((directory) => `Additional directory: ${directory}`),
    `Platform: ${moment.platform}`,
    ...(moment.git_head === undefined ? [] : [`Git: ${moment.git_head}`]),
    `Permission mode: ${moment.mode}${moment.mode === "plan" ? PLAN : ""}`,
  ];
  return `<context>\n${lines.join("\n")}\n</context>`;
}
