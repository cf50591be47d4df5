import { endLeftCommands } from "../../plugins/tools_shell/mod.ts";
import type { AppRoot } from "../app_root/mod.ts";
import { errorMessage } from "../base/mod.ts";
import type { Session } from "../session/mod.ts";
import type { LocatedSession } from "./locate_session.ts";
import { findPrograms } from "./program_paths.ts";

/**
 * Ends what the commands of a session left running whose process was killed together with the watcher that ends them then.
 * Looks for nothing where the session was closed in peace. Never throws: what cannot be done is told.
 */
export async function endWhatIsLeft(
  { left_open }: Session,
  { project, session_id }: LocatedSession,
  app_root: AppRoot,
  path: string | undefined,
  warn: (text: string) => void,
): Promise<void> {
  if (!left_open) return;
  const { bash } = findPrograms(["bash"], path, project.root);
  if (bash === undefined) return; // no command of the session can have run either
  try {
    await endLeftCommands(bash, app_root.spillDir(project.id, session_id));
  } catch (error) {
    warn(`It is not known whether commands of the earlier process still run: ${errorMessage(error)}`);
  }
}
