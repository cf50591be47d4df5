import type { StoredEvent } from "../types/mod.ts";
import type { Journal } from "./journal.ts";

const PAGE = 250;
/** Pages asked for before the first of them is handled: the store reads while the caller folds. */
const AHEAD = 6;

/**
 * All events after `after` (of one stream, when given) in pages. The next pages are fetched while one is handled.
 * Sequence numbers have no gaps, so where the next page starts is known before this one is there; where events are
 * missing, pages overlap and what was given already is left out.
 */
export async function* readEvents(
  journal: Journal,
  options: { after?: number; stream_id?: string } = {},
): AsyncGenerator<StoredEvent[]> {
  const { after = 0, stream_id } = options;
  const asked: Promise<StoredEvent[]>[] = [];
  const ask = (from: number) => {
    const page = journal.read({ ...options, after: from, limit: PAGE });
    page.catch(() => {}); // told by the await below; a reader that stops early never gets there
    asked.push(page);
  };
  const ahead = stream_id === undefined ? AHEAD : 1;
  let next = after;
  let given = after;
  for (;;) {
    while (asked.length < ahead) {
      ask(stream_id === undefined ? next : given);
      next += PAGE;
    }
    const page = (await asked.shift())!;
    const last = page.at(-1)?.seq ?? given;
    const fresh = page[0]?.seq === undefined || page[0].seq > given
      ? page
      : page.filter(({ seq }) => seq > given);
    given = Math.max(given, last);
    if (fresh.length > 0) yield fresh;
    if (page.length < PAGE) return;
  }
}
