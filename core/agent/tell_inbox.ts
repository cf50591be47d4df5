import type { Inbox, InboxMessage } from "./inbox.ts";
import { withHookContext } from "./run_hooks.ts";
import type { RunScope } from "./stages.ts";

/**
 * Tells the model what waits, in the order in which it came: a notice as a note, a message as what a person said.
 * Everything is recorded before it is taken out of the inbox, so what an interruption leaves there is told later. True when
 * something was told that a run goes on for: a person's message, or a notice that wakes it.
 */
export async function tellInbox(inbox: Inbox, run: RunScope): Promise<boolean> {
  let steered = false;
  for (let item = inbox.first; item !== undefined; item = inbox.first) {
    if (item.kind === "message") steered = await steer(item, run) || steered;
    else {
      await run.session.execute({ type: "add_note", text: item.text }, ...item.commands ?? []);
      run.emit({ type: "user", text: item.text, synthetic: true });
      steered ||= item.wakes === true;
    }
    inbox.drop(item);
  }
  return steered;
}

/** Shows a message to hooks and records it. False when it is not for the model: a hook blocks it, or it was told before. */
async function steer({ text, media, once }: InboxMessage, run: RunScope): Promise<boolean> {
  const { hooks, run_id, session, signal } = run;
  let context = "";
  if (hooks?.waits("UserPromptSubmit")) {
    const said = await hooks.run(
      { event: "UserPromptSubmit", subject: [], fields: { prompt: text } },
      signal,
    );
    const refusal = said.block ?? said.stop;
    if (refusal !== undefined) {
      const why = `A hook blocked the message that was typed meanwhile: ${refusal.reason} (${refusal.hook})`;
      await session.execute({ type: "warn", text: why });
      run.emit({ type: "warning", text: why });
      return false;
    }
    context = withHookContext("", said.context);
  }
  const command = {
    type: "steer_run",
    text,
    context,
    ...(media === undefined ? {} : { media }),
    ...(once === undefined ? {} : { key: once.key }),
  } as const;
  let replayed = false;
  if (once === undefined) await session.execute(command);
  else ({ replayed } = await session.executeOnce(command, { ...once, result: { run_id } }));
  run.emit({ type: "user", text, synthetic: false, ...(once === undefined ? {} : { key: once.key }) });
  return !replayed;
}
