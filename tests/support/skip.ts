import type { Skip } from "./shared_tool.ts";

/**
 * The name of a test and whether it is ignored: `Deno.test(onlyWhere("…", hasGit(), "git is not installed"), …)`. Where the
 * condition does not hold, the reason becomes a part of the name, so that every report says why.
 */
export function onlyWhere(
  name: string,
  condition: boolean,
  reason: string,
): { name: string; ignore: boolean } {
  return { name: condition ? name : `${name} (skipped: ${reason})`, ignore: !condition };
}

/**
 * A test that needs something this machine may lack. `need` is that thing, or why it is missing: then the test is reported
 * as ignored, with the reason in its name.
 */
export function testWith<T extends object>(
  name: string,
  need: T | Skip,
  body: (need: T, context: Deno.TestContext) => void | Promise<void>,
): void {
  if ("skip" in need) Deno.test(onlyWhere(name, false, need.skip), () => {});
  else Deno.test(name, (context) => body(need, context));
}
