import type { RetentionRules } from "../../cli/mod.ts";

/** A saved session as retention looks at it. Bytes are those of its folder and of its spilled tool output. */
export interface KeptSession {
  session_id: string;
  archived: boolean;
  open: boolean;
  pinned: boolean;
  updated_ts: number;
  bytes: number;
}

export interface RetentionPlan<S extends KeptSession> {
  actions: { session: S; action: "archive" | "delete"; reason: string }[];
  /** What a rule would take and protection keeps. */
  skipped: { session_id: string; reason: string }[];
}

const DAY_MS = 86_400_000;

/**
 * What the rules do to the sessions. Age and number archive with `retention_archive`, and then leave the archive alone;
 * else they delete. The disk budget can only delete: the oldest first, archived or not. Open and pinned sessions and
 * those used within 24 hours stay. Pure.
 */
export function planRetention<S extends KeptSession>(
  sessions: readonly S[],
  rules: RetentionRules,
  now: number,
): RetentionPlan<S> {
  const actions = new Map<S, { session: S; action: "archive" | "delete"; reason: string }>();
  const skipped = new Map<string, string>();
  const oldest = [...sessions].sort((a, b) => a.updated_ts - b.updated_ts);
  const take = (session: S, action: "archive" | "delete", reason: string): boolean => {
    const kept = protection(session, now);
    if (kept !== undefined) skipped.set(session.session_id, `${kept} (${reason})`);
    else actions.set(session, { session, action, reason });
    return kept === undefined;
  };
  const gentle = rules.retention_archive ? "archive" : "delete";
  const { retention_days, retention_max_sessions, retention_max_bytes } = rules;
  if (retention_days > 0) {
    for (const session of oldest) {
      if (now - session.updated_ts <= retention_days * DAY_MS) break;
      if (session.archived && gentle === "archive") continue;
      take(session, gentle, `not used for more than ${retention_days} days`);
    }
  }
  if (retention_max_sessions > 0) {
    const active = oldest.filter((session) => !session.archived && !actions.has(session));
    let beyond = active.length - retention_max_sessions;
    for (const session of active) {
      if (beyond <= 0) break;
      if (take(session, gentle, `more than ${retention_max_sessions} sessions`)) beyond--;
    }
  }
  if (retention_max_bytes > 0) {
    const stays = (session: S) => actions.get(session)?.action !== "delete";
    let total = oldest.filter(stays).reduce((sum, { bytes }) => sum + bytes, 0);
    for (const session of oldest.filter(stays)) {
      if (total <= retention_max_bytes) break;
      if (take(session, "delete", `more than ${retention_max_bytes} bytes`)) total -= session.bytes;
    }
  }
  return {
    actions: [...actions.values()],
    skipped: [...skipped].map(([session_id, reason]) => ({ session_id, reason })),
  };
}

function protection(session: KeptSession, now: number): string | undefined {
  if (session.open) return "another process has it open";
  if (session.pinned) return "pinned";
  return now - session.updated_ts < DAY_MS ? "used within 24 hours" : undefined;
}
