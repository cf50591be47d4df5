import type { Attempt } from "./attempt.ts";
import { CODE_ATTEMPTS } from "./code_attempts.ts";
import { FILE_ATTEMPTS, LINK_ATTEMPTS } from "./file_attempts.ts";
import { NETWORK_ATTEMPTS } from "./network_attempts.ts";
import { PROCESS_ATTEMPTS } from "./process_attempts.ts";

/** All attempts that one process can make one after the other. */
export const QUIET: Attempt[] = [
  ...FILE_ATTEMPTS,
  ...LINK_ATTEMPTS,
  ...NETWORK_ATTEMPTS,
  ...PROCESS_ATTEMPTS,
  ...CODE_ATTEMPTS,
];
