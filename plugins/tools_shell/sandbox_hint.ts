import type { Confinement } from "../../core/plugin_api/mod.ts";
import type { SandboxConfig } from "./sandbox_config.ts";

const NO_NETWORK =
  /network is (?:unreachable|down)|could not resolve|name resolution|unknown host|no route to host|couldn't connect|getaddrinfo|ENOTFOUND|EAI_AGAIN|ENETUNREACH|failed to lookup address/i;
const NO_ACCESS = /read-only file system|permission denied|operation not permitted|\bE(?:ROFS|ACCES|PERM)\b/i;
const NO_CREDENTIALS =
  /publickey|host key verification|authenticat|credential|unauthori[sz]ed|not logged in|\blog ?in\b|no secret key|could not read (?:username|password)|permission denied|access denied|\b40[13]\b/i;

/**
 * What the sandbox may have had to do with a failure, in one line for the model, with how to ask for more; undefined where
 * nothing in the output looks like it.
 */
export function sandboxHint(
  output: string,
  confinement: Confinement | undefined,
  { allow_escalation, secrets, proxy }: SandboxConfig,
): string | undefined {
  const { level = "none", network = true } = confinement ?? {};
  const ask = (word: string) => allow_escalation ? `; escalate "${word}" asks a person for it` : "";
  if (level === "closed" && !network && NO_NETWORK.test(output)) {
    const reach = proxy === undefined ? "no network" : "no network but sandbox.allowed_domains";
    return `the sandbox has ${reach}${ask("network")}`;
  }
  if (level === "closed" && NO_ACCESS.test(output)) {
    return `the sandbox writes in the workspace and /tmp alone and hides secrets${ask("outside")}`;
  }
  if (level === "guarded" && secrets.length > 0 && NO_CREDENTIALS.test(output)) {
    const places = secrets.slice(0, 4).map(({ path }) => path);
    const more = secrets.length > places.length ? ", …" : "";
    return `the sandbox hid secrets from this command (${places.join(", ")}${more})${ask("outside")}`;
  }
  return undefined;
}
