import assert from "node:assert/strict";
import { readEnvFile } from "./env_file.ts";

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
