import assert from "node:assert/strict";
import { AgentProject } from "../support/agent_project.ts";
import { tempDir } from "../support/temp_dir.ts";

const ID = "aaaa1111-0c1d-4e2f-8a3b-112233445566";

Deno.test("a session whose directory was renamed goes on in the new one after session move", async () => {
  await using project = await AgentProject.open({
    turns: [{ text: "first" }, { text: "again", match: "more", repeat: true }],
  });
  await using place = await tempDir();
  const before = place.join("before");
  const after = await Deno.realPath(place.path) + "/after";
  await Deno.mkdir(before);
  assert.equal((await project.run(["-p", "hi", "--session-id", ID], { cwd: before })).code, 0);
  await Deno.rename(before, after);

  const gone = await project.run(["-p", "more", "--resume", ID], { cwd: after });
  assert.equal(gone.code, 5);
  assert.match(gone.stderr, /^lumina: [^\n]*directory is gone[^\n]*lumina session move [^\n]*\n$/);
  const wrong = await project.run(["session", "move", ID, place.join("nowhere")]);
  assert.equal(wrong.code, 2, wrong.stderr);
  const moved = await project.run(["session", "move", ID, after]);
  assert.deepEqual([moved.code, moved.stdout], [0, `${ID}: ${after}\n`]);
  const next = await project.run(["-p", "more", "--resume", ID], { cwd: after });
  assert.deepEqual([next.code, next.stdout], [0, "again\n"], next.stderr);
  assert.match((await project.run(["session", "list", "--cwd", after])).stdout, new RegExp(ID));
});
