import assert from "node:assert/strict";
import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import type { RecordedRequest } from "../../core/model/scripted/mod.ts";
import type { JsonObject } from "../../core/types/mod.ts";
import { pdfOf, PNG } from "../../plugins/tools_fs/media_testing.ts";
import type { Line } from "../support/agent_project.ts";
import { outcomes, reach, SettingsRun } from "./setting_effects_support.ts";

const read = (file_path: string) => ({ name: "Read", input: { file_path } });
const task = (subject: string) => ({ name: "TaskCreate", input: { subject } });
const rounds = (...calls: { name: string; input: JsonObject }[]) => [{ tool_calls: calls }, { text: "done" }];

/** The content of each result in the last message of a request. */
function shown(request: RecordedRequest | undefined): (string | Line[])[] {
  const messages = request?.body["messages"] as Line[];
  return (messages.at(-1)?.["content"] as Line[]).filter(({ type }) => type === "tool_result")
    .map(({ content }) => content);
}

function offered(request: RecordedRequest | undefined): string[] {
  return (request?.body["tools"] as { name: string }[]).map(({ name }) => name);
}

Deno.test("model_images, model_pdf, read_image_max_bytes and read_pdf_max_pages decide what Read shows, apply_patch what is offered, max_tasks and task_reminder_steps what becomes of tasks", async () => {
  const files = [read("a.png"), read("a.pdf")];
  const patch = "*** Begin Patch\n*** Update File: a.txt\n-old\n+new\n*** Delete File: b.txt\n*** End Patch";
  await using provider = await startScriptedProvider({
    turns: [
      ...rounds(...files),
      ...rounds(...files),
      ...rounds(...files),
      { tool_calls: [read("a.txt"), read("b.txt")] },
      ...rounds({ name: "apply_patch", input: { patch } }),
      ...rounds(task("one"), task("two")),
      { tool_calls: [read("a.txt")] },
      { tool_calls: [read("a.txt")] },
      { text: "done" },
    ],
  });
  const large = new Uint8Array(1_500);
  large.set(PNG);
  await using run = await SettingsRun.start({
    args: ["--permission-mode", "accept-edits"],
    settings: reach(provider),
    prepare: async (workspace) => {
      await workspace.write("a.png", large);
      await workspace.write("a.pdf", pdfOf(["First", "Second"]));
      await workspace.write("a.txt", "old\n");
      await workspace.write("b.txt", "b\n");
    },
  });
  await run.turn();
  // calls side by side end in any order; the request has them in theirs
  const [blind, text] = shown(provider.requests[1]);
  assert.match(String(blind), /this model takes no images/);
  assert.match(String(text), /--- page 1 ---\nFirst\n--- page 2 ---\nSecond$/);
  assert.ok(!offered(provider.requests[0]).includes("apply_patch"));

  const on = { model_images: "on", model_pdf: "on" };
  await run.turn(reach(provider, { ...on, apply_patch: "on" }));
  const [image, document] = shown(provider.requests[3]);
  assert.deepEqual((image as Line[]).map(({ type }) => type), ["text", "image"]);
  assert.equal((image as Line[])[1]?.["source"].media_type, "image/png");
  assert.deepEqual((document as Line[]).map(({ type }) => type), ["text", "document"]);
  assert.ok(offered(provider.requests[2]).includes("apply_patch"));

  const tight = { ...on, read_image_max_bytes: 1_000, read_pdf_max_pages: 1 };
  await run.turn(reach(provider, tight));
  const [over, pages] = shown(provider.requests[5]);
  assert.match(String(over), /has 1500 bytes and at most 1000 are shown/);
  assert.match(String(pages), /\[PARTIAL: pages 1-1 of 2; go on with pages "2-"\]$/);

  const patched = outcomes(await run.turn(reach(provider, { apply_patch: "on" }))).at(-1);
  assert.match(patched!.content, /^M a\.txt: \+1 -1\n[\s\S]*D b\.txt: \+0 -1$/);
  assert.equal(await run.workspace.read("a.txt"), "new\n");

  const tasks = { max_tasks: 1, task_reminder_steps: 2 };
  const [made, refused] = outcomes(await run.turn(reach(provider, tasks)));
  assert.match(made!.content, /^Created #1 \[pending\] one$/);
  assert.match(refused!.content, /The list has 1 tasks/);
  const reminded = await run.turn();
  const notes = reminded.filter((line) => line["isSynthetic"] === true).map((line) =>
    line["message"].content
  );
  assert.deepEqual(notes, [
    "<task_reminder>\nThe task list has not changed for 2 steps. Keep it true to what is done:\n#1 [pending] one\n</task_reminder>",
  ]);
  assert.equal((await run.end()).code, 0);
});
