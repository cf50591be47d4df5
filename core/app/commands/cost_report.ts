import { readEvents } from "../../journal/mod.ts";
import type { Journal } from "../../journal/mod.ts";
import { sessionEvents } from "../../session/mod.ts";
import { addUsage, NO_USAGE } from "../../types/mod.ts";
import type { JsonObject, StoredEvent, Usage } from "../../types/mod.ts";
import type { BuiltinReply, CommandContext } from "./command.ts";

/** What one model used for one purpose. */
export interface CostRow {
  model: string;
  /** What asked: `main`, `subagent`, `compaction`, `session_memory`, `plugin` or `imported`. */
  chain: string;
  requests: number;
  usage: Usage;
  /** Null when a price is not known. */
  cost_usd: number | null;
}

/** Adds up usage by model and purpose. */
export class CostRows {
  readonly #rows = new Map<string, CostRow>();

  /** Takes a stored event; what is no usage is passed over. */
  add(stored: StoredEvent, since = 0): void {
    if (stored.type !== "usage.recorded" || stored.ts < since) return;
    const decoded = sessionEvents.decode(stored);
    if (!decoded.known || decoded.event.type !== "usage.recorded") return;
    const { model, usage, cost_usd } = decoded.event.payload;
    const beside = stored.stream_id.startsWith("agent/") ? "subagent" : "main";
    const chain: string = decoded.event.payload.chain ?? beside;
    const key = `${chain} ${model}`;
    const row = this.#rows.get(key) ?? { model, chain, requests: 0, usage: NO_USAGE, cost_usd: 0 };
    this.#rows.set(key, {
      ...row,
      requests: row.requests + 1,
      usage: addUsage(row.usage, usage),
      cost_usd: row.cost_usd === null || cost_usd === null ? null : row.cost_usd + cost_usd,
    });
  }

  get rows(): CostRow[] {
    return [...this.#rows.values()];
  }

  /** The sum of what is known, and whether that is all. */
  get total(): { cost_usd: number; complete: boolean } {
    return {
      cost_usd: this.rows.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0),
      complete: this.rows.every(({ cost_usd }) => cost_usd !== null),
    };
  }
}

/** The answer of `/cost`. */
export async function costReport(context: CommandContext): Promise<BuiltinReply> {
  const { parts, session } = context;
  const own = new CostRows();
  const today = new CostRows();
  const start = new Date(parts.world.now()).setHours(0, 0, 0, 0);
  await read(parts.journal, (event) => {
    own.add(event);
    today.add(event, start);
  });
  const unread: string[] = [];
  let sessions = today.rows.length > 0 ? 1 : 0;
  const { rows } = await context.app.session_list.list({ all: true, archived: false }, () => {});
  for (const { session_id, updated_ts } of rows) {
    if (session_id === session.session_id || updated_ts < start) continue;
    try {
      const { journal } = await parts.store.openIntact(parts.store.find(session_id));
      try {
        await read(journal, (event) => today.add(event, start));
        sessions++;
      } finally {
        await journal.close();
      }
    } catch {
      unread.push(session_id); // open elsewhere or damaged: told below, the others still count
    }
  }
  const prices = parts.watch.current.settings.max_budget_usd;
  const lines = [
    `This session: ${dollars(own.total)}`,
    ...own.rows.map(rowText),
    `Today: ${dollars(today.total)} in ${sessions} ${sessions === 1 ? "session" : "sessions"}`,
    ...(unread.length === 0 ? [] : [`Not counted, because they cannot be read now: ${unread.join(", ")}`]),
    ...(prices === undefined ? [] : [`Budget: $${prices}`]),
  ];
  const data: JsonObject = {
    session: { ...own.total, rows: own.rows.map((row) => ({ ...row, usage: { ...row.usage } })) },
    today: { ...today.total, sessions, unread },
  };
  return { kind: "text", text: lines.join("\n"), data };
}

async function read(journal: Journal, see: (event: StoredEvent) => void): Promise<void> {
  for await (const page of readEvents(journal)) for (const event of page) see(event);
}

function rowText({ model, chain, requests, usage, cost_usd }: CostRow): string {
  const { input, output, cache_read, cache_write } = usage;
  const prompt = input + cache_read + cache_write;
  const share = prompt === 0
    ? ""
    : `, ${Math.round(100 * cache_read / prompt)} % of the prompt from the cache`;
  const cost = cost_usd === null ? "price unknown" : `$${cost_usd.toFixed(4)}`;
  return `  ${chain.padEnd(15)} ${model === "" ? "(imported)" : model}: ${cost}, ${requests} ` +
    `${
      requests === 1 ? "request" : "requests"
    }, input ${input}, output ${output}, cache read ${cache_read}, ` +
    `cache written ${cache_write}${share}`;
}

function dollars({ cost_usd, complete }: { cost_usd: number; complete: boolean }): string {
  return `$${cost_usd.toFixed(4)}${complete ? "" : " and what has no known price"}`;
}
