/**
 * Appends one event after the other until the journal refuses; prints `ack <seq>` for each, then the error's code. With a
 * second argument it closes the journal at last and prints `closed`.
 */
import { LuminaError, systemWorld } from "../../core/base/mod.ts";
import { openJournal } from "../../core/journal/mod.ts";

const encoder = new TextEncoder();
function say(line: string): void {
  Deno.stdout.writeSync(encoder.encode(`${line}\n`));
}

async function codeOf(action: Promise<unknown>): Promise<string> {
  const error = await action.then(() => "no error", (reason: unknown) => reason);
  return error instanceof LuminaError ? error.code : String(error);
}

const opening = openJournal(Deno.args[0]!, { world: systemWorld, create: true });
const failed = await codeOf(opening);
if (failed !== "no error") {
  say(failed);
  Deno.exit(0);
}
const journal = await opening;
let code = "no error";
for (let index = 1; index <= 12 && code === "no error"; index++) {
  const event = { type: "a.step", version: 1, payload: { index, text: "x".repeat(1000) } };
  const append = journal.append("session", index - 1, [event]);
  code = await codeOf(append);
  if (code === "no error") say(`ack ${(await append).last_seq}`);
}
say(code);
if (code !== "no error") {
  const late = { type: "a.late", version: 1, payload: null };
  say(await codeOf(journal.append("session", "any", [late])));
}
if (Deno.args[1] !== undefined) {
  await journal.close();
  say("closed");
}
Deno.exit(0);
