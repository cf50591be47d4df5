import type { Check } from "./check.ts";

/** What a kernel says of user namespaces, which the sandbox is made of. Texts are those of `/proc/sys`; undefined = absent. */
export interface NamespaceFacts {
  apparmor_restricts: string | undefined;
  unprivileged_clone: string | undefined;
  most_namespaces: string | undefined;
}

/** Reads them on Linux. */
export function namespaceFacts(): NamespaceFacts {
  return {
    apparmor_restricts: procSetting("kernel/apparmor_restrict_unprivileged_userns"),
    unprivileged_clone: procSetting("kernel/unprivileged_userns_clone"),
    most_namespaces: procSetting("user/max_user_namespaces"),
  };
}

/**
 * Whether a user may make namespaces, and what to do where not. `works`: a sandbox was started and ran, so whatever stands in
 * the way holds for others.
 */
export function checkNamespaces(facts: NamespaceFacts, works: boolean): Check {
  const check = { layer: "sandbox", what: "user namespaces" };
  const broken = (found: string, fix: string): Check =>
    works ? { ...check, status: "note", found: `${found}; the sandbox starts nevertheless` } : {
      ...check,
      status: "failed",
      found,
      fix,
    };
  if (facts.unprivileged_clone === "0") {
    return broken(
      "kernel.unprivileged_userns_clone is 0: only root makes them",
      "sudo sysctl -w kernel.unprivileged_userns_clone=1 (and in /etc/sysctl.d to keep it)",
    );
  }
  if (facts.most_namespaces === "0") {
    return broken(
      "user.max_user_namespaces is 0: nobody makes one",
      "sudo sysctl -w user.max_user_namespaces=15000 (and in /etc/sysctl.d to keep it)",
    );
  }
  if (facts.apparmor_restricts === "1") {
    return broken(
      "AppArmor takes the rights in a user namespace away (kernel.apparmor_restrict_unprivileged_userns is 1, as Ubuntu has it)",
      "give bwrap a profile: write /etc/apparmor.d/bwrap with 'abi <abi/4.0>, include <tunables/global> " +
        "profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, include if exists <local/bwrap> }' and run " +
        "sudo apparmor_parser -r /etc/apparmor.d/bwrap; or sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    );
  }
  return { ...check, status: "ok", found: works ? "allowed" : "nothing in /proc/sys forbids them" };
}

function procSetting(name: string): string | undefined {
  try {
    return Deno.readTextFileSync(`/proc/sys/${name}`).trim();
  } catch {
    return undefined; // another kernel, or a container that hides it
  }
}
