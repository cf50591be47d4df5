import type { Grant } from "../../plugin_api/mod.ts";

/** The first message to a pack's process: everything it needs, so that it reads nothing. */
export interface InitFrame {
  type: "init";
  /** Version of the RPC; the process ends when it speaks another one. */
  version: number;
  pack: string;
  /** Names of the tools that the manifest promises. */
  tools: string[];
  /** Exports that answer events, as the manifest promises them. */
  hooks: string[];
  /** The pack's module, base64. */
  entry: string;
  /** SHA-256 of the module as it was approved. */
  sha256: string;
  grant: Grant;
  /** Values of the variables that the grant names, as far as the host has them. */
  variables: Record<string, string>;
  /** Bytes of one message. */
  frame_bytes: number;
}

/** Bytes of the first message: a module may be larger than any message after it. */
export const INIT_BYTES = 64 * 1024 * 1024;

/** What a pack's worker is told once the process has given up what the pack may not have. */
export type LoadMessage = Pick<InitFrame, "pack" | "tools" | "hooks" | "entry">;
