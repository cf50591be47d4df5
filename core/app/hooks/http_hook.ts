import { errorMessage } from "../../base/mod.ts";
import { readText } from "../../extension/mod.ts";
import type { HttpHook } from "../../extension/mod.ts";
import type { HookInput, HookReply } from "../../types/mod.ts";
import { guardedFetch } from "../net/guarded_fetch.ts";
import type { Network } from "../net/guarded_fetch.ts";

/** Bytes of an answer that are read as output. */
const MOST_BYTES = 1024 * 1024;

/** What addresses of hooks are called with. */
export interface HttpScope {
  network(): Promise<Network>;
  /** True where a person wrote the address down: loopback and private addresses may be reached. */
  private_allowed: boolean;
  /** A variable that a header may hold; undefined for one that it may not, or that is not set. */
  variable(name: string): string | undefined;
}

/** Posts the input; an answer of 2xx is the output, every other one an error. Throws the signal's reason alone. */
export async function runHttpHook(
  hook: HttpHook,
  input: HookInput,
  scope: HttpScope,
  signal: AbortSignal,
): Promise<HookReply> {
  try {
    const headers = new Headers({ "content-type": "application/json" });
    for (const [name, value] of Object.entries(hook.headers)) {
      headers.set(name, filled(value, hook.allowed_env, scope));
    }
    const { status, body } = await guardedFetch(
      {
        url: new URL(hook.url),
        method: "POST",
        headers,
        body: JSON.stringify(input),
        private_allowed: scope.private_allowed,
        signal,
      },
      await scope.network(),
    );
    if (status < 200 || status > 299) return { kind: "error", message: `was answered with status ${status}` };
    if (body.length > MOST_BYTES) {
      return { kind: "error", message: "was answered with more than 1 MiB, which is not read" };
    }
    return readText(body);
  } catch (error) {
    signal.throwIfAborted();
    return { kind: "error", message: `cannot be reached: ${errorMessage(error)}` };
  }
}

/** `$NAME` and `${NAME}` of the variables that the hook names; every other one is empty. */
function filled(value: string, allowed: readonly string[], scope: HttpScope): string {
  return value.replaceAll(
    /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g,
    (_, braced: string | undefined, bare: string | undefined) => {
      const name = braced ?? bare ?? "";
      return allowed.includes(name) ? scope.variable(name) ?? "" : "";
    },
  );
}
