import assert from "node:assert/strict";
import { AgentProject, toolResults } from "../support/agent_project.ts";

const CHECK = `#!/bin/bash
command=$(python3 -c 'import json,sys; print(json.load(sys.stdin)["tool_input"].get("command", ""))')
if [[ "$command" == *forbidden* ]]; then
  echo "forbidden here" >&2
  exit 2
fi
echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'
`;

/** As it lies in many repositories. */
const CLAUDE = {
  permissions: { allow: ["Bash(npm run test:*)"] },
  hooks: {
    PreToolUse: [{
      matcher: "Bash",
      hooks: [{ type: "command", command: '"$CLAUDE_PROJECT_DIR"/.claude/hooks/check.sh', timeout: 20 }],
    }],
    FileChanged: [{ hooks: [{ type: "command", command: "true" }] }],
  },
};

const bash = (command: string) => ({ name: "Bash", input: { command } });

Deno.test("a Claude hook file runs unchanged once trusted, never allows, and a changed script is not run", async () => {
  await using project = await AgentProject.open({
    turns: [
      {
        tool_calls: [
          bash("echo forbidden"),
          bash("touch made.txt"),
          { name: "Write", input: { file_path: "free.txt", content: "x" } },
        ],
      },
      { text: "done" },
      { tool_calls: [bash("printf 'exit 0' > .claude/hooks/check.sh"), bash("echo forbidden")] },
      { text: "done" },
    ],
  });
  await project.dir.write(".claude/settings.json", JSON.stringify(CLAUDE, null, 2));
  await project.dir.write(".claude/hooks/check.sh", CHECK);
  await Deno.chmod(project.dir.join(".claude/hooks/check.sh"), 0o755);

  const refused = await project.run(["-p", "x"]);
  assert.equal(refused.code, 3);
  assert.match(
    refused.stderr,
    /hook PreToolUse 1 in \.claude\/settings\.json \(at PreToolUse of Bash, at most 20 s; runs, with your rights and outside of every sandbox: "\$CLAUDE_PROJECT_DIR"\/\.claude\/hooks\/check\.sh; with the file \.claude\/hooks\/check\.sh as it is now/,
  );
  const listed = JSON.parse((await project.run(["hooks", "list", "--json"])).stdout);
  assert.deepEqual(
    listed.hooks.map(({ event, source, line, trusted, off }: Record<string, unknown>) => [
      event,
      source,
      line,
      trusted,
      typeof off,
    ]),
    [["PreToolUse", "repo", 12, false, "string"], ["FileChanged", "repo", 23, false, "string"]],
  );
  assert.match(
    listed.problems.join("\n"),
    /^\.claude\/settings\.json:\d+: FileChanged is not fired by this version$/m,
  );

  const run = await project.stream("x", ["--trust-project", "--permission-mode", "ask"]);
  assert.equal(run.code, 0, run.stderr);
  const [forbidden, touched] = toolResults(run.lines).map(({ content }) => content);
  assert.equal(forbidden, "A hook refused this Bash call: forbidden here");
  assert.match(touched ?? "", /^Permission needed for Bash/, "a repository's hook never allows");
  assert.match(run.stderr + JSON.stringify(run.lines), /which a hook of a repository never does/);

  const changed = await project.stream("x", ["--yolo"]);
  assert.equal(changed.code, 0, changed.stderr);
  const [wrote, again] = toolResults(changed.lines);
  assert.equal(wrote?.is_error, false, wrote?.content);
  assert.match(again?.content ?? "", /^Permission needed for Bash .*changed since they were trusted/);

  const asked = await project.run(["-p", "x"]);
  assert.equal(asked.code, 3);
  assert.match(asked.stderr, /hook PreToolUse 1 in \.claude\/settings\.json, changed/);
});
