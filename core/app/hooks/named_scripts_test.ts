import assert from "node:assert/strict";
import { tempDir } from "../../../tests/support/temp_dir.ts";
import { namedScripts } from "./named_scripts.ts";

Deno.test("files of the project that a command names belong to it, with the scripts beside them in hooks", async () => {
  await using dir = await tempDir();
  for (
    const file of [
      ".claude/hooks/check.sh",
      ".claude/hooks/lib.py",
      ".claude/hooks/log.txt",
      "tools/x.js",
      "a b.sh",
    ]
  ) {
    await dir.write(file, file);
  }
  await dir.write("hooks.txt", "not named");
  const names = (...words: string[]) => namedScripts(dir.path, words).map(({ path }) => path);
  const hooks = [".claude/hooks/check.sh", ".claude/hooks/lib.py"];
  assert.deepEqual(names('"$CLAUDE_PROJECT_DIR"/.claude/hooks/check.sh --all'), hooks);
  assert.deepEqual(names('"${CLAUDE_PROJECT_DIR}/.claude/hooks/check.sh"'), hooks);
  assert.deepEqual(names("cd . && python3 ./.claude/hooks/check.sh|tee x"), hooks);
  assert.deepEqual(names("LOAD=tools/x.js node /bin/true"), ["tools/x.js"]);
  assert.deepEqual(names('"${CLAUDE_PROJECT_DIR:-.}"/.claude/hooks/check.sh'), hooks);
  assert.deepEqual(names('cd "$CLAUDE_PROJECT_DIR/.claude/hooks" && ./check.sh'), hooks);
  assert.deepEqual(names("cd .claude; python3 hooks/lib.py"), hooks);
  assert.deepEqual(names('"$(git rev-parse --show-toplevel)/.claude/hooks/check.sh"'), hooks);
  assert.deepEqual(names("bash 'a b.sh'"), ["a b.sh"]);
  assert.deepEqual(names("node", `${dir.path}/tools/x.js`), ["tools/x.js"]);
  assert.deepEqual(names("echo tools ../etc/passwd /etc/passwd nothing.sh"), []);
  await dir.write("log.txt", "written");
  for (
    const line of [
      "jq -r .tool_input.command >> ./log.txt",
      'cat >>"$CLAUDE_PROJECT_DIR/log.txt" 2>&1',
      "cat 2> log.txt | tee -a log.txt",
      "cat &>log.txt",
    ]
  ) assert.deepEqual(names(line), [], line);
  assert.deepEqual(names("cat > log.txt; sh log.txt"), ["log.txt"]);
  assert.deepEqual(names('sh ">"log.txt'), ["log.txt"]);
  assert.deepEqual(names("tools/x.js > log.txt"), ["tools/x.js"]);
  await using elsewhere = await tempDir();
  await elsewhere.write("guard.sh", "one");
  await Deno.symlink(`${elsewhere.path}/guard.sh`, `${dir.path}/guard.sh`);
  const linked = namedScripts(dir.path, ["./guard.sh"]);
  assert.deepEqual(linked.map(({ path }) => path), [await Deno.realPath(`${elsewhere.path}/guard.sh`)]);
  await elsewhere.write("guard.sh", "two");
  assert.notDeepEqual(namedScripts(dir.path, ["./guard.sh"]), linked);
  assert.deepEqual(names(`${elsewhere.path}/guard.sh`), []);
  const before = namedScripts(dir.path, ["tools/x.js"]);
  await dir.write("tools/x.js", "other");
  assert.notDeepEqual(namedScripts(dir.path, ["tools/x.js"]), before);
  await dir.write("big.sh", "x".repeat(5 * 1024 * 1024));
  assert.throws(() => namedScripts(dir.path, ["big.sh"]), /nobody can look at/);
});
