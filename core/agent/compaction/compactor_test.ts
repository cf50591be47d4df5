import assert from "node:assert/strict";
import { contextMessages } from "../../session/mod.ts";
import { messageText } from "../../types/mod.ts";
import type { Message } from "../../types/mod.ts";
import { contextTokens } from "../context/token_count.ts";
import {
  compactorOf,
  summaryModel,
  TOO_LONG,
  withConversation,
} from "../../../tests/support/test_conversation.ts";

const never = new AbortController().signal;
const text = (messages: readonly Message[]) => JSON.stringify(messages);
const many = (word: string, count: number) => `${word} `.repeat(count);

Deno.test("a conversation below its limit is left as it is, and no model is asked", async () => {
  await withConversation(async ({ session, exchange }) => {
    await exchange("hello", "hi");
    const model = summaryModel(10_000, "S");
    const { compactor, run } = compactorOf(session, model);
    await compactor.fit(run, never);
    assert.equal(contextMessages(session.state), session.state.messages);
    assert.equal(model.requests.length, 0);
  });
});

Deno.test("old results are cleared first, with a marker that says how to read them again, and the newest stay", async () => {
  await withConversation(async ({ session, begin, round }) => {
    const kept: string[] = [];
    await begin("read them");
    for (let index = 0; index < 9; index++) {
      await round({ input: `${index}.txt`, result: many(`line${index}`, 400) });
    }
    await round({ name: "Bash", input: "x", result: many("built", 500) });
    await round({ input: "last.txt", result: many("newest", 300) });
    const model = summaryModel(8_000, "S");
    const { compactor, run, told } = compactorOf(session, model, {
      keep: (call_id, content) => (kept.push(content), Promise.resolve(`/spill/${call_id}.txt`)),
    });
    const before = contextTokens(session.state, []).tokens;
    await compactor.fit(run, never);
    const shown = text(contextMessages(session.state));
    assert.match(shown, /Cleared to save room: \d+ characters that Read gave\. Make the call again/);
    assert.ok(shown.includes(many("newest", 300)), "the newest result keeps its text");
    assert.ok(
      text(session.state.messages).includes(many("line0", 400)),
      "the conversation itself stays whole",
    );
    assert.ok(contextTokens(session.state, []).tokens < before / 2);
    assert.equal(model.requests.length, 0, "no summary was needed");
    assert.deepEqual(told.map(({ type }) => type), ["compacted"]);
    assert.deepEqual(kept, [], "what is new enough needs no file");
  });
});

Deno.test("what cannot be had again is kept in a file that the marker names", async () => {
  await withConversation(async ({ session, begin, round }) => {
    await begin("build");
    await round({ name: "Bash", input: "make", result: many("built", 900) });
    for (let index = 0; index < 8; index++) await round({ input: `${index}`, result: many("x", 1_200) });
    const kept: string[] = [];
    const { compactor, run } = compactorOf(session, summaryModel(8_000, "S"), {
      keep: (_, content) => (kept.push(content), Promise.resolve("/spill/one.txt")),
    });
    await compactor.fit(run, never);
    assert.deepEqual(kept, [many("built", 900)]);
    assert.match(text(contextMessages(session.state)), /that Bash gave\. All of it: \/spill\/one\.txt/);
  });
});

Deno.test("a summary stands in the place of the beginning: requests and last messages stay, the summariser saw the results", async () => {
  await withConversation(async ({ session, exchange, begin, round, finish, reopen }) => {
    await exchange("first: never touch main.c", many("long answer", 900));
    await exchange("second request", many("another answer", 900));
    await begin("third request");
    await round({ input: "a.txt", result: `${many("text", 60)}NEEDLE${many("text", 60)}` });
    await round({ input: "b.txt", result: many("recent", 50) });
    const model = summaryModel(8_000, "THE SUMMARY");
    const { compactor, run } = compactorOf(session, model);
    const report = await compactor.compact(run, "the API names", never);
    assert.equal(report.tier, "summary");
    const asked = model.requests[0];
    assert.ok(asked !== undefined);
    assert.match(asked.system, /^Sum up in \d+ words\.$/);
    assert.match(text(asked.messages), /the API names/);
    const [head, ...kept] = contextMessages(session.state);
    assert.equal(head?.role, "user");
    for (const words of ["never touch main.c", "second request", "THE SUMMARY"]) {
      assert.ok(text([head!]).includes(words), words);
    }
    assert.ok(kept.length > 0 && text(kept).includes("recent"));
    await finish();
    const reopened = await reopen();
    assert.deepEqual(contextMessages(reopened.state), contextMessages(session.state));
  });
});

