import assert from "node:assert/strict";
import { join } from "node:path";
import { findAgents } from "./find_agents.ts";
import { mayUse } from "./narrow_tools.ts";
import { parseAgent } from "./parse_agent.ts";

async function parsed(text: string) {
  const read = await parseAgent(text, "/a.md", "user");
  return "definition" in read ? read.definition : `${read.problem.line}: ${read.problem.message}`;
}

Deno.test("parseAgent() reads every field in the spelling of other agents, behind a byte order mark", async () => {
  const text =
    "\uFEFF---\r\nname: reviewer\r\ndescription: Reviews code. Use after changes.\r\ntools: Read, Grep,Bash\r\n" +
    "disallowedTools: [Bash]\r\nmodel: opus\r\nmaxTurns: 7\r\npermissionMode: plan\r\nskills:\r\n  - style\r\nbackground: true\r\n" +
    "effort: high\r\nisolation: worktree\r\ncolor: blue\r\nmemory: user\r\n---\r\nYou review.\r\n";
  assert.deepEqual(await parsed(text), {
    name: "reviewer",
    description: "Reviews code. Use after changes.",
    source: "user",
    file: "/a.md",
    prompt: "You review.",
    tools: ["Read", "Grep", "Bash"],
    disallowed_tools: ["Bash"],
    read_only: false,
    max_turns: 7,
    permission_mode: "plan",
    skills: ["style"],
    background: true,
    effort: "high",
    isolation: "worktree",
    color: "blue",
  });
});

Deno.test("a file that is wrong is told with the line of what is wrong", async () => {
  const file = (...lines: string[]) => ["---", ...lines, "---", "Do it."].join("\n");
  const cases: [string, RegExp][] = [
    [file("description: d"), /^1: it has no name/],
    [file("name: a b", "description: d"), /^2: the name may hold/],
    [file("name: a"), /^1: it has no description/],
    ["---\nname: a\ndescription: d\n---\n \n", /^5: it has no instructions/],
    [file("name: a", "description: d", "maxTurns: 0"), /^4: maxTurns must be/],
    [file("name: a", "description: d", "permissionMode: wild"), /^4: there is no permission mode "wild"/],
    [file("name: a", "description: d", "isolation: vm"), /^4: isolation may be/],
    [file("name: a", "description: d", "tools: [Bash(git *)]"), /^4: Bash\(git \*\): tools takes names/],
    [file("name: a", "description: d", "background: maybe"), /^4: background must be/],
    [file("name: a", "description: d", "effort: huge"), /^4: effort must be one of/],
    ["---\nname: a\n", /^1: .*closing/],
  ];
  for (const [text, expected] of cases) assert.match(String(await parsed(text)), expected);
});

Deno.test("findAgents(): the first place wins, a broken file is left out alone, a link out of a repository is not followed", async () => {
  const root = await Deno.realPath(await Deno.makeTempDir());
  try {
    const write = async (path: string, name: string) => {
      const file = join(root, path);
      await Deno.mkdir(join(file, ".."), { recursive: true });
      await Deno.writeTextFile(file, `---\nname: ${name}\ndescription: ${path}\n---\nBe ${name}.\n`);
    };
    await write("repo/agents/a.md", "helper");
    await write("repo/agents/b.md", "Helper");
    await write("repo/agents/c.txt", "no");
    await Deno.writeTextFile(join(root, "repo/agents/broken.md"), "no front matter");
    await write("user/a.md", "HELPER");
    await write("user/b.md", "other");
    await Deno.symlink(join(root, "user/b.md"), join(root, "repo/agents/link.md"));
    const { agents, problems } = await findAgents([
      { source: "project", directory: join(root, "repo/agents"), within: join(root, "repo") },
      { source: "user", directory: join(root, "user") },
      { source: "user", directory: join(root, "absent") },
    ]);
    assert.deepEqual(agents.map(({ name, source }) => [name, source]), [["helper", "project"], [
      "other",
      "user",
    ]]);
    assert.deepEqual(problems.map(({ file }) => file.slice(root.length)), [
      "/repo/agents/b.md",
      "/repo/agents/broken.md",
      "/repo/agents/link.md",
    ]);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

Deno.test("mayUse() narrows by every list, takes aliases, and never offers the deepest level further agents", () => {
  const tool = (name: string, effect: "read" | "write" | "run" | "none", ...aliases: string[]) => ({
    name,
    aliases,
    effect,
    subject: { kind: "none" as const },
  });
  const all = { disallowed_tools: [], read_only: false };
  const deep = { may_delegate: false };
  assert.equal(mayUse(tool("Read", "read"), all, deep), true);
  assert.equal(mayUse(tool("Read", "read", "read_file"), { ...all, tools: ["read_file"] }, deep), true);
  assert.equal(mayUse(tool("Bash", "run"), { ...all, tools: ["Read"] }, deep), false);
  assert.equal(mayUse(tool("Bash", "run", "bash"), { ...all, disallowed_tools: ["bash"] }, deep), false);
  assert.equal(mayUse(tool("Bash", "run"), { ...all, read_only: true }, deep), false);
  assert.equal(mayUse(tool("Bash", "run"), all, { ...deep, allowed_tools: ["Bash(git *)"] }), true);
  assert.equal(mayUse(tool("Write", "write"), all, { ...deep, allowed_tools: ["Bash(git *)"] }), false);
  assert.equal(mayUse(tool("Agent", "none", "Task"), { ...all, tools: ["Agent"] }, deep), false);
  assert.equal(mayUse(tool("Agent", "none", "Task"), all, { may_delegate: true }), true);
});
