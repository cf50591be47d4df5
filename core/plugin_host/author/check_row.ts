/** One line of the table. */
export interface CheckRow {
  check: string;
  /** The tool or hook that it is about. */
  tool?: string;
  ok: boolean;
  /** What was found, or what to do. */
  detail: string;
}

/** Adds a row; false where it does not hold. */
export type AddRow = (check: string, problem: string | undefined, detail: string, tool?: string) => boolean;
