import { errorMessage, type ExitCode, LuminaError } from "../../base/mod.ts";
import { ModelError } from "../model_error.ts";
import type { WireModelError } from "./message.ts";

/** An error as data; what else it holds stays in its thread. */
export function toWireError(error: unknown): WireModelError {
  if (error instanceof ModelError) {
    const { code, message, exit, category, status, request_id, retry_after_ms, partial } = error;
    return {
      code,
      message,
      exit,
      category,
      ...(status === undefined ? {} : { status }),
      ...(request_id === undefined ? {} : { request_id }),
      ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
      partial,
    };
  }
  if (error instanceof LuminaError) {
    return { code: error.code, message: error.message, exit: error.exit };
  }
  return { code: "model.unknown", message: errorMessage(error), exit: 1 };
}

/** The error again: a `ModelError` where it was one. */
export function fromWireError(error: WireModelError): LuminaError {
  const { code, message, exit, category, ...rest } = error;
  return category === undefined
    ? new LuminaError(code, message, { exit: exit as ExitCode })
    : new ModelError(message, { category, ...rest });
}
