import type { Confinement } from "../types/mod.ts";
import type { CallFacts } from "./facts.ts";
import type { Policy } from "./policy.ts";

/** What the operating system must enforce around the command of a call; undefined for a call without one. */
export function confinementOf({ shell }: CallFacts, policy: Policy): Confinement | undefined {
  if (shell === undefined) return undefined;
  const network = shell.units.some((unit) => unit.network);
  const closed = policy.mode === "auto" && policy.sandbox.available && !network;
  return { level: closed ? "closed" : "none", network: !closed, secrets: [] };
}

/** The same in one line for people. */
export function confinementText({ level, network, secrets }: Confinement): string {
  const open = secrets.length === 0 ? "" : `; reads ${secrets.join(", ")}`;
  if (level === "none") return "runs outside of the sandbox";
  if (level === "guarded") return `runs in the sandbox, which hides secrets${open}`;
  return `runs in the sandbox, ${network ? "with" : "without"} network${open}`;
}
