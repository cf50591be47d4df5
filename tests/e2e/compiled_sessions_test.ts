import assert from "node:assert/strict";
import { compiledProgram } from "../support/compiled_program.ts";
import { AgentProject } from "../support/agent_project.ts";
import { findDenort } from "../support/denort.ts";
import { testWith } from "../support/skip.ts";

const denort = await findDenort();
const ID = "aaaa1111-0c1d-4e2f-8a3b-112233445566";

testWith(
  "the compiled program resumes, rewinds, forks, searches, exports, replays and verifies a session",
  denort,
  async ({ env }) => {
    const artifact = await compiledProgram(env);
    const call = { name: "Bash", input: { command: "echo changed > note.txt; mkdir made" } };
    await using project = await AgentProject.open({
      turns: [
        { text: "I change it", tool_calls: [call] },
        { text: "changed it" },
        { text: "went on", match: "go on", repeat: true },
      ],
    });
    await Deno.writeTextFile(project.dir.join("note.txt"), "as it was\n");
    const said = async (args: string[], code = 0): Promise<string> => {
      const run = await project.run(args, { artifact });
      assert.equal(run.code, code, `${args.join(" ")}: ${run.stderr}${run.stdout}`);
      return run.stdout;
    };
    await said(["-p", "change the note", "--session-id", ID, "--permission-mode", "yolo"]);
    assert.equal(await Deno.readTextFile(project.dir.join("note.txt")), "changed\n");
    assert.equal(await said(["-p", "go on", "--resume", "aaaa"]), "went on\n");
    const shown = JSON.parse(await said(["session", "show", ID, "--json"]));
    const numbers = shown.messages.map((message: { number: number }) => message.number);
    assert.equal(numbers.length, 5);

    const fork = JSON.parse(await said(["session", "fork", ID, "--at", String(numbers[2]), "--json"]));
    assert.equal(await said(["-p", "go on", "--resume", fork.session_id]), "went on\n");
    await said(["session", "rewind", ID, "--to", String(numbers[0]), "--yes"]);
    assert.equal(await Deno.readTextFile(project.dir.join("note.txt")), "as it was\n");
    await assert.rejects(Deno.stat(project.dir.join("made")), Deno.errors.NotFound);

    assert.match(await said(["session", "search", "changed it"]), new RegExp(fork.session_id));
    assert.match(
      await said(["session", "export", fork.session_id, "--format", "html", "--share"]),
      /changed it/,
    );
    assert.match(await said(["session", "replay", fork.session_id, "--instant"]), /changed it/);
    await said(["session", "verify", "--all"]);
    assert.match(await said(["storage", "status"]), /rewind|snapshots/);
    await said(["session", "delete", fork.session_id, "--yes"]);
  },
);
