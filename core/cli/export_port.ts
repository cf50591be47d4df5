export const EXPORT_FORMATS = ["md", "json", "html"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportRequest {
  format: ExportFormat;
  /** Tool calls with their results. */
  tools: boolean;
  thinking: boolean;
  /** Without secrets and without what names a person. */
  share: boolean;
  /** With `share`: without e-mail addresses as well. */
  emails: boolean;
}

export interface ExportedText {
  text: string;
  /** With `share`: how much was masked. */
  masked?: { secrets: number; personal: number };
  /** One line, when the session is damaged and only its intact part is here. */
  damage?: string;
}

/** Saved sessions as texts for people and programs. `warn` is told what cannot be read. */
export interface ExportPort {
  exportSession(id: string, request: ExportRequest, warn: (text: string) => void): Promise<ExportedText>;
}
