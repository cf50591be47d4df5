import assert from "node:assert/strict";
import { appRootPaths } from "../../core/app_root/mod.ts";
import { AgentProject, resultOf, toolResults } from "../support/agent_project.ts";
import { approvePack, writePack } from "../support/pack_folder.ts";

Deno.test("command files of the project, the user and a pack make prompts; a broken one is told and left out alone", async () => {
  const call = (name: string, input: Record<string, string>) => ({ tool_calls: [{ name, input }] });
  await using project = await AgentProject.open({
    turns: [
      // /git:fix leaves Read alone
      call("Bash", { command: "touch made-by-project" }),
      { text: "refused" },
      // /mine allows touch for its run
      call("Bash", { command: "touch made-by-user" }),
      { text: "made" },
      // and not longer
      call("Bash", { command: "touch made-later" }),
      { text: "refused" },
      // the pack's
      { text: "from the pack" },
    ],
  });
  const { dir } = project;
  const root = appRootPaths(project.app_root);
  await dir.write("notes/a.txt", "the text of a\n");
  await dir.write(".env", "TOKEN=canary\n");
  await dir.write(
    ".claude/commands/git/fix.md",
    "---\ndescription: Fix one\nargument-hint: [number]\nallowed-tools: Read\n---\n" +
      "Fix $1 before $2, all: $ARGUMENTS. See @notes/$3 and @.env, not me@example.org.\n",
  );
  await dir.write(".Lumina/commands/broken.md", "---\ndescription: x\neffort: enormous\n---\nNever.\n");
  await dir.write(".Lumina/commands/shell.md", "Now: !`touch made-by-file`\n");
  const user = `${root.configDir}/commands`;
  await Deno.mkdir(user, { recursive: true });
  await Deno.writeTextFile(
    `${user}/mine.md`,
    "---\nallowed-tools: Bash(touch *), Edit(made-*)\nmodel: another-model\neffort: low\n---\nMake it: !`echo from the shell`\n",
  );
  const pack = await writePack(`${root.configDir}/plugins`, {
    id: "brings",
    tools: [],
    manifest: {
      kinds: ["commands"],
      entry: undefined,
      contributes: { commands: ["commands/packed.md"] },
    },
  });
  await Deno.remove(`${pack}/mod.js`);
  await Deno.mkdir(`${pack}/commands`);
  await Deno.writeTextFile(`${pack}/commands/packed.md`, "What the pack asks of $ARGUMENTS\n");
  await approvePack(pack);

  const run = await project.converse(
    ["/git:fix 12 13 a.txt", "/mine", "/shell", "/help", {
      type: "user",
      priority: "later",
      message: { role: "user", content: "again" },
    }, "/packed you"],
  );
  assert.equal(run.code, 0, run.stderr);
  const requests = project.provider.requests.map(({ body }) => JSON.stringify(body));
  const results = run.prompts.map((lines) => resultOf(lines));

  // placeholders, files that may be read, and those that may not
  const [first = ""] = requests;
  assert.match(first, /Fix 12 before 13, all: 12 13 a\.txt\./);
  assert.match(first, /the text of a/);
  assert.doesNotMatch(first, /canary/);
  assert.match(first, /<file path=\\".env\\">\\nNot shown: /);
  assert.match(first, /"\/git:fix 12 13 a\.txt"/);
  assert.match(toolResults(run.prompts[0] ?? [])[0]?.content ?? "", /\/git:fix leaves this run only Read/);
  await assert.rejects(Deno.stat(dir.join("made-by-project")), Deno.errors.NotFound);

  // a file of the user's own may allow, for its run; its command runs, its model answers
  assert.match(requests[2] ?? "", /Make it: from the shell/);
  assert.match(requests[2] ?? "", /"model":"another-model"/);
  assert.ok((await Deno.stat(dir.join("made-by-user"))).isFile);
  assert.deepEqual(toolResults(run.prompts[4] ?? []).map(({ is_error }) => is_error), [true]);
  await assert.rejects(Deno.stat(dir.join("made-later")), Deno.errors.NotFound);

  // a repository's command runs no program without a person
  assert.match(
    results[2]?.["errors"][0],
    /^\/shell was not loaded: its command `touch made-by-file` may not run: .*\(--allowed-tools "Bash\(touch made-by-file\)" allows it\)$/,
  );
  await assert.rejects(Deno.stat(dir.join("made-by-file")), Deno.errors.NotFound);

  assert.match(results[3]?.["result"], /Your command files\n {2}\/mine/);
  assert.match(results[3]?.["result"], /Command files of the project\n[\s\S]*^ {2}\/git:fix \[number\]/m);
  assert.match(results[3]?.["result"], /Commands of plugins\n {2}\/packed/);
  assert.match(requests.at(-1) ?? "", /What the pack asks of you/);

  // told at start, in /help and by the doctor
  const told = /\.Lumina\/commands\/broken\.md:3: effort is "enormous"/;
  assert.match(run.stderr, told);
  assert.match(results[3]?.["result"], told);
  assert.doesNotMatch(results[3]?.["result"], /^ {2}\/broken/m);
  const doctor = await project.run(["doctor"], { settings: { OUTPUT_STYLE: "explanatroy" } });
  assert.equal(doctor.code, 1);
  assert.match(doctor.stdout, /^files +command +FAILED .*broken\.md:3: effort is "enormous"/m);
  assert.match(doctor.stdout, /"explanatroy", which no file has[^\n]*\n +fix: .* output_style explanatory$/m);
});
