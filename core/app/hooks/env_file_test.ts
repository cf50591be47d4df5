import assert from "node:assert/strict";
import { tempDir } from "../../../tests/support/temp_dir.ts";
import { loadEnvFile, readEnvFile } from "./env_file.ts";

Deno.test("readEnvFile() takes plain assignments, runs nothing, and refuses what changes which programs run", () => {
  const { variables, problems } = readEnvFile(
    "# comment\nexport A=1\nB='two words'\nC=\"three\"\nD=$(id)\nexport PATH=/evil\nLD_PRELOAD=x\nrm -rf x\nE=a;b\n",
  );
  assert.deepEqual(variables, { A: "1", B: "two words", C: "three" });
  assert.deepEqual(problems, [
    "the value of D is more than a plain text",
    "PATH changes which programs run and cannot be set",
    "LD_PRELOAD changes which programs run and cannot be set",
    "line 8 is no NAME=value",
    "the value of E is more than a plain text",
  ]);
});

Deno.test("readEnvFile() refuses what makes commands that read run something, and keeps what programs only look at", () => {
  const refused = ["PAGER", "GIT_PAGER", "MANPAGER", "EDITOR", "LESSOPEN", "RIPGREP_CONFIG_PATH", "CDPATH"];
  refused.push("BASH_ENV", "XDG_CONFIG_HOME", "TAR_OPTIONS", "npm_config_script_shell", "SSH_ASKPASS");
  const kept = ["NODE_ENV", "VIRTUAL_ENV", "JAVA_HOME", "GOPATH", "PYTHONUNBUFFERED", "DATABASE_URL", "CI"];
  const { variables, problems } = readEnvFile([...refused, ...kept].map((name) => `${name}=x`).join("\n"));
  assert.deepEqual(Object.keys(variables), kept);
  assert.equal(problems.length, refused.length);
});

Deno.test("loadEnvFile() takes no pipe and nothing large, and an absent file for none", async () => {
  await using dir = await tempDir();
  await dir.write("small", "A=1\n");
  await dir.write("large", "A=1\n".repeat(100_000));
  await new Deno.Command("mkfifo", { args: [dir.join("pipe")] }).output();
  const [small, large, pipe, absent] = await Promise.all(
    ["small", "large", "pipe", "absent"].map((name) => loadEnvFile(dir.join(name))),
  );
  assert.deepEqual(small, { variables: { A: "1" }, problems: [] });
  for (const refused of [large, pipe]) {
    assert.deepEqual([refused?.variables, refused?.problems.length], [{}, 1]);
  }
  assert.deepEqual(absent, { variables: {}, problems: [] });
});
