/** What is known of the SearXNG that Lumina runs. */
export interface SearxngStatus {
  /** `silent`: it was started and does not answer. */
  state: "running" | "stopped" | "silent";
  /** Its address; absent when it is stopped. */
  url?: string;
  container?: string;
  /** Path of the program that runs the container. */
  program?: string;
}

export interface SearxngStart {
  /** A free one when absent. */
  port?: number;
  image: string;
  timeout_ms: number;
  signal: AbortSignal;
}

/** Services that Lumina runs for itself. */
export interface ServicesPort {
  /** Starts it and waits until it answers; one that answers already stays. Throws `services.…`. */
  startSearxng(options: SearxngStart): Promise<SearxngStatus>;
  /** False when nothing was to stop. Throws `services.failed`. */
  stopSearxng(): Promise<boolean>;
  searxngStatus(): Promise<SearxngStatus>;
}
