import { canonicalJson } from "../../base/mod.ts";
import type { SessionState } from "../../session/mod.ts";
import type { Message } from "../../types/mod.ts";

/** After this many compactions of one request that brought nothing new, the run ends. */
const STRETCHES = 2;

/**
 * True when compactions go round in circles: since the person's last request, in each of the last two stretches between
 * compactions the model only made calls that it had already made before. A stretch without any call counts as well.
 */
export function isThrashing(
  { messages, origins, requests, compactions }: Readonly<
    Pick<SessionState, "messages" | "origins" | "requests" | "compactions">
  >,
): boolean {
  const asked = Math.max(0, origins.indexOf(requests.at(-1) ?? -1));
  const ends = compactions.filter(({ head, at }) => head !== undefined && at > asked).map(({ at }) => at);
  if (ends.length < STRETCHES) return false;
  const bounds = [asked, ...ends, messages.length];
  const stretches = bounds.slice(1).map((end, index) => callsOf(messages.slice(bounds[index], end)));
  const known = new Set<string>();
  let circling = 0;
  for (const [index, calls] of stretches.entries()) {
    const fresh = calls.some((call) => !known.has(call));
    circling = index === 0 || fresh ? 0 : circling + 1;
    for (const call of calls) known.add(call);
  }
  return circling >= STRETCHES;
}

function callsOf(messages: readonly Message[]): string[] {
  return messages.flatMap(({ content }) =>
    content.flatMap((block) => block.type === "tool_use" ? [canonicalJson([block.name, block.input])] : [])
  );
}
