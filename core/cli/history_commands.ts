import { InvalidArgumentError } from "commander";
import type { Command } from "commander";
import { EXIT, LuminaError } from "../base/mod.ts";
import type { CliDeps } from "./cli_deps.ts";
import type { HistoryDetail, HistoryListing } from "./history_port.ts";

interface HistoryOptions {
  query?: string;
  limit?: number;
  get?: number;
  json?: true;
}

/** `lumina session history ID`: the summaries of a session, and one of them with its messages. */
export function addHistoryCommands(session: Command, { app, io }: CliDeps): void {
  session.command("history").description("what was done in a session, stretch by stretch, newest first")
    .argument("<id>", "the session, or an unambiguous beginning of its id")
    .option("--query <text>", "only summaries with this text in title, summary or tags")
    .option("--limit <n>", "at most this many, up to 100; default 20", whole(100))
    .option("--get <n>", "summary number n in full, with the first and last messages it covers", whole())
    .option("--json", "as JSON")
    .action(async (id: string, { query, limit, get, json }: HistoryOptions) => {
      if (get !== undefined && (query !== undefined || limit !== undefined)) {
        throw new LuminaError("cli.usage", "--get shows one summary: leave --query and --limit out", {
          exit: EXIT.usage,
        });
      }
      if (get !== undefined) {
        const detail = await app.session_history.get(id, get);
        return await io.out(json ? `${JSON.stringify(detail)}\n` : detailText(detail));
      }
      const listing = await app.session_history.list(id, {
        ...(query === undefined ? {} : { query }),
        ...(limit === undefined ? {} : { limit }),
      });
      await io.out(json ? `${JSON.stringify(listing)}\n` : listingText(listing, query));
    });
}

function listingText({ entries, total, spent }: HistoryListing, query: string | undefined): string {
  if (total === 0) {
    return query === undefined
      ? "No summaries yet: one is written every session_memory_turn_interval prompts\n"
      : `No summary holds ${JSON.stringify(query)}\n`;
  }
  const rows = entries.map((entry) =>
    `${entry.number}  ${timeText(entry.ts)}${rangeText(entry)}\n    ${titleText(entry)}\n    ${
      entry.preview.replace(/\s+/gu, " ")
    }\n`
  );
  const { usage, cost_usd } = spent;
  const tokens = usage.input + usage.output + usage.cache_read + usage.cache_write;
  const cost = cost_usd === null ? "" : `, $${cost_usd.toFixed(4)}`;
  const shown = entries.length < total ? `${entries.length} of ${total}` : `${total}`;
  return `${rows.join("")}${shown} ${
    total === 1 ? "summary" : "summaries"
  }; all summaries of the session used ${tokens} tokens${cost}\n`;
}

function detailText(detail: HistoryDetail): string {
  const message = ({ seq, role, text }: HistoryDetail["messages"][number]) => `[${seq}] ${role}: ${text}\n`;
  const half = detail.omitted === 0 ? detail.messages.length : detail.messages.length / 2;
  const gap = detail.omitted === 0 ? "" : `(${detail.omitted} messages omitted)\n`;
  return `${detail.number}  ${timeText(detail.ts)}${rangeText(detail)}\n${
    titleText(detail)
  }\n\n${detail.summary}\n\n` +
    detail.messages.slice(0, half).map(message).join("") + gap +
    detail.messages.slice(half).map(message).join("");
}

function titleText({ title, tags }: { title: string; tags: string[] }): string {
  return [title.replace(/\s+/gu, " "), ...tags.map((tag) => `#${tag.replace(/\s+/gu, "-")}`)].join("  ");
}

function rangeText({ from, to }: { from: number; to: number }): string {
  return to === 0 ? "" : `  messages ${from} to ${to}`;
}

function timeText(ts: number): string {
  return `${new Date(ts).toISOString().slice(0, 16).replace("T", " ")}Z`;
}

function whole(most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (Number.isSafeInteger(number) && number >= 1 && number <= most) return number;
    throw new InvalidArgumentError(
      `It must be a whole number from 1${most === Number.MAX_SAFE_INTEGER ? "" : ` to ${most}`}.`,
    );
  };
}
