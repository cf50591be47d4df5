import { hostOfUrl, matchesHost, readHostPattern } from "../../permission/mod.ts";
import type { Verdict } from "../../types/mod.ts";

/** True when a list names the host of the URL itself, with its port where the list has one; patterns with `*` name no address. */
export function namesHostOf(hosts: readonly string[], url: URL): boolean {
  const host = hostOfUrl(url.href);
  if (host === undefined) return false;
  return hosts.some((text) => {
    const pattern = readHostPattern(text);
    return pattern?.host !== undefined && matchesHost(pattern, host);
  });
}

/** True when an allow rule decided that names exactly this host: `WebFetch(domain:docs.rs)`, no pattern, not the bare tool. */
export function ruleNamesHost({ behavior, source, rule }: Verdict, url: URL): boolean {
  if (behavior !== "allow" || source !== "rule") return false;
  const named = /^\w+\(domain:\s*([^)*]+?)\s*\)/.exec(rule ?? "")?.[1];
  return named !== undefined && namesHostOf([named], url);
}
