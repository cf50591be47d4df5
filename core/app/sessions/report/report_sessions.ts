import type { AppRoot } from "../../../app_root/mod.ts";
import { errorMessage, LuminaError } from "../../../base/mod.ts";
import type { ReportPort } from "../../../cli/mod.ts";
import { redactSettings, SETTING_NAMES } from "../../../config/mod.ts";
import type { LoadedSettings } from "../../../config/mod.ts";
import { readEvents } from "../../../journal/mod.ts";
import { sessionEvents } from "../../../session/mod.ts";
import type { StoredEvent } from "../../../types/mod.ts";
import { VERSION } from "../../version.ts";
import { Masker } from "../export/mask_text.ts";
import { maskWith, settingsFor } from "../export/mask_with.ts";
import type { SavedSession, SessionStore } from "../session_store.ts";
import { eventOutline } from "./event_outline.ts";

export interface ReportOptions {
  store: SessionStore;
  app_root: AppRoot;
  home: string;
}

/** What a journal says, as far as it can be read. */
interface Evidence {
  events: StoredEvent[];
  verify: string[];
  warnings: string[];
}

/**
 * Bug reports about saved sessions: made of what can be read, also when the journal is damaged or the settings are
 * wrong. Throws what an unknown session or one that is open elsewhere gives.
 */
export function reportSessions({ store, app_root, home }: ReportOptions): ReportPort {
  return {
    async report(id, { with_text }) {
      const saved = store.find(id);
      const evidence = await readEvidence(store, saved);
      const created = evidence.events.find(({ type }) => type === "session.created");
      const cwd = (created?.payload as { cwd?: unknown } | undefined)?.cwd;
      const settings = await readSettings(app_root, home, typeof cwd === "string" ? cwd : "");
      const masker = new Masker({ ...await maskWith(settings.loaded, home), emails: true });
      const sections = [
        ["# Lumina bug report", versionLines(saved)],
        ["## Settings", settings.lines],
        ["## Journal", evidence.verify],
        ["## Warnings", [...app_root.warnings, ...evidence.warnings]],
      ] as const;
      const parts = sections.map(([title, lines]) =>
        `${title}\n\n${
          (lines.length === 0 ? ["none"] : lines).map((line) => `- ${masker.text(line)}`).join("\n")
        }\n`
      );
      const events = evidence.events.map((event) =>
        JSON.stringify(masker.json(with_text ? { ...event } : eventOutline(event)))
      );
      const about = with_text ? "" : "Texts are told by their length.\n\n";
      parts.push(`## Events\n\n${about}${fenced(events.join("\n"))}\n`);
      return { text: parts.join("\n"), masked: masker.count };
    },
  };
}

function versionLines({ session_id, archived }: SavedSession): string[] {
  const { deno, v8 } = Deno.version;
  return [
    `Lumina ${VERSION}`,
    `Deno ${deno}, V8 ${v8}`,
    `${Deno.build.os} ${Deno.osRelease()}, ${Deno.build.arch}, ${navigator.hardwareConcurrency} processors`,
    `session ${session_id}${archived ? " (archived)" : ""}`,
  ];
}

async function readSettings(
  app_root: AppRoot,
  home: string,
  cwd: string,
): Promise<{ loaded: LoadedSettings | undefined; lines: string[] }> {
  try {
    const loaded = await settingsFor(app_root, home, cwd);
    const shown = redactSettings(loaded.settings);
    const lines: string[] = [];
    for (const key of SETTING_NAMES) {
      const source = await loaded.where(key);
      if (shown[key] !== undefined) lines.push(`${key} = ${JSON.stringify(shown[key])} (${source})`);
    }
    return { loaded, lines: [...lines, ...loaded.warnings] };
  } catch (error) {
    if (!(error instanceof LuminaError)) throw error;
    return { loaded: undefined, lines: [`They cannot be read: ${errorMessage(error)}`] };
  }
}

async function readEvidence(store: SessionStore, saved: SavedSession): Promise<Evidence> {
  const evidence: Evidence = { events: [], verify: [], warnings: [] };
  try {
    const journal = await store.openJournal(saved);
    try {
      const { ok, events, problems } = await journal.verify();
      evidence.verify.push(`${events} events, ${ok ? "nothing is wrong" : "damaged"}`, ...problems);
      for await (const page of readEvents(journal)) {
        for (const event of page) {
          evidence.events.push(event);
          const decoded = sessionEvents.decode(event);
          if (!decoded.known) evidence.warnings.push(decoded.problem);
          else if (decoded.event.type === "warning.raised") {
            evidence.warnings.push(decoded.event.payload.text);
          }
        }
      }
    } finally {
      await journal.close();
    }
  } catch (error) {
    if (!(error instanceof LuminaError) || error.code === "journal.busy") throw error;
    evidence.verify.push(errorMessage(error));
  }
  return evidence;
}

/** JSON holds no line of backticks of its own: each event is one line that begins with a brace. */
function fenced(lines: string): string {
  return `\`\`\`json\n${lines}\n\`\`\``;
}
