// A door of its own: a session without packs loads nothing of this.
export { ProcessTier } from "./process_tier.ts";
export type { CrashInfo, ProcessTierOptions } from "./process_tier.ts";
export { programCommand } from "./program_command.ts";
export { packLimits } from "./quota.ts";
export type { QuotaName, QuotaTrip } from "./quota.ts";
