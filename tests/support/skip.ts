import type { Skip } from "./shared_tool.ts";

/**
 * A test that needs something this machine may lack. `need` is that thing, or why it is missing: then the test is reported
 * as ignored, with the reason in its name.
 */
export function testWith<T extends object>(
  name: string,
  need: T | Skip,
  body: (need: T, context: Deno.TestContext) => void | Promise<void>,
): void {
  if ("skip" in need) {
    Deno.test({ name: `${name} (skipped: ${need.skip})`, ignore: true, fn() {} });
  } else {
    Deno.test(name, (context) => body(need, context));
  }
}
