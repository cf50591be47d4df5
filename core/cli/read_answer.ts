import { parseUpdates } from "../protocol/mod.ts";
import type { InputLine } from "../protocol/mod.ts";
import { isJsonObject } from "../types/mod.ts";
import type { CliAnswer } from "./app_port.ts";

/**
 * What a client answered. Whatever is no plain yes is a no, and a yes to a changed input that cannot be read is one as well:
 * the call as it stood was not what it is about. A no keeps what refuses or asks alone.
 */
export function readAnswer({ ok, response, error }: InputLine & { type: "control_response" }): CliAnswer {
  const said = ok && isJsonObject(response) ? response : {};
  const { updates, problems } = parseUpdates(said["updatedPermissions"]);
  const changed = said["updatedInput"] ?? undefined;
  if (said["behavior"] === "allow") {
    if (changed === undefined) return { behavior: "allow", updates, problems };
    if (isJsonObject(changed)) return { behavior: "allow", updates, problems, updated_input: changed };
    return { behavior: "deny", message: "the client's answer has an updatedInput that is no object" };
  }
  const message = typeof said["message"] === "string" ? said["message"] : error ?? "the client refused";
  if (said["behavior"] !== "deny") return { behavior: "deny", message };
  const kept = updates.filter((update) => "rules" in update && update.list !== "allow");
  if (kept.length < updates.length) {
    problems.push("updatedPermissions: what a refusal would allow is not kept");
  }
  return { behavior: "deny", message, interrupt: said["interrupt"] === true, updates: kept, problems };
}
