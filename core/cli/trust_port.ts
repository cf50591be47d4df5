/** Something that a project brings and that acts on this machine. */
export interface TrustItem {
  kind: "plugin" | "setting" | "hook";
  /** The plugin's id, the key of the setting, or the hook's event and place. */
  name: string;
  /** What it is and may do, one line each. */
  lines: string[];
  /** What an answer about it is bound to. */
  hash: string;
  /** New, changed since it was trusted, or as it was. */
  state: "new" | "changed" | "trusted";
}

/** What a project brings, as it lies there now. */
export interface TrustReport {
  /** Absolute path of the project. */
  project: string;
  items: TrustItem[];
  /** What can never be trusted as it is and is not loaded, one line each. */
  problems: string[];
  /** Over all items: an answer holds for exactly these. */
  hash: string;
  /** When the last answer was given, ISO 8601; null where there is none. */
  decided_at: string | null;
}

/** Trust in what projects bring. `cwd` names the project; the current directory without it. */
export interface TrustPort {
  look(cwd?: string): Promise<TrustReport>;
  /** Looks, asks `consent` where something is not trusted yet, and keeps a yes. */
  trust(consent: (report: TrustReport) => Promise<boolean>, cwd?: string): Promise<{
    status: "trusted" | "unchanged" | "declined";
    report: TrustReport;
  }>;
  /** Takes the trust back; false where there was none. */
  revoke(cwd?: string): Promise<boolean>;
}
