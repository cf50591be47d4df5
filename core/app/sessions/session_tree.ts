import { EXIT, LuminaError } from "../../base/mod.ts";
import type { SessionBranch, SessionRow } from "../../cli/mod.ts";

/**
 * The sessions as trees of forks, oldest fork first. A parent that was deleted stands as a root that does not exist.
 * With `session` only the tree which that one belongs to, else those of more than one session.
 */
export function sessionTree(rows: readonly SessionRow[], session?: string): SessionBranch[] {
  const branches = new Map<string, SessionBranch>();
  for (const row of rows) branches.set(row.session_id, branchOf(row));
  const roots: SessionBranch[] = [];
  for (const row of [...rows].sort((a, b) => a.created_ts - b.created_ts)) {
    const branch = branches.get(row.session_id)!;
    const parent_id = row.forked_from?.session_id;
    if (parent_id === undefined) {
      roots.push(branch);
      continue;
    }
    let parent = branches.get(parent_id);
    if (parent === undefined) {
      parent = { ...branch, session_id: parent_id, title: "", exists: false, forked_at: null, forks: [] };
      branches.set(parent_id, parent);
      roots.push(parent);
    }
    parent.forks.push(branch);
  }
  if (session === undefined) return roots.filter((root) => root.forks.length > 0);
  const root = roots.find((candidate) => contains(candidate, session));
  if (root !== undefined) return [root];
  throw new LuminaError(
    "session.not_found",
    `The session ${session} cannot be read: lumina session list --all`,
    {
      exit: EXIT.not_found,
    },
  );
}

function branchOf(row: SessionRow): SessionBranch {
  const { session_id, title, cwd, updated_ts, archived } = row;
  return {
    session_id,
    title,
    cwd,
    updated_ts,
    archived,
    exists: true,
    forked_at: row.forked_from?.seq ?? null,
    forks: [],
  };
}

function contains(branch: SessionBranch, session_id: string): boolean {
  return branch.session_id === session_id || branch.forks.some((fork) => contains(fork, session_id));
}
