import { projectIdentity, startDirectory } from "../../app_root/mod.ts";
import type { AppRoot } from "../../app_root/mod.ts";
import type { World } from "../../base/mod.ts";
import type { TrustPort } from "../../cli/mod.ts";
import { ProjectTrust } from "./trust.ts";

/** `lumina trust`. */
export function trustPort(app_root: AppRoot, world: World): TrustPort {
  const of = (cwd: string | undefined) =>
    new ProjectTrust(app_root, projectIdentity(startDirectory(cwd)), world);
  return {
    look: async (cwd) => (await of(cwd).look()).report,
    async trust(consent, cwd) {
      const trust = of(cwd);
      const look = await trust.look();
      const { report } = look;
      if (report.items.every(({ state }) => state === "trusted")) return { status: "unchanged", report };
      if (!await consent(report)) return { status: "declined", report };
      await trust.accept(look);
      return { status: "trusted", report };
    },
    revoke: async (cwd) => await of(cwd).revoke(),
  };
}
