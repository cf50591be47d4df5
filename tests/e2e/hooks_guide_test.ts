import assert from "node:assert/strict";
import { appRootPaths } from "../../core/app_root/mod.ts";
import { AgentProject, toolResults } from "../support/agent_project.ts";
import { tempDir } from "../support/temp_dir.ts";

const GUIDE = new URL("../../resources/docs/hooks.md", import.meta.url);

Deno.test("the examples of the guide do what it says", async () => {
  const guide = await Deno.readTextFile(GUIDE);
  const blocks = [...guide.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(([, kind, text]) => ({ kind, text }));
  const of = (kind: string) => blocks.filter((block) => block.kind === kind).map(({ text = "" }) => text);
  const [guard, facts] = of("json").map((text) => JSON.parse(text).hooks);
  const [script] = of("python");
  const [stop] = of("bash");
  await using home = await tempDir();
  await home.write("guard.py", script ?? "");
  await using project = await AgentProject.open({
    turns: [
      { tool_calls: [{ name: "Bash", input: { command: "npm publish --dry-run" } }] },
      { text: "one" },
      { text: "two" },
    ],
  });
  await project.dir.write("until_tested.sh", stop ?? "");
  await project.dir.write(
    "npm",
    '#!/bin/bash\n[ -f tested ] && exit 0\ntouch tested\necho "1 failed"\nexit 1\n',
  );
  await Deno.chmod(project.dir.join("npm"), 0o755);
  const file = appRootPaths(project.app_root).settingsFile;
  await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
  const until = [{ hooks: [{ type: "command", command: "PATH=.:$PATH bash until_tested.sh" }] }];
  const hooks = { ...guard, ...facts, Stop: until };
  facts.UserPromptSubmit[0].hooks[0].command += "; echo '## main'";
  await Deno.writeTextFile(file, JSON.stringify({ hooks }));

  const run = await project.stream("publish it", ["--yolo"], { env: { HOME: home.path } });
  assert.equal(run.code, 0, run.stderr);
  const [published] = toolResults(run.lines);
  assert.equal(published?.content, "A hook refused this Bash call: releases are made by the pipeline");
  assert.match(JSON.stringify(project.provider.requests[0]?.body), /## main/);
  assert.match(JSON.stringify(project.provider.requests[2]?.body), /1 failed/);
  assert.equal(run.lines.at(-1)?.["result"], "two");

  const shown = await project.run(["help", "hooks"]);
  assert.equal(shown.stdout, guide);
  const listed = await project.run(["hooks", "list"]);
  assert.match(
    listed.stdout,
    /^PreToolUse of Bash: command python3 ~\/guard\.py\n {2}user, .*settings\.json:1, at most 10 s$/m,
  );
  assert.match((await project.run(["hooks", "--help"])).stdout, /exit 2 {2}blocks/);
});
