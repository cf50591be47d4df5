/** The stream that holds a session's own events. */
export const SESSION_STREAM = "session";

/** The stream of one run. */
export const runStream = (run_id: string): string => `run/${run_id}`;
