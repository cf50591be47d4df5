import type { HostTool } from "../../../agent/mod.ts";
import { LuminaError } from "../../../base/mod.ts";
import { readEvents } from "../../../journal/mod.ts";
import type { ToolOutcome } from "../../../plugin_api/mod.ts";
import { getHistory, listHistory, SessionHistory } from "../../../session/mod.ts";
import type { JsonObject } from "../../../types/mod.ts";
import type { FeatureScope, SessionFeature } from "../session_feature.ts";

/** What happened earlier in the session, in summaries: for what compaction has taken out of the conversation. */
export function historyFeature({ parts, depth }: FeatureScope): SessionFeature | undefined {
  if (depth > 0) return undefined;
  const read = async () => {
    const history = new SessionHistory();
    for await (const page of readEvents(parts.journal)) for (const event of page) history.add(event);
    return history;
  };
  return { tools: historyTools(read) };
}

/** The two tools over a history. */
export function historyTools(read: () => Promise<SessionHistory>): HostTool[] {
  return [
    {
      name: "session_history_list",
      async call(input) {
        const query = typeof input["query"] === "string" ? input["query"] : "";
        const limit = typeof input["limit"] === "number" ? input["limit"] : undefined;
        return listed(listHistory(await read(), { query, ...(limit === undefined ? {} : { limit }) }));
      },
    },
    {
      name: "session_history_get",
      async call(input) {
        try {
          return got(getHistory(await read(), numberOf(input)), input["include_messages"] === true);
        } catch (error) {
          if (!(error instanceof LuminaError)) throw error;
          return { content: error.message, is_error: true };
        }
      },
    },
  ];
}

/** Old files call it `commit_no`. */
function numberOf(input: JsonObject): number {
  const number = input["number"] ?? input["commit_no"];
  if (typeof number === "number") return number;
  throw new LuminaError("session.no_summary", "Give the number of a summary, as session_history_list has it");
}

function listed({ total, entries }: ReturnType<typeof listHistory>): ToolOutcome {
  const lines = entries.map(({ number, ts, title, tags, preview }) =>
    `#${number} ${day(ts)} ${title}${tags.length === 0 ? "" : ` [${tags.join(", ")}]`}\n  ${
      preview.replace(/\s+/g, " ")
    }`
  );
  const left = total - entries.length;
  if (left > 0) lines.push(`(${left} more; raise limit or narrow the query)`);
  return {
    content: lines.length === 0 ? "No summary of this session fits" : lines.join("\n"),
    data: { total, entries: entries as unknown as JsonObject[] },
  };
}

function got(
  { number, ts, title, summary, tags, from, to, messages, omitted }: ReturnType<typeof getHistory>,
  with_messages: boolean,
): ToolOutcome {
  const parts = [
    `#${number} ${day(ts)} ${title}`,
    ...(tags.length === 0 ? [] : [`Tags: ${tags.join(", ")}`]),
    summary,
  ];
  if (with_messages) {
    if (omitted > 0) parts.push(`(${omitted} messages left out)`);
    for (const { seq, role, text } of messages) parts.push(`--- ${role} (message ${seq}) ---\n${text}`);
  }
  return { content: parts.join("\n"), data: { number, title, tags, from, to } };
}

function day(ts: number): string {
  return new Date(ts).toISOString().slice(0, 10);
}
