import { LuminaError } from "../../base/mod.ts";
import { readEvents } from "../../journal/mod.ts";
import type { Journal } from "../../journal/mod.ts";
import type { FileMoment } from "../../rewind/mod.ts";
import { sessionEvents } from "../../session/mod.ts";

/** Where the files of a session were captured or restored, and the message that the last rewind went to. */
export interface FileHistory {
  moments: (FileMoment & { by_rewind: boolean })[];
  rewound: { seq: number; to: number } | undefined;
}

/** Reads it from the journal. */
export async function fileHistory(journal: Journal): Promise<FileHistory> {
  const history: FileHistory = { moments: [], rewound: undefined };
  for await (const page of readEvents(journal)) {
    for (const stored of page) {
      if (stored.type !== "checkpoint.captured" && stored.type !== "session.rewound") continue;
      const decoded = sessionEvents.decode(stored);
      if (!decoded.known) continue; // of a newer version, or damaged: as if it had not been captured
      const { event } = decoded;
      if (event.type === "checkpoint.captured") {
        const { snapshot, moment } = event.payload;
        const kind = moment === "end" ? "left" : "before";
        history.moments.push({ seq: event.seq, snapshot, kind, by_rewind: moment === "rewind" });
      } else if (event.type === "session.rewound" && event.payload.snapshot !== null) {
        const { snapshot, to } = event.payload;
        history.moments.push({ seq: event.seq, snapshot, kind: "left", by_rewind: false });
        history.rewound = { seq: event.seq, to };
      }
    }
  }
  return history;
}

/** The event behind which the files are as they were before the last rewind. Throws `session.nothing_to_undo` (exit 4). */
export function beforeLastRewind({ moments, rewound }: FileHistory): { position: number; to: number } {
  let at = moments.findIndex(({ seq }) => seq === rewound?.seq) - 1;
  // attempts that were interrupted have captured it half done
  while (moments[at - 1]?.by_rewind === true) at--;
  const moment = moments[at];
  if (rewound === undefined || moment?.by_rewind !== true) {
    throw new LuminaError("session.nothing_to_undo", "The files of this session were never taken back", {
      exit: 4,
    });
  }
  return { position: moment.seq - 1, to: rewound.to };
}
