import type { CompactionRun } from "./compaction_run.ts";
import type { CompactionTrigger } from "./compact_report.ts";

/** Lets hooks and features see a compaction before it begins; hooks may forbid it, both may say what must be kept. */
export async function beforeCompaction(
  { hooks, stages, scope }: CompactionRun,
  trigger: CompactionTrigger,
  wish: string,
  signal: AbortSignal,
): Promise<{ instructions: string } | { blocked: string }> {
  signal.throwIfAborted();
  let instructions = wish;
  if (hooks?.waits("PreCompact") === true) {
    const fields = { trigger: published(trigger), custom_instructions: wish };
    const said = await hooks.run({ event: "PreCompact", subject: [published(trigger)], fields }, signal);
    const refusal = said.block ?? said.stop;
    if (refusal !== undefined) {
      return {
        blocked: `A hook does not let the conversation be compacted: ${refusal.reason} (${refusal.hook})`,
      };
    }
    instructions = [instructions, ...said.context].filter((text) => text !== "").join("\n");
  }
  const moment = { trigger, instructions };
  await stages?.at("before_compaction", moment, { ...scope, signal });
  return { instructions: moment.instructions };
}

/** What features and hooks of a session's start want to be said again. */
export async function notesAfter(
  { hooks, stages, scope, model, standing }: CompactionRun,
  trigger: CompactionTrigger,
  signal: AbortSignal,
): Promise<string[]> {
  const notes = standing === undefined ? [] : [standing];
  await stages?.at("after_compaction", { trigger, notes }, { ...scope, signal });
  if (hooks?.waits("SessionStart") === true) {
    const fields = { source: "compact", model: model.name };
    const said = await hooks.run({ event: "SessionStart", subject: ["compact"], fields }, signal);
    notes.push(...said.context.map((text) => `<hook_context>\n${text}\n</hook_context>`));
  }
  return notes;
}

/** Tells hooks that it is done; what they say changes nothing. */
export async function toldAfter(
  { hooks }: CompactionRun,
  trigger: CompactionTrigger,
  compact_summary: string,
  signal: AbortSignal,
): Promise<void> {
  if (hooks?.waits("PostCompact") !== true || signal.aborted) return;
  const fields = { trigger: published(trigger), compact_summary };
  await hooks.run({ event: "PostCompact", subject: [published(trigger)], fields }, signal);
}

/** The published protocol knows two triggers. */
function published(trigger: CompactionTrigger): "auto" | "manual" {
  return trigger === "manual" ? "manual" : "auto";
}
