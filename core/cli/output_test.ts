import assert from "node:assert/strict";
import type { CliIo } from "./io.ts";
import { runPrinter } from "./output.ts";

Deno.test("--verbose shows the progress of tools line by line on standard error, and nothing else does", () => {
  const shown = (verbose: boolean) => {
    const said: string[] = [];
    const io = { err: (text: string) => said.push(text), out: () => Promise.resolve() } as unknown as CliIo;
    const header = { session_id: "s", uuid: () => "u" } as Parameters<typeof runPrinter>[2];
    const printer = runPrinter("text", io, header, verbose);
    printer.event({ type: "tool_progress", call_id: "c", text: "Plugin p: half way\n\nsecond  \n" });
    return said;
  };
  assert.deepEqual(shown(true), ["[lumina] Plugin p: half way\n", "[lumina] second\n"]);
  assert.deepEqual(shown(false), []);
});