Deno.test("the summariser is shown results even when they were cleared before", async () => {
  await withConversation(async ({ session, begin, round }) => {
    await begin("go");
    await round({ input: "a.txt", result: `NEEDLE ${many("word", 1_500)}` });
    for (let index = 0; index < 6; index++) await round({ input: `${index}`, result: many("x", 1_500) });
    const model = summaryModel(8_000, "S");
    const { compactor, run } = compactorOf(session, model);
    await compactor.fit(run, never);
    assert.equal(text(contextMessages(session.state)).includes("NEEDLE"), false);
    await compactor.compact(run, "", never);
    assert.match(text(model.requests[0]?.messages ?? []), /NEEDLE/);
  });
});

Deno.test("an empty or failed summary is asked for twice, told, and after three failures not tried again by itself", async () => {
  await withConversation(async ({ session, exchange }) => {
    await exchange("one", many("answer", 3_000));
    await exchange("two", many("answer", 3_000));
    const model = summaryModel(8_000, "");
    const { compactor, run, told } = compactorOf(session, model);
    const warnings = () => told.flatMap((event) => event.type === "warning" ? [event.text] : []);
    for (let index = 0; index < 6; index++) await compactor.fit(run, never).catch(() => {});
    assert.equal(model.requests.length, 6, "two requests each, three times");
    assert.equal(warnings().length, 3);
    assert.match(warnings()[0] ?? "", /could not be summed up: m gave an empty answer/);
    assert.match(warnings()[2] ?? "", /after 3 failures it is not tried again by itself/);
    await assert.rejects(compactor.compact(run, "", never), { code: "agent.compaction_failed" });
    assert.equal(model.requests.length, 8, "a person may always try");
    assert.equal(session.state.compactions.length, 0);
    assert.equal(session.state.usage.output, 16, "what it used is counted");
  });
});

Deno.test("a summary request that is too long itself is made with half as much", async () => {
  await withConversation(async ({ session, exchange }) => {
    await exchange("one", many("answer", 3_000));
    await exchange("two", "ok");
    const model = summaryModel(8_000, TOO_LONG, "S");
    const { compactor, run } = compactorOf(session, model);
    await compactor.compact(run, "", never);
    const [first, second] = model.requests.map(({ messages }) => text(messages).length);
    assert.ok((second ?? 0) < (first ?? 0) * 0.7, `${first} then ${second}`);
  });
});

Deno.test("an interrupted compaction leaves everything as it was", async () => {
  await withConversation(async ({ session, exchange }) => {
    await exchange("one", "two");
    const stop = new AbortController();
    const { compactor, run } = compactorOf(session, summaryModel(8_000, "S"), {
      prompt: () => (stop.abort(new Error("stopped")), Promise.resolve("")),
    });
    const { seq } = session.state;
    await assert.rejects(compactor.compact(run, "", stop.signal), /stopped/);
    assert.equal(session.state.seq, seq);
  });
});

Deno.test("compactions that bring nothing but calls that were made before end the run with agent.compaction_thrash", async () => {
  await withConversation(async ({ session, begin, round }) => {
    await begin("find it");
    const { compactor, run } = compactorOf(session, summaryModel(8_000, "S"));
    let compactions = 0;
    await assert.rejects(async () => {
      for (; compactions < 20; compactions++) {
        for (let index = 0; index < 9; index++) {
          await round({ input: `${index}`, result: many(`x${compactions}`, 1_500) });
        }
        await compactor.fit(run, never);
        if (session.state.compactions.at(-1)?.head === undefined) await compactor.overflow(run, never);
      }
    }, { code: "agent.compaction_thrash" });
    assert.ok(compactions <= 3, `${compactions} compactions`);
  });
});

