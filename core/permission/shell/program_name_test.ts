import assert from "node:assert/strict";
import { createJudge } from "../judge.ts";
import { buildPolicy, NO_SANDBOX } from "../policy.ts";
import type { ToolFacts } from "../tool_match.ts";
import { otherNames, systemProgram } from "./program_name.ts";

const BASH: ToolFacts = {
  name: "Bash",
  aliases: [],
  effect: "run",
  subject: { kind: "command", param: "command" },
};

Deno.test("a program of the system is called by name or from the system's folders", () => {
  assert.equal(systemProgram("cat"), "cat");
  assert.equal(systemProgram("/usr/bin/cat"), "cat");
  for (const other of ["./cat", "/ws/cat", "bin/cat", "/usr/local/bin/cat", "~/cat", "/usr/bin/../cat"]) {
    assert.equal(systemProgram(other), undefined, other);
  }
});

Deno.test("refusals know a program by its version's, its suffix's, its subcommand's and its link's other names", async () => {
  const names = (program: string, folds = false) =>
    otherNames(program, [], folds).map((words) => words.join(" "));
  assert.deepEqual(names("rm"), []);
  assert.deepEqual(names("/bin/rm"), []);
  assert.deepEqual(names("RM"), []);
  assert.deepEqual(names("/bin/RM", true), ["rm"]);
  assert.deepEqual(names("python3.12"), ["python3", "python"]);
  assert.deepEqual(names("python3"), ["python"]);
  assert.deepEqual(names("pip3.11"), ["pip3", "pip"]);
  assert.deepEqual(names("perl5.36.0"), ["perl"]);
  assert.deepEqual(names("clang++-17"), ["clang++"]);
  assert.deepEqual(names("sha256sum"), []);
  assert.deepEqual(names("7z"), []);
  assert.deepEqual(names("CURL.EXE"), ["CURL"]);
  assert.deepEqual(names("CURL.EXE", true), ["curl.exe", "curl"]);
  assert.deepEqual(names("git-lfs"), ["git lfs"]);
  assert.deepEqual(names("/nowhere/git-push"), ["git push"]);

  const dir = await Deno.realPath(await Deno.makeTempDir());
  try {
    await Deno.writeTextFile(`${dir}/busybox`, "");
    await Deno.writeTextFile(`${dir}/python3.12`, "");
    await Deno.symlink("busybox", `${dir}/rm`);
    await Deno.symlink("python3.12", `${dir}/tool`);
    await Deno.symlink("tool", `${dir}/tool2`);
    assert.deepEqual(otherNames("./rm", [dir], false), [["busybox"]]);
    assert.deepEqual(otherNames("./tool2", [dir], false), [["python3.12"], ["python3"], ["python"]]);
    assert.deepEqual(otherNames(`${dir}/tool`, null, false), [["python3.12"], ["python3"], ["python"]]);
    assert.deepEqual(otherNames("./tool", null, false), []);
    assert.deepEqual(otherNames("tool", [dir], false), []);
    assert.deepEqual(otherNames("./absent", [dir], false), []);

    const judge = createJudge();
    const verdict = async (
      command: string,
      rules: { deny?: string[]; allow?: string[] },
      mode: "yolo" | "ask",
    ) => {
      const { policy } = buildPolicy({
        mode,
        workspace: dir,
        home: "/nowhere",
        sandbox: NO_SANDBOX,
        layers: [{ source: { origin: "user", base_dir: dir }, ...rules }],
        path: `${dir}/bin:/usr/bin:/bin`,
      });
      return (await judge.judge({ tool: BASH, input: { command } }, policy)).behavior;
    };
    for (
      const line of [
        "./tool -c 1",
        "./tool2 -c 1",
        "cd . && ./tool -c 1",
        "nice ./tool -c 1",
        "echo 1 | ./tool",
        "sh -c './tool -c 1'",
        "python3.12 -c 1",
        "/opt/bin/python3.11 -c 1",
        "python.exe -c 1",
      ]
    ) assert.equal(await verdict(line, { deny: ["Bash(python *)"] }, "yolo"), "deny", line);
    assert.equal(await verdict("git-push x", { deny: ["Bash(git push *)"] }, "yolo"), "deny");
    assert.equal(await verdict("./tool x", { deny: ["Bash(git *)"] }, "yolo"), "allow");
    // the danger of a program is seen behind its other names too
    await Deno.symlink("/bin/rm", `${dir}/innocent`);
    assert.equal(await verdict("./innocent -rf /", {}, "yolo"), "deny");
    // and none of them is good for allowing
    for (const line of ["python3.12 x", "./tool x", "git-push x", "./git push x", "git.exe push x"]) {
      assert.equal(
        await verdict(line, { allow: ["Bash(python *)", "Bash(git push *)"] }, "ask"),
        "ask",
        line,
      );
    }
    for (const line of ["./cat a", "cat.exe a", `${dir}/cat a`]) {
      assert.equal(await verdict(line, {}, "ask"), "ask", line);
    }
    // a folder of the PATH inside the workspace may hold any program
    await Deno.mkdir(`${dir}/bin`);
    assert.equal(await verdict("cat busybox", {}, "ask"), "allow");
    await Deno.writeTextFile(`${dir}/bin/cat`, "");
    assert.equal(await verdict("cat busybox", {}, "ask"), "ask");
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
