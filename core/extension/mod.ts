export type { AgentDefinition, AgentProblem, AgentSource } from "./agents/agent_definition.ts";
export { findAgents } from "./agents/find_agents.ts";
export type { AgentPlace, FoundAgents } from "./agents/find_agents.ts";
export { AGENT_TOOL, mayUse } from "./agents/narrow_tools.ts";
export { findCommandFiles } from "./commands/find_command_files.ts";
export type { CommandFile, CommandPlace } from "./commands/find_command_files.ts";
export { positionalArguments } from "./commands/positional_arguments.ts";
export { findOutputStyles, problemOf } from "./commands/output_style.ts";
export type { FileProblem, OutputStyle } from "./commands/output_style.ts";
export { FrontMatterError, readFrontMatter } from "./front_matter.ts";
export type { FrontMatter } from "./front_matter.ts";
export { foldReplies } from "./hooks/fold_replies.ts";
export type { NamedReply } from "./hooks/fold_replies.ts";
export type { HookHandler, HookOrigin, HookSource } from "./hooks/handler.ts";
export { FIRED_EVENTS, hookKey, hookText, TOOL_EVENTS } from "./hooks/hook_definition.ts";
export type { CommandHook, HookDefinition, HookProblem, HttpHook } from "./hooks/hook_definition.ts";
export { hookMatcher } from "./hooks/hook_matcher.ts";
export type { HookMatcher } from "./hooks/hook_matcher.ts";
export { parseHooks } from "./hooks/parse_hooks.ts";
export { readExit, readText } from "./hooks/read_output.ts";
export type { HookExit } from "./hooks/read_output.ts";
export { nameProblem, parseSkill } from "./skills/parse_skill.ts";
export type { ParsedSkill } from "./skills/parse_skill.ts";
export { skillParts, splitWords, substitute } from "./skills/render_skill.ts";
export type { Arguments, SkillPart } from "./skills/render_skill.ts";
export type {
  Skill,
  SkillFields,
  SkillPlace,
  SkillProblem,
  SkillShell,
  SkillSource,
} from "./skills/skill.ts";
export { SkillLibrary } from "./skills/skill_library.ts";
export type { FoundSkills } from "./skills/skill_library.ts";
