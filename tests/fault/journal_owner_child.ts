/**
 * Opens the journal of its first argument, with its owner's note in the second one, prints `open` or the error's code, and
 * holds it until stdin ends.
 */
import { LuminaError, systemWorld } from "../../core/base/mod.ts";
import { openJournal } from "../../core/journal/mod.ts";

const encoder = new TextEncoder();
try {
  const [path, notes] = Deno.args as [string, string];
  const owner = { dir: notes, name: "journal" };
  const journal = await openJournal(path, { world: systemWorld, create: true, owner });
  Deno.stdout.writeSync(encoder.encode("open\n"));
  for await (const _ of Deno.stdin.readable);
  await journal.close();
} catch (error) {
  if (!(error instanceof LuminaError)) throw error;
  Deno.stdout.writeSync(encoder.encode(`${error.code}\n`));
}
