import { EXIT, LuminaError } from "../../base/mod.ts";

/** A conversation could not be brought to a size with which the model can go on; the run ends with it. */
export class CompactionError extends LuminaError {
  override readonly name = "CompactionError";

  constructor(kind: "compaction_failed" | "compaction_thrash" | "compaction_blocked", message: string) {
    super(`agent.${kind}`, message, kind === "compaction_blocked" ? { exit: EXIT.blocked } : {});
  }
}
