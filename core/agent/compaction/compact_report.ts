/** Why a conversation was compacted: by itself, on a person's word, or because the provider found it too long. */
export type CompactionTrigger = "auto" | "manual" | "overflow";

/** What a compaction did. Tokens are those of the next request, as far as they are known. */
export interface CompactReport {
  /** `clear`: old results alone were shortened; `summary`: the model wrote what came before; `none`: nothing was done. */
  tier: "none" | "clear" | "summary";
  trigger: CompactionTrigger;
  tokens_before: number;
  tokens_after: number;
  /** Messages that the next request carries no longer as themselves, and results that it carries shortened. */
  messages: number;
  results: number;
  /** Why nothing was done, in words for people. */
  reason?: string;
}
