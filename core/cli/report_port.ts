import type { ExportedText } from "./export_port.ts";

/** Bug reports about saved sessions. */
export interface ReportPort {
  /** `with_text`: what user, assistant and tools wrote as well, masked like the rest. */
  report(id: string, options: { with_text: boolean }): Promise<ExportedText>;
}
