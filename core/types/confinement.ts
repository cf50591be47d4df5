/**
 * How far the operating system holds a command back.
 *
 * - `closed`: it writes in the workspace and in a /tmp of its own, sees no other process and no secret
 * - `guarded`: the person's whole system, but no secret
 * - `none`: nothing holds it
 */
export const CONFINEMENT_LEVELS = ["closed", "guarded", "none"] as const;
export type ConfinementLevel = (typeof CONFINEMENT_LEVELS)[number];

/** What the operating system enforces around a command. */
export interface Confinement {
  level: ConfinementLevel;
  /** The whole network; without it a command reaches no more than the domains that the settings list. */
  network: boolean;
  /** Places with secrets that the command may read nevertheless: absolute paths, files or folders. */
  secrets: string[];
}
