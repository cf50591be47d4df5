import type { ExportPort } from "../../../cli/mod.ts";
import type { MaskOptions } from "./mask_text.ts";
import type { SessionStore } from "../session_store.ts";
import { htmlExport } from "./html_export.ts";
import { jsonExport } from "./json_export.ts";
import { markdownExport } from "./markdown_export.ts";
import { Masker } from "./mask_text.ts";
import { maskTranscript } from "./mask_transcript.ts";
import { readTranscript } from "./transcript.ts";

const FORMATS = { md: markdownExport, json: jsonExport, html: htmlExport } as const;

/**
 * Saved sessions as texts. `maskWith` says what to mask in a session that worked in a directory; when it cannot be found
 * out it throws, and nothing is exported for sharing.
 */
export function exportSessions(
  store: SessionStore,
  maskWith: (cwd: string) => Promise<Omit<MaskOptions, "emails">>,
): ExportPort {
  return {
    async exportSession(id, { format, tools, thinking, share, emails }, warn) {
      const { journal, damage } = await store.openIntact(store.find(id));
      const problems: string[] = [];
      let transcript;
      try {
        transcript = await readTranscript(journal, { tools, thinking }, (problem) => problems.push(problem));
      } finally {
        await journal.close();
      }
      const damaged = damage();
      // of a damaged file one line tells it all
      if (damaged === undefined) { for (const problem of problems) warn(`Left out: ${problem}`); }
      const told = damaged === undefined ? {} : { damage: damaged.message };
      const write = FORMATS[format];
      if (!share) return { text: write(transcript), ...told };
      const masker = new Masker({ ...await maskWith(transcript.session.cwd), emails });
      const text = write(maskTranscript(transcript, masker));
      return { text, masked: masker.count, ...told };
    },
  };
}