Deno.test("a window that system prompt and tools fill is told at once, and nothing is asked", async () => {
  await withConversation(async ({ session, begin }) => {
    await begin("hello");
    const model = summaryModel(1_000, "S");
    const { compactor, run } = compactorOf(session, model);
    await assert.rejects(compactor.fit(run, never), {
      code: "model.window_overflow",
      message: /system prompt and the tools alone have about \d+ tokens.*disabled_tools/,
    });
    assert.equal(model.requests.length, 0);
  }, many("system", 1_000));
});

Deno.test("rewinding to before a compaction gives back what it took away", async () => {
  await withConversation(async ({ session, exchange, execute }) => {
    await exchange("one", many("answer", 500));
    const first = session.state.origins[1] ?? 0;
    await exchange("two", "ok");
    const { compactor, run } = compactorOf(session, summaryModel(8_000, "S"));
    await compactor.compact(run, "", never);
    assert.match(messageText(contextMessages(session.state)[0]!), /<summary>\nS\n/);
    await execute({ type: "rewind", to: first, scope: "conversation", snapshot: null, changed: 0 });
    assert.deepEqual(contextMessages(session.state), session.state.messages);
    assert.equal(session.state.messages.length, 2);
  });
});

Deno.test("a compaction that came after the message that one goes back to is undone, one that came before it stays", async () => {
  await withConversation(async ({ session, exchange, execute }) => {
    await exchange("one", many("answer", 500));
    const [, answer = 0] = session.state.origins;
    const { compactor, run } = compactorOf(session, summaryModel(8_000, "S"));
    await compactor.compact(run, "", never);
    await exchange("two", "ok");
    const prompt = session.state.origins[2] ?? 0;
    const back = { type: "rewind", scope: "conversation", snapshot: null, changed: 0 } as const;
    await execute({ ...back, to: prompt });
    assert.match(messageText(contextMessages(session.state)[0]!), /<summary>\nS\n/);
    await execute({ ...back, to: answer });
    assert.equal(contextMessages(session.state), session.state.messages);
    assert.equal(session.state.messages.length, 2);
  });
});

Deno.test("what holds for the whole run is said again after a compaction; what a provider showed of a window is of its model alone", async () => {
  await withConversation(async ({ session, exchange, begin, round }) => {
    await exchange("one", many("answer", 500));
    await begin("two");
    await round({ input: "a.txt", result: many("line", 900) });
    const small = summaryModel(100_000, "S");
    const { compactor, run } = compactorOf(session, small, { standing: "Answer as JSON." });
    assert.equal(await compactor.overflow(run, never), true);
    assert.match(messageText(contextMessages(session.state)[0]!), /Answer as JSON\./);
    await round({ input: "b.txt", result: many("line", 1_500) });
    const asked = small.requests.length;
    const other = { ...summaryModel(100_000, "S"), name: "larger" };
    await compactor.fit({ ...run, model: other }, never);
    assert.equal(other.requests.length, 0, "the larger model has its own window");
    await compactor.fit(run, never);
    assert.ok(small.requests.length > asked || session.state.compactions.length > 1);
  });
});

Deno.test("files that are as they were read are shown again, others are named", async () => {
  await withConversation(async ({ session, begin, round, finish }) => {
    await begin("read");
    for (const name of ["old.ts", "changed.ts", "same.ts"]) {
      await round({ input: name, result: many("code", 200) });
    }
    await finish();
    await begin("go on");
    const { compactor, run } = compactorOf(session, summaryModel(8_000, "S"), {
      readSeen: (path) => Promise.resolve(path.endsWith("changed.ts") ? undefined : `text of ${path}`),
    });
    await compactor.compact(run, "", never);
    const head = messageText(contextMessages(session.state)[0]!);
    assert.match(head, /<file path="\/w\/same\.ts">\ntext of \/w\/same\.ts/);
    assert.match(head, /read again what you need:\n\/w\/changed\.ts/);
  });
});
