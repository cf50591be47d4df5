import type { RulePlace } from "./rule_place.ts";

/** One thing that was looked at. */
export interface DoctorCheck {
  /** What it belongs to: settings, key, app root, worker tier, sandbox … */
  layer: string;
  /** What was looked at or tried. */
  what: string;
  /** It is as it should be; worth knowing; it is not as it should be; it could not be looked at here. */
  status: "ok" | "note" | "failed" | "skipped";
  /** What was found, one line. */
  found: string;
  /** What to do about it; absent where there is nothing to do. */
  fix?: string;
}

/** What a person may want to be looked at. */
export interface DoctorRequest {
  /** Which workspace, and which further rules. */
  place: RulePlace;
  /** Try out what each layer holds back instead of looking over the installation. */
  sandbox: boolean;
}

/** Looking over this installation. */
export interface DoctorPort {
  /** The checks, each as it is done. Never throws for what it finds. */
  run(request: DoctorRequest): AsyncIterable<DoctorCheck>;
}
