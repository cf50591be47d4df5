import type { SessionState } from "../../session/mod.ts";
import type { Message } from "../../types/mod.ts";

/** At most this many files are shown again. */
const MOST = 5;

/** The files that the model saw last, newest first, without those that a kept message is about. */
export function recentFiles(
  { seen, messages }: Readonly<Pick<SessionState, "seen" | "messages">>,
  from: number,
): { path: string; sha256: string }[] {
  const named = namedIn(messages.slice(from));
  return [...seen].reverse().filter(([path]) => !named.some((name) => path.endsWith(name))).slice(0, MOST)
    .map(([path, sha256]) => ({ path, sha256 }));
}

/** Texts in calls that may be paths. */
function namedIn(messages: readonly Message[]): string[] {
  return messages.flatMap(({ content }) =>
    content.flatMap((block) => {
      if (block.type !== "tool_use") return [];
      return Object.values(block.input).filter((value) =>
        typeof value === "string" && value.length > 2
      ) as string[];
    })
  );
}
