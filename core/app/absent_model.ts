import { DEFAULT_MAX_OUTPUT, DEFAULT_WINDOW } from "../model/mod.ts";
import type { OpenModel } from "../model/mod.ts";

/** Stands where no model could be made, so that what asks none works all the same; its name is empty. */
export function absentModel(why: unknown): OpenModel {
  return {
    name: "",
    window: DEFAULT_WINDOW,
    max_output: DEFAULT_MAX_OUTPUT,
    costOf: () => null,
    // deno-lint-ignore require-yield -- it has nothing to say
    async *stream() {
      throw await Promise.resolve(why);
    },
    close() {},
  };
}
