import assert from "node:assert/strict";
import { AgentProject } from "../support/agent_project.ts";

Deno.test("session search finds text in every script over all sessions, with the message's number, and takes no query as syntax", async (t) => {
  await using project = await AgentProject.open({
    turns: [
      { match: "中文", text: "全文検索は日本語でも動きます。한국어도 됩니다." },
      { match: "kettle", tool_calls: [{ name: "Read", input: { file_path: "stove.txt" } }] },
      { match: "samovar", text: "It is on the stove." },
    ],
  });
  await project.dir.write("stove.txt", "a steaming samovar\n");
  await project.dir.write("elsewhere/keep", "");
  const chinese = await project.stream("请用中文回答：搜索怎么用？", [], {
    cwd: project.dir.join("elsewhere"),
  });
  const english = await project.stream('Where is the "kettle"?');
  assert.equal(english.code, 0, english.stderr);
  const search = async (...args: string[]) => {
    const result = await project.run(["session", "search", ...args]);
    assert.equal(result.code, 0, result.stderr);
    assert.equal(result.stderr, "");
    return result.stdout;
  };

  await t.step("as text", async () => {
    const lines = (await search("中文", "搜")).split("\n");
    assert.match(
      lines[0] ?? "",
      new RegExp(`^${chinese.session_id}  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\dZ  (title|#\\d+ user)  请用中文`),
    );
    assert.equal(lines[1], "    请用«中文»回答:«搜»索怎么用?");
    assert.equal(await search("nowhere to be found"), "Nothing found\n");
  });

  await t.step("as JSON, by parts of words and in one directory", async () => {
    const hits = async (...args: string[]) => JSON.parse(await search("--json", ...args)).hits;
    for (const query of ["検索", "語", "한국"]) {
      const [hit] = await hits(query);
      assert.deepEqual([hit.session_id, hit.role], [chinese.session_id, "assistant"], query);
      assert.equal(hit.snippet.slice(hit.marks[0].from, hit.marks[0].to), query);
      const event = (await project.journal(chinese.session_id)).find(({ seq }) => seq === hit.number);
      assert.equal(event?.type, "model.answered");
    }
    assert.equal((await hits("samovar")).length, 0);
    assert.equal((await hits("samovar", "--tools"))[0].role, "tool");
    assert.equal((await hits("kettle", "--cwd", project.dir.join("elsewhere"))).length, 0);
    assert.equal((await hits("kettle", "--cwd", project.dir.path)).length, 2);
    assert.equal((await hits("kettle", "--limit", "1")).length, 1);
  });

  await t.step("operators and broken syntax", async () => {
    for (
      const query of ['"kettle', "kettle*", "(kettle", "kettle)", "-kettle", "^kettle", "kettle:", "{kettle}"]
    ) {
      const found = await search("--", query);
      assert.ok(found.includes(english.session_id), `${query}: ${found}`);
    }
    assert.equal(await search("kettle OR nonsense"), "Nothing found\n", "OR is a word");
  });

  await t.step("nothing to look for is a usage error", async () => {
    for (const args of [["🙂"], ['""'], ["kettle", "--limit", "0"], ["kettle", "--all", "--cwd", "."], []]) {
      const result = await project.run(["session", "search", ...args]);
      assert.equal(result.code, 2, `${args}: ${result.stderr}`);
      assert.equal(result.stderr.trimEnd().split("\n").length, 1, result.stderr);
    }
  });
});

Deno.test("searches at the same time make one good index; a session that is open is searched as it was, and named", async () => {
  await using project = await AgentProject.open({
    turns: [
      { match: "first", text: "known words" },
      { match: "second", text: "more", fault: { stall_after_frames: 1 } },
    ],
  });
  const { session_id } = await project.stream("first prompt");
  for (let index = 0; index < 3; index++) {
    const results = await Promise.all(
      Array.from({ length: 3 }, () => project.run(["session", "search", "known", "--json"])),
    );
    for (const { code, stdout, stderr } of results) {
      assert.equal(code, 0, stderr);
      assert.deepEqual(JSON.parse(stdout).hits.map((hit: { role: string }) => hit.role), ["assistant"]);
    }
    await Deno.remove(`${project.app_root}/cache/session-search.sqlite`);
  }
  await project.run(["session", "search", "known"]);
  await using running = await project.start([
    "-p",
    "second prompt",
    "--resume",
    session_id,
    "--output-format",
    "stream-json",
  ]);
  for await (const line of running.lines()) if (JSON.parse(line).subtype === "init") break;
  const found = await project.run(["session", "search", "known"]);
  assert.equal(found.code, 0, found.stderr);
  assert.match(found.stdout, /«known» words/);
  assert.equal(
    found.stderr,
    `lumina: The session ${session_id} is open: what was said there since the last search is not found yet\n`,
  );
  running.kill("SIGINT");
  await running.finished;
  const later = await project.run(["session", "search", "second prompt"]);
  assert.ok(later.stdout.includes(session_id));
  assert.equal(later.stderr, "");
});
