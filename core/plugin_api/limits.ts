/** What a pack in the process tier may use. What it asks for beyond the host's limits is lowered to them. */
export interface PackLimits {
  /** Calls of its tools in one run. */
  calls_per_run: number;
  /** Bytes of one result, chunks included. */
  result_bytes: number;
  /** Bytes of one message between host and pack. */
  frame_bytes: number;
  /** Memory of the whole process group, MiB. */
  rss_mib: number;
  /** Processor time of the whole process group in one call, seconds. */
  cpu_seconds_per_call: number;
  /** Processes in the group. */
  processes: number;
  /** Requests to the host's services in one call. */
  service_requests_per_call: number;
}

/** The limits of a pack that names none. */
export const DEFAULT_LIMITS: PackLimits = {
  calls_per_run: 1000,
  result_bytes: 4 * 1024 * 1024,
  frame_bytes: 16 * 1024 * 1024,
  rss_mib: 512,
  cpu_seconds_per_call: 60,
  processes: 32,
  service_requests_per_call: 200,
};
