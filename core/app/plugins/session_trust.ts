import type { AppRootPaths, ProjectIdentity } from "../../app_root/mod.ts";
import { EXIT, LuminaError } from "../../base/mod.ts";
import type { World } from "../../base/mod.ts";
import type { RunFlags, TrustItem } from "../../cli/mod.ts";
import { ProjectTrust } from "./trust.ts";

/** Items that the line of a refusal names. */
const NAMED = 8;

/**
 * Looks at what a project brings before anything of it is loaded, and asks about what is new or has changed. Gives the
 * settings that count; packs have their approvals in the project's record. A no lets the session go on without. A locked run
 * loads no pack and no hook, so nothing is asked about these. Throws
 * `trust.needed` (exit 3), which lists them, where nobody can be asked.
 */
export async function sessionTrust(
  app_root: AppRootPaths,
  project: ProjectIdentity,
  flags: Pick<RunFlags, "trust_project" | "ask_trust">,
  world: World,
  warn: (text: string) => void,
  locked: () => Promise<boolean>,
): Promise<ReadonlyMap<string, string>> {
  const trust = new ProjectTrust(app_root, project, world);
  const look = await trust.look();
  // what can never be trusted is told by whoever would have loaded it
  let pending = look.report.items.filter(({ state }) => state !== "trusted");
  if (!flags.trust_project && pending.some(({ kind }) => kind !== "setting") && await locked()) {
    pending = pending.filter(({ kind }) => kind === "setting");
  }
  if (pending.length > 0) {
    if (flags.trust_project) await trust.accept(look);
    else if (flags.ask_trust === undefined) throw needed(pending);
    else if (await flags.ask_trust(look.report)) await trust.accept(look);
    else warn("The session goes on without what the project brings: nothing of it is loaded");
  }
  return trust.trustedSettings();
}

function needed(pending: readonly TrustItem[]): LuminaError {
  const named = pending.slice(0, NAMED).map(({ kind, name, lines, state }) =>
    `${kind} ${name}${state === "changed" ? ", changed" : ""} (${short(lines.join("; "))})`
  );
  const more = pending.length > NAMED ? ` and ${pending.length - NAMED} more` : "";
  return new LuminaError(
    "trust.needed",
    `This project brings what nobody has trusted yet: ${
      named.join(", ")
    }${more}; look at it with lumina trust, ` +
      "trust it as it is with --trust-project, or go on without it with --bare",
    { exit: EXIT.blocked },
  );
}

/** A line of an error is no place to decide by: `lumina trust` shows the whole. */
function short(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
