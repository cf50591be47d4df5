import assert from "node:assert/strict";
import { join } from "node:path";
import type { JsonObject } from "../../core/types/mod.ts";
import { REPO_ROOT } from "../support/repo_root.ts";
import { runCalls, succeeded } from "../support/run_calls.ts";
import type { ScriptedCall } from "../support/run_calls.ts";
import { tempDir } from "../support/temp_dir.ts";

const PROGRAM = join(REPO_ROOT, "tests", "support", "language_server_main.ts");

function server(manner: string, note: string): JsonObject {
  return {
    command: Deno.execPath(),
    args: ["run", "--quiet", "--no-config", "--no-check", "-A", PROGRAM, manner, note],
    extensions: [`.${manner}`],
    languages: { [`.${manner}`]: "plain" },
    initialization_options: { any: 1 },
    env: { OF_SERVER: "x" },
  };
}

const write = (file_path: string, content: string): ScriptedCall => ["Write", { file_path, content }];
const edit = (file_path: string, old_string: string, new_string: string): ScriptedCall => [
  "Edit",
  { file_path, old_string, new_string },
];

async function isGone(pid: number): Promise<boolean> {
  return await Deno.stat(`/proc/${pid}`).then(() => false, () => true);
}

Deno.test("lsp_servers: an edit's result names the errors and warnings that are new, and a server that fails is told once", async () => {
  await using root = await tempDir("lumina-lsp-");
  const workspace = root.join("ws");
  await Deno.mkdir(workspace);
  await Deno.writeTextFile(join(workspace, "old.push"), "BAD one\nfine\n");
  await Deno.writeTextFile(join(workspace, "same.pull"), "BAD one\n");
  const note = (manner: string) => root.join(`${manner}.json`);
  const run = await runCalls(workspace, [
    ["Read", { file_path: "old.push" }],
    edit("old.push", "fine", "\nBAD two\nWARN three\n"),
    edit("old.push", "BAD one", "good"),
    ["Read", { file_path: "same.pull" }],
    edit("same.pull", "BAD one", "BAD one\nBAD one"),
    write("new.pull", "fine\n"),
    write("a.crash", "BAD\n"),
    write("b.crash", "BAD\n"),
    write("none.txt", "BAD\n"),
  ], {
    args: ["--permission-mode", "accept-edits"],
    settings: {
      lsp_servers: Object.fromEntries(
        ["push", "pull", "crash"].map((manner) => [manner, server(manner, note(manner))]),
      ),
      lsp_timeout_ms: 60_000,
    },
    env: { LUMINA_OWN: "x" },
  });
  const [, added, removed, , twice, fresh, first, second, other] = run.results;
  assert.ok(
    succeeded(added).endsWith(
      `<diagnostics file=${
        JSON.stringify(join(await Deno.realPath(workspace), "old.push"))
      }>\nNew since this edit:\n` +
        "3:3 error: see: BAD two [test 1]\n4:3 warning: see: WARN three [test 2]\n</diagnostics>",
    ),
    succeeded(added),
  );
  assert.match(
    succeeded(twice),
    /New since this edit:\n2:3 error: see: BAD one \[test 1\]\n<\/diagnostics>$/,
  );
  for (const quiet of [removed, fresh, first, second, other]) {
    assert.ok(!succeeded(quiet).includes("diagnostics"));
  }
  assert.equal(
    run.stderr.match(/No diagnostics of the language server "crash" in this session/g)?.length,
    1,
    run.stderr,
  );
  for (const manner of ["push", "pull", "crash"]) {
    const { pid, env } = JSON.parse(await Deno.readTextFile(note(manner)));
    assert.ok(
      env.includes("OF_SERVER") && !env.some((name: string) => name.startsWith("LUMINA_")),
      env.join(),
    );
    assert.ok(await isGone(pid), `${manner} still runs`);
  }
});

Deno.test("lsp_timeout_ms bounds the wait: the edit goes on, and the server is given up", async () => {
  await using root = await tempDir("lumina-lsp-");
  const workspace = root.join("ws");
  await Deno.mkdir(workspace);
  const own = join(workspace, "server");
  await Deno.writeTextFile(own, "#!/bin/sh\n", { mode: 0o700 });
  const run = await runCalls(workspace, [
    write("a.hang", "BAD\n"),
    write("b.hang", "BAD\n"),
    write("c.hang", "BAD\n"),
    write("a.own", "BAD\n"),
  ], {
    args: ["--permission-mode", "accept-edits"],
    settings: {
      lsp_servers: {
        hang: server("hang", root.join("hang.json")),
        own: { command: own, extensions: [".own"] },
        absent: { command: "no-such-server", extensions: [".absent"] },
      },
      lsp_timeout_ms: 100,
    },
  });
  for (const result of run.results) assert.ok(!succeeded(result).includes("diagnostics"));
  assert.match(
    run.stderr,
    /language server "hang" in this session: it did not answer within 100 ms, 2 times in a row/,
  );
  assert.match(run.stderr, /language server "own" in this session: .* lies in the workspace/);
});
