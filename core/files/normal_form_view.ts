import { replacedView, type TextView } from "./text_view.ts";

/**
 * A character with the marks that follow it, or one that is not ASCII: canonical composition (UAX #15) never crosses
 * the borders of such a piece. U+1160 to U+11FF and U+D7B0 to U+D7FB are the vowels and finals of Hangul.
 */
const CLUSTER = /.[\p{M}\u1160-\u11ff\ud7b0-\ud7fb]+|\P{ASCII}/gsu;

/** The text in normal form C, each cluster with its offsets, so that untouched text can keep its own form. */
export function normalFormView(base: TextView): TextView {
  if (!/\P{ASCII}/u.test(base.text)) return base;
  return replacedView(base, CLUSTER, (cluster) => cluster.normalize("NFC"));
}
