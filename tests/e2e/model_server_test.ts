// Against a server that we did not write: llama.cpp's, both wires, with a very small model. Only the wire counts here,
// not what the model says.
import assert from "node:assert/strict";
import { startModelServer } from "../support/model_server.ts";
import { runLumina, startLumina } from "../support/run_lumina.ts";
import { testWith } from "../support/skip.ts";
import { tempDir } from "../support/temp_dir.ts";

const server = await startModelServer();

const WIRES = [
  { wire: "anthropic", path: "" },
  { wire: "openai_compatible", path: "/v1" },
] as const;

function flags(url: string, wire: { wire: string; path: string }): string[] {
  return [
    "--bare",
    "--model",
    "smollm2-135m",
    "--api-type",
    wire.wire,
    "--base-url",
    `${url}${wire.path}`,
    "--disallowed-tools",
    "Bash,BashOutput,KillShell,Edit,MultiEdit,Write,Glob,Grep,List,Read",
  ];
}

for (const wire of WIRES) {
  testWith(
    `the real model server, ${wire.wire} wire: an answer is streamed, counted and saved`,
    server,
    async ({ url }) => {
      await using dir = await tempDir();
      const run = await runLumina([
        "-p",
        "Write a long story about a fox who crosses a river, with many sentences.",
        "--output-format",
        "stream-json",
        "--include-partial-messages",
        "--settings",
        await dir.write("settings.json", '{ "max_output_tokens": 48 }'),
        ...flags(url, wire),
      ], { cwd: dir.path });
      const lines = run.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
      const deltas = lines.filter((line) => line.event?.delta?.type === "text_delta");
      assert.ok(deltas.length > 1, `several deltas: ${run.stdout.slice(-600)} ${run.stderr}`);
      const answer = lines.find((line) => line.type === "assistant");
      assert.equal(
        deltas.slice(0, 1).map((line) => line.event.delta.text).join(""),
        answer.message.content[0].text.slice(0, deltas[0].event.delta.text.length),
      );
      assert.ok(answer.message.usage.output_tokens > 0 && answer.message.usage.input_tokens > 0);
    },
  );

  testWith(
    `the real model server, ${wire.wire} wire: an interrupted stream ends at once and the session goes on`,
    server,
    async ({ url }) => {
      await using dir = await tempDir();
      await using app = await tempDir();
      const args = [
        "-p",
        "Count from one to one thousand in words.",
        "--output-format",
        "stream-json",
        "--include-partial-messages",
        ...flags(url, wire),
      ];
      await using run = await startLumina(args, { cwd: dir.path, app_root: app.path });
      await run.closeInput();
      for await (const line of run.lines()) {
        if (line.includes('"text_delta"')) {
          run.kill("SIGINT");
          break;
        }
      }
      const { code } = await run.finished;
      assert.equal(code, 130);
      const list = await runLumina(["--list", "--json"], { cwd: dir.path, app_root: app.path });
      const [row] = JSON.parse(list.stdout);
      assert.equal(row.status, "interrupted");
    },
  );

  testWith(
    `the real model server, ${wire.wire} wire: its own window overflow is named`,
    server,
    async ({ url }) => {
      await using dir = await tempDir();
      const long = "many words that fill the window of the model ".repeat(6000);
      const run = await runLumina(
        ["-p", "Summarise this", "--output-format", "json", ...flags(url, wire)],
        { cwd: dir.path, stdin: long },
      );
      assert.equal(run.code, 1, run.stderr);
      const result = JSON.parse(run.stdout);
      assert.equal(result.error_code, "model.window_overflow", run.stdout);
    },
  );
}

Deno.test("the real model server is stopped when its tests are over", async () => {
  if (!("skip" in server)) await server[Symbol.asyncDispose]();
});
