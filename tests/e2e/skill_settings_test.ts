import assert from "node:assert/strict";
import { AgentProject, resultOf, toolResults } from "../support/agent_project.ts";
import type { Line } from "../support/agent_project.ts";
import { tempDir } from "../support/temp_dir.ts";

const skill = (name: string, body: string) =>
  `---\nname: ${name}\ndescription: What ${name} does\n---\n${body}\n`;
const use = (name: string) => ({ tool_calls: [{ name: "Skill", input: { skill: name } }] });

Deno.test("skills_enabled, skills_dir, disabled_skills, skill_commands and skill_command_max_chars decide what skills do", async () => {
  await using home = await tempDir();
  await using project = await AgentProject.open({
    turns: [use("tool"), use("off"), { text: "one" }, { text: "two" }],
  });
  const { dir } = project;
  await dir.write("docs/how/tool/SKILL.md", skill("tool", "From docs."));
  await dir.write("docs/how/off/SKILL.md", skill("off", "Never."));
  await dir.write(".Lumina/PROJECT_SKILLS/usual/SKILL.md", skill("usual", "Not looked for."));
  await dir.write(".Lumina/skills/beside/SKILL.md", skill("beside", "Beside the commands."));
  await home.write(".claude/skills/long/SKILL.md", skill("long", "[!`printf 'x%.0s' $(seq 300)`]"));
  const settings = { SKILLS_DIR: "docs/how", DISABLED_SKILLS: "off", SKILL_COMMAND_MAX_CHARS: "100" };
  const env = { HOME: home.path };
  const run = await project.converse(["go", "/long"], ["--yolo"], { settings, env });
  const [first = []] = run.prompts;
  const sent = project.provider.requests.map(({ body }) => JSON.stringify((body as Line)["messages"].at(-1)));
  assert.match(sent[0] ?? "", /- tool: What tool does/);
  assert.doesNotMatch(sent[0] ?? "", /- off: |- usual: /);
  const [loaded, off] = toolResults(first);
  assert.match(loaded?.content ?? "", /From docs\.$/);
  assert.match(off?.content ?? "", /There is no skill "off"/);
  assert.match(sent.at(-1) ?? "", /\[x{100}\\n\[cut: 200 more characters\]\]/);

  const listed = await project.run(["skills", "list", "--json"], { settings, env });
  assert.equal(listed.code, 0, listed.stderr);
  const skills: Line[] = JSON.parse(listed.stdout).skills;
  assert.deepEqual(
    skills.filter(({ source }) => source !== "bundled").map(({ name, source, off }) => [name, source, off]),
    [["off", "project", "disabled_skills names it"], ["tool", "project", null], ["beside", "project", null], [
      "long",
      "user",
      null,
    ]],
  );

  const refused = await project.stream("/long", ["--yolo"], { settings: { SKILL_COMMANDS: "false" }, env });
  assert.equal(refused.code, 3);
  assert.match(JSON.stringify(resultOf(refused.lines)), /the setting skill_commands is false/);

  const without = await project.stream("/review", [], { settings: { SKILLS_ENABLED: "false" }, env });
  assert.equal(without.code, 2);
  assert.match(JSON.stringify(resultOf(without.lines)), /Unknown command \/review/);
  const tools: string[] = without.lines.find(({ subtype }) => subtype === "init")?.["tools"] ?? [];
  assert(tools.includes("Bash") && !tools.includes("Skill"), tools.join());
});
