import type { StoredEvent } from "../types/mod.ts";
import type { Journal } from "./journal.ts";

const PAGE = 5000;

/** All events after `after` (of one stream, when given) in pages. The next page is fetched while one is handled. */
export async function* readEvents(
  journal: Journal,
  options: { after?: number; stream_id?: string } = {},
): AsyncGenerator<StoredEvent[]> {
  let next: Promise<StoredEvent[]> | undefined = journal.read({ ...options, limit: PAGE });
  while (next !== undefined) {
    const page: StoredEvent[] = await next;
    const last = page.at(-1);
    next = last !== undefined && page.length === PAGE
      ? journal.read({ ...options, after: last.seq, limit: PAGE })
      : undefined;
    next?.catch(() => {}); // told by the await above; a reader that stops early never gets there
    if (last !== undefined) yield page;
  }
}
