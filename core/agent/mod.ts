export { answerCheck, answerInstruction } from "./answer_schema.ts";
export type { AnswerCheck } from "./answer_schema.ts";
export { readInstructions, readInstructionsOf } from "./instructions.ts";
export type { InstructionFile, InstructionOptions } from "./instructions.ts";
export type {
  AskPort,
  CaptureNote,
  CapturePort,
  EmitRunEvent,
  GatePort,
  HookPort,
  PermissionAnswer,
  PermissionQuestion,
  ToolPort,
  ToolRun,
} from "./ports.ts";
export type { HostTool } from "./host_tool.ts";
export { Inbox } from "./inbox.ts";
export type { InboxItem, InboxMessage, InboxNotice } from "./inbox.ts";
export { tellInbox } from "./tell_inbox.ts";
export { runAgent } from "./run_agent.ts";
export { settlePermission } from "./settle_permission.ts";
export { STAGE_ORDER, Stages } from "./stages.ts";
export type { RunScope, StageMoments, StageParticipant } from "./stages.ts";
export { withHookContext } from "./run_hooks.ts";
export { Compactor } from "./compaction/compactor.ts";
export type { CompactionRun } from "./compaction/compaction_run.ts";
export type { CompactorDeps } from "./compaction/compactor.ts";
export type { CompactionTrigger, CompactReport } from "./compaction/compact_report.ts";
export { contextUse } from "./context/context_use.ts";
export type { ContextUse } from "./context/context_use.ts";
export { estimateTokens, textTokens } from "./context/token_count.ts";
export type { AgentDeps, RunOptions } from "./run_options.ts";
export type { BesideUse } from "./run_totals.ts";
export { summarise, SUMMARY_TOKENS } from "./session_memory.ts";
export type { Summary, SummaryCost, SummaryOutcome } from "./session_memory.ts";
export { momentText, systemPrompt } from "./system_prompt.ts";
