import type { ToolManifest } from "../../plugin_api/mod.ts";
import type { JsonObject, Verdict } from "../../types/mod.ts";
import { serviceFailure } from "./service_failure.ts";
import type { ServiceCall, ServicePorts } from "./service_port.ts";

/** A tool as the rules know it: what a pack does through the host is judged as if the model had called that tool. */
function asTool(
  name: string,
  aliases: string[],
  effect: ToolManifest["effect"],
  subject: ToolManifest["subject"],
): ToolManifest {
  return {
    name,
    aliases,
    description: "",
    input_schema: { type: "object" },
    effect,
    subject,
    capabilities: [],
    programs: [],
    parallel: false,
    repeat: "mark",
    timeout_ms: 60_000,
  };
}

export const AS_READ = asTool("Read", ["read_file"], "read", { kind: "path", param: "file_path" });
export const AS_WRITE = asTool("Write", ["write_file"], "write", { kind: "path", param: "file_path" });
export const AS_LIST = asTool("List", ["list_dir"], "read", { kind: "path", param: "path" });
export const AS_FETCH = asTool("WebFetch", ["web_fetch"], "net", { kind: "url", param: "url" });

/** What may be done, and who said so. */
export interface Decision {
  verdict: Verdict;
  by: "policy" | "user";
}

/**
 * Asks the permission kernel, and a person where it says so. Gives the verdict when it may be done; throws `denied`
 * otherwise, `unavailable` where a person would have to be asked and there is none. A refusal is recorded at once; what is
 * allowed, by `recordAllowed`, once it is certain.
 */
export async function judged(
  tool: ToolManifest,
  input: JsonObject,
  call: ServiceCall,
  ports: ServicePorts,
): Promise<Decision> {
  const verdict = await ports.judge(tool, input);
  if (verdict.behavior === "allow") return { verdict, by: "policy" };
  const who = `the plugin ${call.pack.id}`;
  if (verdict.behavior === "deny") {
    await record(tool, verdict, "deny", "policy", verdict.reason, call, ports);
    throw serviceFailure("denied", `${tool.name} was refused to ${who}: ${verdict.reason}`);
  }
  const asked = { ...verdict, reason: `${who} asks for it: ${verdict.reason}` };
  const answer = await ports.ask(
    { call_id: call.call_id, tool: tool.name, input, verdict: asked },
    call.signal,
  );
  call.signal.throwIfAborted();
  if (answer.behavior === "allow") return { verdict, by: "user" };
  const reason = answer.message ?? verdict.reason;
  await record(tool, verdict, "deny", answer.by, reason, call, ports);
  throw answer.by === "headless"
    ? serviceFailure(
      "unavailable",
      `${tool.name} for ${who} needs a person to ask, and there is none: ${verdict.reason}`,
    )
    : serviceFailure("denied", `The user did not allow ${tool.name} to ${who}: ${reason}`);
}

/** Commits the permission before what was permitted happens. */
export async function recordAllowed(
  tool: ToolManifest,
  { verdict, by }: Decision,
  call: ServiceCall,
  ports: ServicePorts,
): Promise<void> {
  await record(tool, verdict, "allow", by, verdict.reason, call, ports);
}

async function record(
  tool: ToolManifest,
  verdict: Verdict,
  behavior: "allow" | "deny",
  by: "policy" | "user" | "headless",
  reason: string,
  call: ServiceCall,
  ports: ServicePorts,
): Promise<void> {
  await ports.decided({
    pack: call.pack.id,
    call_id: call.call_id,
    tool: tool.name,
    behavior,
    by,
    source: verdict.source,
    reason,
    ...(verdict.rule === undefined ? {} : { rule: verdict.rule }),
  });
}
