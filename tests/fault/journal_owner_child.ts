/** Opens the journal of its argument, prints `open` or the error's code, and holds it until stdin ends. */
import { LuminaError, systemWorld } from "../../core/base/mod.ts";
import { openJournal } from "../../core/journal/mod.ts";

const encoder = new TextEncoder();
try {
  const journal = await openJournal(Deno.args[0]!, { world: systemWorld, create: true });
  Deno.stdout.writeSync(encoder.encode("open\n"));
  for await (const _ of Deno.stdin.readable);
  await journal.close();
} catch (error) {
  if (!(error instanceof LuminaError)) throw error;
  Deno.stdout.writeSync(encoder.encode(`${error.code}\n`));
}
