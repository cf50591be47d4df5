import assert from "node:assert/strict";
import { AgentProject } from "../support/agent_project.ts";
import { luminaCommand } from "../support/run_lumina.ts";
import { onlyWhere } from "../support/skip.ts";

Deno.test({
  ...onlyWhere(
    "an output that cannot be written is told in one line, exit 1, and the run is whole in the journal",
    Deno.build.os === "linux",
    "only Linux has a device that is always full",
  ),
  async fn() {
    await using project = await AgentProject.open({ turns: [{ text: "one", repeat: true }] });
    const { program, flags } = luminaCommand();
    for (const format of ["text", "json", "stream-json"]) {
      const args = [
        "-p",
        "go",
        "--output-format",
        format,
        "--model",
        "m",
        "--api-key",
        "k",
        "--base-url",
        `${project.provider.url}/v1`,
      ];
      const { code, stderr } = await new Deno.Command("sh", {
        args: ["-c", 'exec "$@" > /dev/full', "sh", program, ...flags, ...args],
        cwd: project.dir.path,
        env: { LUMINA_APP_ROOT: project.app_root },
        stdin: "null",
      }).output();
      const told = new TextDecoder().decode(stderr);
      assert.match(told, /^lumina: Cannot write to standard output: No space left.*\n$/, format);
      assert.equal(code, 1);
    }
    const rows = JSON.parse((await project.run(["--list", "--json"])).stdout) as { status: string }[];
    assert.deepEqual(rows.map((row) => row.status), ["success", "success", "success"]);
  },
});
