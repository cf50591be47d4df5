import type { GatePort } from "../agent/mod.ts";
import { errorMessage } from "../base/mod.ts";
import type { RunEvent } from "../types/mod.ts";
import type { SessionPolicy } from "./session_policy.ts";

export interface RenewedGateOptions {
  policy: SessionPolicy;
  /** Another text when the mode or the rules have changed. */
  version(): string;
  renew(emit: (event: RunEvent) => void): Promise<SessionPolicy>;
  emit(event: RunEvent): void;
}

/** Judges by a run's policy, and by a new one from the call on that follows a change; each warning is told once. */
export function renewedGate({ policy, version, renew, emit }: RenewedGateOptions): GatePort {
  let known = version();
  let current = Promise.resolve(policy);
  const told = new Set(policy.warnings);
  const tellOnce = (event: RunEvent) => {
    if (event.type !== "warning" || !told.has(event.text)) emit(event);
    if (event.type === "warning") told.add(event.text);
  };
  return {
    judge: async (tool, input) => {
      if (version() !== known) {
        known = version();
        const before = current;
        current = renew(tellOnce).catch((error) => {
          tellOnce({
            type: "warning",
            text: `${errorMessage(error)} (the rules and the mode stay as they were)`,
          });
          return before;
        });
      }
      return await (await current).gate.judge(tool, input);
    },
  };
}
