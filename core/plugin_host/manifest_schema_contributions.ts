import * as z from "zod";
import { CAPABILITY_KINDS, HOOK_EVENTS, HOST_ACTIONS, MEMORY_HOOKS } from "../plugin_api/mod.ts";
import type {
  Contributions,
  HookMatcher,
  HostContribution,
  McpContribution,
  McpServer,
  MemoryContribution,
  TeamContribution,
  ToolManifest,
} from "../plugin_api/mod.ts";
import { programName } from "./manifest_schema_capability.ts";
import { handlerName, packPath, plainName } from "./manifest_schema_texts.ts";
import { workflowManifest } from "./manifest_schema_workflow.ts";

/** Hooks of one event in one pack: a person reads each. */
const MAX_HOOKS = 50;

/** What a plugin brings, by kind. */
export function contributions(tools: z.ZodType<ToolManifest[]>): z.ZodType<Contributions> {
  return z.strictObject({
    tools: tools.default([]),
    mcp: mcp().exactOptional(),
    memory: memory().exactOptional(),
    team: team().exactOptional(),
    workflow: workflowManifest().exactOptional(),
    host: host().exactOptional(),
    skills: z.array(packPath()).min(1).exactOptional(),
    commands: z.array(packPath()).min(1).exactOptional(),
    hooks: hooks().exactOptional(),
  }).default({ tools: [] });
}

const timeout = () => z.int().positive().max(86_400_000).exactOptional();

function mcp(): z.ZodType<McpContribution> {
  const texts = () => z.record(z.string().min(1), z.string()).exactOptional();
  const server: z.ZodType<McpServer> = z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("stdio"),
      command: z.string().min(1),
      args: z.array(z.string()).exactOptional(),
      env: texts(),
      timeout_ms: timeout(),
    }),
    z.strictObject({
      type: z.enum(["http", "sse", "ws"]),
      url: z.string().regex(/^(?:https?|wss?):\/\/[^\s/]/, "must be an http, https, ws or wss URL"),
      headers: texts(),
      timeout_ms: timeout(),
    }),
  ]);
  return z.strictObject({ servers: z.record(plainName(), server) });
}

function memory(): z.ZodType<MemoryContribution> {
  return z.strictObject({ hooks: z.partialRecord(z.enum(MEMORY_HOOKS), handlerName()) });
}

function team(): z.ZodType<TeamContribution> {
  return z.strictObject({ teams: z.array(packPath()).min(1) });
}

function host(): z.ZodType<HostContribution> {
  return z.strictObject({
    name: plainName(),
    actions: z.partialRecord(z.enum(HOST_ACTIONS), handlerName()),
    task_tool: z.string().min(1).max(128).exactOptional(),
  }).check(({ value, issues }) => {
    for (const action of ["discover", "create_top_level_task", "read_task"] as const) {
      if (value.actions[action] !== undefined) continue;
      issues.push({
        code: "custom",
        input: value,
        path: ["actions"],
        message: `must have "${action}": an adapter without it cannot watch a lane`,
      });
    }
  });
}

function hooks(): z.ZodType<NonNullable<Contributions["hooks"]>> {
  const matcher: z.ZodType<HookMatcher> = z.strictObject({
    matcher: z.string().max(500).refine(isMatcher, {
      error: "must be *, names with | between, or a regular expression",
    })
      .exactOptional(),
    handler: handlerName(),
    capabilities: z.array(z.enum(CAPABILITY_KINDS)).exactOptional(),
    programs: z.array(programName()).exactOptional(),
    timeout_ms: timeout(),
  });
  return z.partialRecord(z.enum(HOOK_EVENTS), z.array(matcher).min(1).max(MAX_HOOKS));
}

/** As the hook protocol reads one: what is no list of names is a regular expression. */
function isMatcher(text: string): boolean {
  if (text === "*") return true;
  try {
    return new RegExp(text) !== undefined;
  } catch {
    return false; // the parser's words name no place in the manifest
  }
}
