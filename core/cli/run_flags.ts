import { EXIT, LuminaError } from "../base/mod.ts";
import type { JsonObject, PermissionMode } from "../types/mod.ts";
import type { RunFlags } from "./app_port.ts";
import type { OutputFormat } from "./output.ts";
import type { ReplayFrom } from "./replay_port.ts";

/** The options of the root command as they are parsed. */
export interface RunOptions {
  print?: string | true;
  outputFormat: OutputFormat;
  inputFormat: "text" | "stream-json";
  includePartialMessages?: true;
  replayUserMessages?: true;
  jsonSchema?: JsonObject;
  appendSystemPrompt?: string;
  maxTurns?: number;
  maxBudgetUsd?: number;
  model?: string;
  effort?: string;
  apiType?: string;
  provider?: string;
  replayFile?: string;
  baseUrl?: string;
  apiKey?: string;
  maxTokens?: number;
  settings?: string;
  cwd?: string;
  sessionId?: string;
  resume?: string;
  continue?: true;
  forkSession?: true;
  list?: true;
  json?: true;
  permissionMode?: PermissionMode;
  yolo?: true;
  allowedTools: string[];
  disallowedTools: string[];
  addDir: string[];
  permissionPrompt?: "stdio";
  permissionPromptTool?: "stdio";
  failOnDenial?: true;
  lockdown: string[];
  trustProject?: true;
  bare?: true;
  verbose?: true;
}

/** The flags of a run, checked against each other. */
export function runFlags(options: Partial<RunOptions>): RunFlags {
  const { sessionId, resume } = options;
  const old = resume !== undefined || options.continue === true;
  requirePair(
    options.forkSession === true,
    old,
    "--fork-session needs --resume or --continue: it says which session is forked",
  );
  requirePair(
    old,
    (resume === undefined || options.continue === undefined) &&
      (sessionId === undefined || options.forkSession === true),
    "--session-id, --resume and --continue exclude each other",
  );
  const id = sessionId === undefined ? {} : { id: sessionId };
  const fork = options.forkSession ? { fork: id } : {};
  requirePair(
    options.yolo === true,
    options.permissionMode === undefined,
    "--yolo and --permission-mode exclude each other",
  );
  const replay = replayFrom(options);
  const mode = options.yolo ? "yolo" : options.permissionMode;
  const optional = {
    cwd: options.cwd,
    settings_file: options.settings,
    model: options.model,
    api_type: replay === undefined ? options.apiType ?? options.provider : "replay",
    base_url: options.baseUrl,
    api_key: options.apiKey,
    effort: options.effort,
    max_tokens: options.maxTokens,
    permission_mode: mode,
    append_system_prompt: options.appendSystemPrompt,
    max_turns: options.maxTurns,
    max_budget_usd: options.maxBudgetUsd,
    json_schema: options.jsonSchema,
    replay,
    lockdown: options.lockdown?.length ? options.lockdown.join(",") : undefined,
  };
  return {
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
    allowed_tools: options.allowedTools ?? [],
    disallowed_tools: options.disallowedTools ?? [],
    add_dirs: options.addDir ?? [],
    fail_on_denial: options.failOnDenial ?? false,
    bare: options.bare ?? false,
    trust_project: options.trustProject ?? false,
    session: resume !== undefined
      ? { kind: "resume", id: resume, ...fork }
      : options.continue
      ? { kind: "continue", ...fork }
      : { kind: "new", ...id },
  };
}

/** `--provider replay:ID`, or `--provider replay --replay-file FILE`. */
function replayFrom({ apiType, provider, replayFile }: Partial<RunOptions>): ReplayFrom | undefined {
  requirePair(provider !== undefined, apiType === undefined, "--provider is another name of --api-type");
  const session = /^replay:(.*)$/.exec(provider ?? "")?.[1];
  requirePair(session === "", false, "--provider replay: needs the id of a session behind the colon");
  requirePair(
    replayFile !== undefined,
    session === undefined && (provider ?? apiType) === "replay",
    "--replay-file goes with --provider replay",
  );
  if (session !== undefined) return { session };
  return replayFile === undefined ? undefined : { file: replayFile };
}

/** Throws `cli.usage` when something that was asked for does not go with the rest. */
export function requirePair(when: boolean, holds: boolean, message: string): void {
  if (when && !holds) throw new LuminaError("cli.usage", message, { exit: EXIT.usage });
}
