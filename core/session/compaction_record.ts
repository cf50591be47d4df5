/**
 * One compaction of the conversation. The conversation itself stays whole: a compaction says what the model is shown in
 * its place. Later ones add to earlier ones.
 */
export interface Compaction {
  /** The event that says so. */
  seq: number;
  /** Messages of the conversation when it was made. */
  at: number;
  /** What stands before the kept messages, and the first of those; absent: as before. */
  head?: { texts: readonly string[]; from: number };
  /** Results that are shown shorter than they were, by call. */
  replaced: { readonly [call_id: string]: string };
}
