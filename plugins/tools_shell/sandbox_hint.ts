import type { Confinement } from "../../core/plugin_api/mod.ts";
import type { SandboxConfig } from "./sandbox_config.ts";

const NO_NETWORK =
  /network is (?:unreachable|down)|could not resolve|name resolution|unknown host|no route to host|couldn't connect|getaddrinfo|failed to lookup address/i;
// words of errno are told apart from such as FileNotFoundError
const NO_NETWORK_CODE = /\b(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH)\b/;
const OWN_LOOPBACK = /connection refused|\bECONNREFUSED\b|failed to connect/i;
const NO_ACCESS =
  /read-only file system|permission denied|operation not permitted|device or resource busy|cross-device link|\bE(?:ROFS|ACCES|PERM|BUSY|XDEV)\b/i;
const NO_CREDENTIALS =
  /publickey|host key verification|authentication|credential|unauthori[sz]ed|not logged in|\blog ?in (?:to|with|first|required)\b|no secret key|could not read (?:username|password)|access denied|permission denied, please|\b40[13]\W+(?:unauthori|forbidden)|\b(?:http|error|status|code)\W+40[13]\b/i;
const MOVED = /device or resource busy|cross-device link|\bE(?:BUSY|XDEV)\b/i;

/**
 * What the sandbox may have had to do with a failure, in one line for the model, with how to ask for more; undefined where
 * nothing in the output looks like it.
 */
export function sandboxHint(
  output: string,
  confinement: Confinement | undefined,
  { allow_escalation, secrets, pinned, proxy }: SandboxConfig,
): string | undefined {
  const { level = "none", network = true } = confinement ?? {};
  const ask = (word: string) => allow_escalation ? `; escalate "${word}" asks a person for it` : "";
  if (level === "closed" && !network) {
    const reach = proxy === undefined ? "no network" : "no network but sandbox.allowed_domains";
    if (NO_NETWORK.test(output) || NO_NETWORK_CODE.test(output)) {
      return `the sandbox has ${reach}${ask("network")}`;
    }
    if (OWN_LOOPBACK.test(output)) {
      return `the sandbox has ${reach}, and each command a loopback of its own: servers of other commands are not reached${
        ask("network")
      }`;
    }
  }
  if (level === "closed" && NO_ACCESS.test(output)) {
    return `the sandbox writes in the workspace and /tmp alone and hides secrets${ask("outside")}`;
  }
  if (level === "guarded" && pinned.length > 0 && MOVED.test(output)) {
    return `the sandbox keeps folders that hold secrets where they are (${pinned.join(", ")})${
      ask("outside")
    }`;
  }
  if (level === "guarded" && secrets.length > 0 && NO_CREDENTIALS.test(output)) {
    const places = secrets.slice(0, 4).map(({ path }) => path);
    const more = secrets.length > places.length ? ", …" : "";
    return `the sandbox hid secrets from this command (${places.join(", ")}${more})${ask("outside")}`;
  }
  return undefined;
}
