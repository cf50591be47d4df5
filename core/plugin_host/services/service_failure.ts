import { errorMessage } from "../../base/mod.ts";
import { ServiceError } from "../../plugin_api/mod.ts";

/** Why a service did not do what it was asked; the closed set that packs see. */
export type ServiceFailureCode = "denied" | "quota" | "invalid" | "unavailable" | "failed";

/** A refusal that a pack can tell apart by its code. */
export function serviceFailure(code: ServiceFailureCode, message: string): ServiceError {
  return new ServiceError(code, message);
}

/** Anything that was thrown, as a pack may see it: one line, and never the error of another layer. */
export function asServiceError(error: unknown): ServiceError {
  return error instanceof ServiceError ? error : serviceFailure("failed", errorMessage(error));
}
