/** A capture as the journal of a session has it, or the snapshot that an earlier rewind restored. */
export interface FileMoment {
  /** Sequence number of the event. */
  seq: number;
  /** Empty when the files could not be captured. */
  snapshot: string;
  /** `before`: the files before something was done to them; `left`: as the agent or a rewind left them. */
  kind: "before" | "left";
}

/** Where a rewind of files goes, and what a person may have changed since. */
export interface RewindTarget {
  /** Undefined: nothing was written since that message. Empty: what was written was not captured before. */
  snapshot: string | undefined;
  /** What is known of the workspace last: where it differs now, it was not the agent. Empty: nothing is known. */
  left: string;
  /** Pairs of snapshots between which only a person was at work. */
  between: { from: string; to: string }[];
}

/**
 * The files at the message whose events end at `position`: the first capture behind it shows them, since whatever changes
 * files is captured first. `moments` in the order of their events.
 */
export function rewindTarget(moments: readonly FileMoment[], position: number): RewindTarget {
  const index = moments.findIndex(({ seq }) => seq > position);
  const target = moments[index];
  const left = moments.at(-1)?.snapshot ?? "";
  if (target === undefined) return { snapshot: undefined, left, between: [] };
  const between: { from: string; to: string }[] = [];
  for (let at = index; at + 1 < moments.length; at++) {
    const [one, next] = [moments[at]!, moments[at + 1]!];
    const known = one.snapshot !== "" && next.snapshot !== "";
    if (known && one.kind === "left" && next.kind === "before" && one.snapshot !== next.snapshot) {
      between.push({ from: one.snapshot, to: next.snapshot });
    }
  }
  return { snapshot: target.snapshot, left, between };
}
