export type {
  AppPort,
  CliAnswer,
  CliQuestion,
  KeepFor,
  LockdownReport,
  OpenSession,
  PermissionUpdate,
  RuleUpdate,
  RunFlags,
  SessionCatalogue,
  SessionPrompt,
} from "./app_port.ts";
export type { SessionBranch, SessionListPort, SessionQuery, SessionRow } from "./session_list_port.ts";
export type { HistoryDetail, HistoryListing, HistoryPort, HistoryRow } from "./history_port.ts";
export type { ImportedFile, ImportPort, ImportReport } from "./import_port.ts";
export type { DeletedSession, SessionManagePort } from "./session_manage_port.ts";
export type { RepairedSession, RepairPort, VerifiedSession } from "./repair_port.ts";
export type { SessionShowPort, ShownCall, ShownMessage, ShownSession } from "./session_show_port.ts";
export type {
  CleanupAction,
  CleanupReport,
  RetentionRules,
  StorageAmount,
  StoragePort,
  StorageStatus,
} from "./storage_port.ts";
export type { RewindDecision, RewindPath, RewindPort, RewindReport, RewindRequest } from "./rewind_port.ts";
export type { SearchHit, SearchPort, SearchQuery, SearchResult } from "./search_port.ts";
export type { ExportedText, ExportPort, ExportRequest } from "./export_port.ts";
export type { PluginAuthorPort, PluginBuild, PluginCheck, PluginRound } from "./plugin_author_port.ts";
export type {
  InstalledPlugin,
  PluginConsent,
  PluginInstallPort,
  PluginQuestion,
  PluginRemoval,
  PluginScopeOptions,
} from "./plugin_install_port.ts";
export type {
  ListedRule,
  LoggedDecision,
  PermissionExplanation,
  PermissionListing,
  PermissionPort,
  RulesQuery,
} from "./permission_port.ts";
export type { DoctorCheck, DoctorPort, DoctorRequest } from "./doctor_port.ts";
export { RULE_DIALECTS } from "./permission_import_port.ts";
export type {
  ImportChange,
  ImportedRuleFile,
  ImportEntry,
  ImportOutcome,
  ListRule,
  PermissionImport,
  PermissionImportPort,
  RuleDialect,
} from "./permission_import_port.ts";
export type { RulePlace } from "./rule_place.ts";
export type { LineVerdicts, PermissionTestPort } from "./permission_test_port.ts";
export type { HookListing, HooksPort, ListedHook } from "./hook_port.ts";
export type { AgentListing, AgentsPort, ListedAgentType, PrunedWorktrees } from "./agent_port.ts";
export type { ListedSkill, SkillListing, SkillsPort } from "./skill_port.ts";
export type { ReportPort } from "./report_port.ts";
export type { PlayedEvent, ReplayFrom, ReplayPort } from "./replay_port.ts";
export type { SearxngStart, SearxngStatus, ServicesPort } from "./services_port.ts";
export type { TrustItem, TrustPort, TrustReport } from "./trust_port.ts";
export { processIo } from "./io.ts";
export type { CliIo } from "./io.ts";
export { runCli } from "./program.ts";
export type { CliDeps } from "./cli_deps.ts";
export type {
  PluginDetails,
  PluginListing,
  PluginListOptions,
  PluginListPort,
  PluginRow,
  PluginTrusted,
  PluginTrustQuestion,
} from "./plugin_list_port.ts";
