import assert from "node:assert/strict";
import { join } from "node:path";
import { appRootPaths } from "../../core/app_root/mod.ts";
import { AgentProject, payload, resultOf, toolResults } from "../support/agent_project.ts";
import type { Line } from "../support/agent_project.ts";
import { tempDir } from "../support/temp_dir.ts";

const skill = (name: string, fields: string[], body: string) =>
  ["---", `name: ${name}`, ...fields, "---", body, ""].join("\n");

const use = (name: string, args?: string) => ({
  tool_calls: [{ name: "Skill", input: { skill: name, ...(args === undefined ? {} : { args }) } }],
});

/** What the last message of each request says. */
const said = (project: AgentProject): string[] =>
  project.provider.requests.map(({ body }) => JSON.stringify((body as Line)["messages"].at(-1)));

Deno.test("skills of all places: listed once, loaded, narrowed, hot, refused where they must be, kept after compaction", async () => {
  await using home = await tempDir();
  const fresh = skill("fresh", ["description: Just written"], "Fresh text.");
  await using project = await AgentProject.open({
    turns: [
      use("greet", `Ada "van Lovelace"`),
      { tool_calls: [{ name: "Write", input: { file_path: "no.txt", content: "" } }] },
      { text: "one" },
      use("mine"),
      {
        capture: { base: "Base directory for this skill: (\\S+)" },
        tool_calls: [{ name: "Read", input: { file_path: "{{base}}/notes.md" } }],
      },
      { tool_calls: [{ name: "Bash", input: { command: "touch touched.txt" } }] },
      { tool_calls: [{ name: "Write", input: { file_path: "skills/fresh/SKILL.md", content: fresh } }] },
      { tool_calls: [{ name: "Read", input: { file_path: "a.ts" } }] },
      use("typed"),
      use("grete"),
      use("shelly"),
      { text: "two" },
      { text: "three" },
      // a later process, which compacts
      { text: "What was done: greeted." },
      { text: "after" },
    ],
  });
  const { dir } = project;
  const mine = join(appRootPaths(project.app_root).userSkillsDir, "mine");
  await dir.write(
    "skills/greet/SKILL.md",
    skill("greet", [
      "description: Greets: a person",
      "arguments: first last",
      "allowed-tools: Read Bash(git log:*)",
    ], "Say hello to $first of the family ${last} ($ARGUMENTS), see ${CLAUDE_SKILL_DIR}/words.md."),
  );
  await dir.write("skills/broken/SKILL.md", "---\nname: broken\neffort: hihg\n---\n");
  await dir.write(
    "skills/typed/SKILL.md",
    skill("typed", ["disable-model-invocation: true"], "Typed by a person."),
  );
  await dir.write("skills/silent/SKILL.md", skill("silent", ["user-invocable: false"], "For the model."));
  await dir.write("skills/shelly/SKILL.md", skill("shelly", [], "Now: !`echo ran > ran.txt` and !`date`"));
  await dir.write(
    "skills/typescript/SKILL.md",
    skill("typescript", ["paths: '*.ts'"], "For TypeScript alone."),
  );
  await dir.write(".Lumina/PROJECT_SKILLS/greet/SKILL.md", skill("greet", [], "Hidden by the first place."));
  await dir.write(".Lumina/PROJECT_SKILLS/second/SKILL.md", skill("second", [], "From the second folder."));
  await dir.write(".claude/skills/third/SKILL.md", skill("third", [], "From the third folder."));
  await dir.write("a.ts", "export {};\n");
  await home.write("private/SKILL.md", "a secret");
  await Deno.symlink(home.join("private"), dir.join("skills/private"));
  await home.write(".claude/skills/fourth/SKILL.md", skill("fourth", [], "From home."));
  await Deno.mkdir(mine, { recursive: true });
  await Deno.writeTextFile(
    join(mine, "SKILL.md"),
    skill("mine", ["allowed-tools: Bash(touch *)"], "It is !`echo from the shell`. Read notes.md."),
  );
  await Deno.writeTextFile(join(mine, "notes.md"), "the notes\n");

  const run = await project.converse(
    ["go", "and now", "/fresh with this", "/silent", "/shelly"],
    ["--permission-mode", "accept-edits"],
    { env: { HOME: home.path } },
  );
  const [first = [], second = [], third = [], fourth = [], fifth = []] = run.prompts;
  const texts = said(project);

  const listing = texts[0]?.match(/<skills>.*<\/skills>/)?.[0] ?? "";
  for (const name of ["greet", "second", "third", "mine", "fourth", "review", "shelly", "silent"]) {
    assert.match(listing, new RegExp(`- ${name}: `));
  }
  assert.match(listing, /- greet: Greets: a person/);
  assert.doesNotMatch(listing, /typed|broken|private|typescript|fresh/);
  assert.match(run.stderr, /skills\/broken\/SKILL\.md:3: effort is "hihg".* \(this skill is not used\)/);
  assert.match(run.stderr, /skills\/private\/SKILL\.md: a link leads out of/);

  const [greeted, written] = toolResults(first);
  assert.equal(
    greeted?.content,
    `Skill: greet\nBase directory for this skill: ${dir.join("skills/greet")}\n\n` +
      `Say hello to Ada of the family van Lovelace (Ada "van Lovelace"), see ${
        dir.join("skills/greet")
      }/words.md.`,
  );
  assert.match(texts[1] ?? "", /Say hello to Ada/);
  assert.match(written?.content ?? "", /The skill "greet" leaves this run only Read, Bash\(git log:\*\)/);

  const [used, notes, touched, ...others] = toolResults(second);
  assert.match(used?.content ?? "", /It is from the shell\. Read notes\.md\.$/);
  assert.match(notes?.content ?? "", /the notes/);
  assert.equal(touched?.is_error, false);
  assert.deepEqual(others.slice(0, 2).map(({ is_error }) => is_error), [false, false]);
  assert.match(others[2]?.content ?? "", /is for people alone: they call it as \/typed/);
  assert.match(others[3]?.content ?? "", /There is no skill "grete"; did you mean greet\?/);
  assert.match(others[4]?.content ?? "", /`echo ran > ran\.txt` may not run: .*nobody can be asked/);
  await assert.rejects(Deno.stat(dir.join("ran.txt")), Deno.errors.NotFound);
  const news = texts.filter((text) => text.includes("<skills>"));
  assert.equal(news.length, 3, "the first, when a TypeScript file was read, and with the new skill");
  assert.match(news[1] ?? "", /- typescript: For TypeScript alone/);

  const last = texts.at(-1) ?? "";
  assert.match(last, /Fresh text\.[^]*ARGUMENTS: with this/);
  assert.match(last, /- fresh: Just written/);
  assert.equal(resultOf(third)["result"], "three");
  assert.match(JSON.stringify(resultOf(fourth)), /Unknown command \/silent/);
  assert.match(JSON.stringify(resultOf(fifth)), /may not run/);

  const later = await project.converse(["/compact", "go on"], ["--resume", run.session_id], {
    env: { HOME: home.path },
  });
  assert.equal(later.code, 0, later.stderr);
  const sent = JSON.stringify((project.provider.requests.at(-1)?.body as Line)["messages"]);
  for (const text of [/Say hello to Ada/, /It is from the shell/, /Fresh text/, /- fresh: Just written/]) {
    assert.match(sent, text);
  }
  assert.equal(sent.split("<skills>").length, 2, "the listing is there once");
  const events = await project.journal(run.session_id);
  assert.deepEqual(
    events.filter(({ type }) => type === "run.skill_used").map((event) => [
      payload(event)["name"],
      payload(event)["source"],
      payload(event)["by"],
    ]),
    [["greet", "project", "model"], ["mine", "user", "model"], ["fresh", "project", "person"]],
  );
  const exported = await project.run(["session", "export", run.session_id]);
  assert.equal(exported.code, 0, exported.stderr);
  assert.match(exported.stdout, /\/fresh with this/);
  assert.doesNotMatch(exported.stdout, /Fresh text|Say hello|<skills>/);
});
