import { byteLength, CREDIT_BYTES } from "../../plugin_api/mod.ts";
import type { PackLimits } from "../../plugin_api/mod.ts";
import type { CallMessage } from "../plugin_calls.ts";
import { Bucket } from "./quota.ts";
import type { QuotaName } from "./quota.ts";

/** Messages and bytes of progress in a second; the process of a pack that is not hostile sends a fraction of it. */
const FRAMES = 5_000;
const PROGRESS_BYTES = 8 * 1024 * 1024;
/** Bytes of progress in a second that people are shown. */
const SHOWN_BYTES = 128 * 1024;

/** What goes beyond a quota. */
export interface Excess {
  quota: QuotaName;
  value: number;
  limit: number;
}

/** Counts what one process sends for its calls. */
export class CallMeter {
  readonly #limits: PackLimits;
  #frames = new Bucket(FRAMES);
  #progress = new Bucket(PROGRESS_BYTES);
  #shown = new Bucket(SHOWN_BYTES);
  #calls = new Map<number, { result_bytes: number; requests: number }>();

  constructor(limits: PackLimits) {
    this.#limits = limits;
  }

  /** Any message; before it is parsed. */
  frame(): Excess | undefined {
    return this.#frames.take(1) ? undefined : { quota: "flood", value: FRAMES + 1, limit: FRAMES };
  }

  /** A message of a call that runs. Gives what it goes beyond, or whether it is to be handed on. */
  message(message: CallMessage): Excess | "take" | "drop" {
    const { result_bytes: most, service_requests_per_call: usual } = this.#limits;
    let counts = this.#calls.get(message.id);
    if (counts === undefined) this.#calls.set(message.id, counts = { result_bytes: 0, requests: 0 });
    switch (message.type) {
      case "progress": {
        const bytes = message.text.length;
        if (!this.#progress.take(bytes)) {
          return { quota: "flood", value: PROGRESS_BYTES + 1, limit: PROGRESS_BYTES };
        }
        return this.#shown.take(bytes) ? "take" : "drop";
      }
      case "chunk": {
        const bytes = byteLength(message.text);
        counts.result_bytes += bytes;
        // credit is given back as soon as a chunk is taken, so no chunk can be larger than all of it
        if (bytes > CREDIT_BYTES) return { quota: "flood", value: bytes, limit: CREDIT_BYTES };
        return counts.result_bytes > most
          ? { quota: "result_bytes", value: counts.result_bytes, limit: most }
          : "take";
      }
      case "outcome": {
        const { content, data } = message.outcome;
        const bytes = counts.result_bytes + byteLength(content) +
          (data === undefined ? 0 : byteLength(JSON.stringify(data)));
        this.#calls.delete(message.id);
        return bytes > most ? { quota: "result_bytes", value: bytes, limit: most } : "take";
      }
      case "request": {
        // the services refuse what is beyond the limit; whoever goes on asking does not listen
        const limit = 2 * usual;
        return ++counts.requests > limit
          ? { quota: "service_requests_per_call", value: counts.requests, limit: usual }
          : "take";
      }
    }
  }

  /** A message of `bytes` that no call waits for: as little of it may come as of progress. */
  stray(bytes: number, id?: number): Excess | undefined {
    if (id !== undefined) this.#calls.delete(id); // that call has ended without an outcome
    return this.#progress.take(bytes)
      ? undefined
      : { quota: "flood", value: PROGRESS_BYTES + 1, limit: PROGRESS_BYTES };
  }
}
