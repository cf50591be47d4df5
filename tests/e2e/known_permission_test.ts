import assert from "node:assert/strict";
import { HEADLESS, logged, place, refused, snapshot, standIn } from "../support/refusals.ts";
import { runCalls, succeeded } from "../support/run_calls.ts";
import { tempDir } from "../support/temp_dir.ts";
import type { TempDir } from "../support/temp_dir.ts";

Deno.test("a denied command is refused wherever it stands in the line, and every part of a line must be allowed", async () => {
  await using dir = await tempDir();
  await dir.write("victim", "keep");
  const lines = [
    "rm victim",
    "git status && rm -rf victim",
    "false || rm victim",
    "true; rm victim",
    "true | rm victim",
    "true |& rm victim",
    "true & rm victim",
    "rm victim &",
    "true\nrm victim",
    "(rm victim)",
    "{ rm victim; }",
    "! rm victim",
    "if true; then rm victim; fi",
    "if rm victim; then true; fi",
    "if false; then true; elif rm victim; then true; fi",
    "if false; then true; else rm victim; fi",
    "for i in 1; do rm victim; done",
    "for ((i=0;i<1;i++)); do rm victim; done",
    "while true; do rm victim; done",
    "until rm victim; do true; done",
    "case a in a) rm victim;; esac",
    "case a in b) true;; *) rm victim;; esac",
    "f() { rm victim; }; f",
    "function f { rm victim; }; f",
    "f() (rm victim); f",
    "[[ -d x ]] || rm victim",
    ">f rm victim",
    "cat <<EOF && rm victim\nhi\nEOF",
    "cat <<'EOF' | rm victim\nhi\nEOF",
    "r\\m victim",
    "'r'm victim",
    "$'\\x72m' victim",
    "a=rm; $a victim",
    "/bin/rm victim",
  ];
  const yolo = await runCalls(dir.path, [...lines, "echo 'rm victim'"], {
    args: ["--yolo", "--disallowed-tools", "Bash(rm *)"],
  });
  refused(lines, yolo.results.slice(0, -1), /^Permission denied for Bash: Bash\(rm \*\) .*refuses `/);
  assert.equal(succeeded(yolo.results.at(-1)), "rm victim", "text that names it is no command");

  const parts = [
    "git status; touch made",
    "echo a && touch made",
    "echo a | tee made",
    "echo a > made",
    "f() { touch made; }; f",
  ];
  const ask = await runCalls(dir.path, [...parts, "echo a && echo b"], {
    args: ["--allowed-tools", "Bash(git *),Bash(echo *)"],
  });
  refused(parts, ask.results.slice(0, -1), HEADLESS);
  assert.equal(succeeded(ask.results.at(-1)), "a\nb");
  assert.deepEqual(await snapshot(dir.path), { victim: "keep" });
});

Deno.test("a denied command is refused behind every indirection", async () => {
  await using dir = await tempDir();
  await dir.write("victim", "keep");
  const lines = [
    "echo victim | xargs rm",
    "ls | xargs -0 -n1 rm",
    "echo victim | xargs -I{} rm {}",
    "echo victim | xargs sh -c 'rm \"$@\"' _",
    "find . -name victim -exec rm {} \\;",
    "find . -name victim -exec rm {} +",
    "find . -name victim -execdir rm {} \\;",
    "find . -name victim -delete",
    "find . -name victim -exec sh -c 'rm $0' {} \\;",
    "env rm victim",
    "env A=1 rm victim",
    "env -i -u A rm victim",
    "env -S 'rm victim'",
    "sudo rm victim",
    "sudo -u root -E -- rm victim",
    "command rm victim",
    "builtin command rm victim",
    "exec -a y rm victim",
    "nohup rm victim",
    "nice -n 5 rm victim",
    "timeout -k 1 --signal=KILL 5 rm victim",
    "time -p rm victim",
    "stdbuf -oL rm victim",
    "setsid rm victim",
    "ionice -c3 rm victim",
    "flock f rm victim",
    "flock f -c 'rm victim'",
    "busybox rm victim",
    "script -c 'rm victim'",
    "unshare -r rm victim",
    "sh -c 'rm victim'",
    "bash -lc 'rm victim'",
    "bash -e -o pipefail -c 'rm victim'",
    "sh -c \"bash -c 'rm victim'\"",
    "eval rm victim",
    "eval 'true; rm victim'",
    "trap 'rm victim' EXIT",
    "echo 'rm victim' | sh",
    "bash <<< 'rm victim'",
    "bash <<'EOF'\nrm victim\nEOF",
    "coproc rm victim",
    "git -c alias.z='!rm victim' z",
    "git submodule foreach 'rm victim'",
    "awk 'BEGIN{system(\"rm victim\")}'",
    "awk 'BEGIN{print | \"rm victim\"}'",
    "tar cf a --checkpoint-action=exec='rm victim' --checkpoint=1 .",
    "perl -e 'system(\"rm victim\")'",
    "python3 -c 'import os; os.system(\"rm victim\")'",
    "timeout 5 env A=1 sudo nice rm victim",
  ];
  const { results } = await runCalls(dir.path, lines, {
    args: ["--yolo", "--disallowed-tools", "Bash(rm *)"],
  });
  refused(lines, results, /^Permission denied for Bash: Bash\(rm \*\) .*refuses `/);
  assert.deepEqual(await snapshot(dir.path), { victim: "keep" });
});

Deno.test("deleting a critical place is refused in yolo whatever the order and spelling of its options", async () => {
  await using dir = await tempDir();
  await using home = await tempDir();
  await using tools = await tempDir();
  // were one of these let through, only a line in a file would come of it
  for (const name of ["rm", "find", "chmod", "chown", "mv", "dd", "shred", "mkfs.ext4"]) {
    await standIn(tools, name);
  }
  await home.write("keep", "home");
  await dir.write("dist/old.js", "");
  await dir.write(".git/HEAD", "ref: refs/heads/main\n");
  const flags = [
    "-rf",
    "-fr",
    "-r -f",
    "-R",
    "-rfv",
    "-vfr",
    "--recursive --force",
    "--force --recursive",
    "--rec -f",
  ];
  const places = ["/", "/*", "~", "$HOME", "~/*", ".", "..", "*", ".git", "/etc", "src/../.git", dir.path];
  const lines = [
    ...flags.flatMap((flag) => [`rm ${flag} /`, `rm / ${flag}`, `rm ${flag} -- ~`]),
    ...places.map((path) => `rm -fr ${path}`),
    "rm -rf --no-preserve-root /",
    "x=/; rm -rf $x",
    "sh -c 'rm -r -f ~'",
    "env rm -rf ~",
    "find / -delete",
    "find ~ -exec rm -rf {} +",
    "chmod -R 777 /",
    "chown --recursive me ~",
    "mv ~ /tmp/x",
    "dd if=/dev/zero of=/dev/sda",
    "mkfs.ext4 /dev/sda1",
    "shred /dev/nvme0n1",
  ];
  const before = await snapshot(dir.path);
  const { results } = await runCalls(dir.path, [...lines, "rm -rf dist"], {
    args: ["--yolo", "--allowed-tools", "Bash"],
    env: place(tools, home),
  });
  refused(
    lines,
    results.slice(0, -1),
    /^Permission denied for Bash: [^]*run it by hand if it is really meant$/,
  );
  succeeded(results.at(-1));
  assert.deepEqual(await logged(tools, "rm"), ["-rf dist"], "an ordinary delete runs, and nothing else did");
  for (const name of ["find", "chmod", "chown", "mv", "dd", "shred", "mkfs.ext4"]) {
    assert.deepEqual(await logged(tools, name), []);
  }
  assert.deepEqual(await snapshot(dir.path), before);
});

Deno.test("assignments before a command hide it from no refusal, and only harmless ones pass an allow rule", async () => {
  await using dir = await tempDir();
  await using home = await tempDir();
  await using tools = await tempDir();
  await standIn(tools, "git");
  const denied = [
    "git push",
    "A=1 B=2 git push",
    "CI=1 git push origin main",
    "env A=1 git push",
    "git -C . push -f",
    "git --no-pager -c a.b=c push",
    "GIT_SSH_COMMAND=x git push",
  ];
  const env = place(tools, home);
  const yolo = await runCalls(dir.path, [...denied, "git pushx"], {
    args: ["--yolo", "--disallowed-tools", "Bash(git push *)"],
    env,
  });
  refused(denied, yolo.results.slice(0, -1), /^Permission denied for Bash: Bash\(git push \*\) .*refuses `/);
  succeeded(yolo.results.at(-1));
  const unsafe = [
    "PATH=$PWD/evil:$PATH git commit",
    "LD_PRELOAD=./x.so git commit",
    "GIT_SSH_COMMAND=x git commit",
    "GIT_DIR=/x git commit",
    "GIT_EDITOR='touch made' git commit",
    "BASH_ENV=x git commit",
    "FOO=1 git commit",
    "IFS=x; git commit",
  ];
  const ask = await runCalls(dir.path, [...unsafe, "git commit -m x", "LC_ALL=C git commit -m y"], {
    args: ["--allowed-tools", "Bash(git *)"],
    env,
  });
  refused(unsafe, ask.results.slice(0, -2), HEADLESS);
  for (const result of ask.results.slice(-2)) succeeded(result);
  assert.deepEqual(await logged(tools, "git"), ["pushx", "commit -m x", "commit -m y"]);
});

Deno.test("what reads is known by every option: one that writes or runs something asks", async () => {
  await using dir = await tempDir();
  await repository(dir);
  const lines = [
    "git diff --output=made",
    "git diff --outpu=made",
    "git log --output=made",
    "git diff --ext-diff",
    "git -c diff.external='touch made' diff",
    "git -c core.pager='touch made' --paginate log",
    "git -c core.fsmonitor='touch made' status",
    "GIT_EXTERNAL_DIFF='touch made' git diff",
    "git grep --open-files-in-pager='touch made' a",
    "git branch made",
    "git tag made",
    "git stash",
    "git config core.pager 'touch made'",
    "git diff --no-index /etc/passwd /etc/group",
    "sort -o seed seed",
    "sort -uo made seed",
    "sort --output=made seed",
    "sort --compress-program='touch made' -S 1 seed",
    "sed -i s/a/x/ seed",
    "sed -ni p seed",
    "sed --in-place s/a/x/ seed",
    "sed -n 'w made' seed",
    "sed 's/a/x/w made' seed",
    "sed '1e touch made' seed",
    "awk '{print > \"made\"}' seed",
    "awk 'BEGIN{system(\"touch made\")}'",
    "tar xf a.tar --to-command='touch made'",
    "tar tf a.tar --checkpoint=1 --checkpoint-action=exec='touch made'",
    "tar tf a.tar -I 'touch made'",
    "find . -fprint made",
    "find . -name seed -exec sed -i s/a/x/ {} +",
    "rg --pre touch a",
    "uniq seed made",
    "xxd seed made",
    "date -s 2001-01-01",
    "tee made < seed",
    "echo a>made",
    "echo a >| made",
    "ls &> made",
    "ls 2>made",
  ];
  const before = await snapshot(dir.path);
  const reading = [
    "git diff --stat",
    "git log --oneline",
    "git status --short",
    "git branch --show-current",
    "sort -u seed",
    "sed -n 1p seed",
    "tar tf a.tar",
    "find . -name seed",
    "uniq seed",
    "awk '{print $1}' seed",
    "ls > /dev/null 2>&1",
  ];
  const { results } = await runCalls(dir.path, [...lines, ...reading]);
  refused(lines, results.slice(0, lines.length), HEADLESS);
  for (const result of results.slice(lines.length)) succeeded(result);
  assert.deepEqual(await snapshot(dir.path), before);
});

Deno.test("a substitution is a command of its own, in here-documents too, whose other text is data", async () => {
  await using dir = await tempDir();
  await using home = await tempDir();
  await using tools = await tempDir();
  await standIn(tools, "python", "exec cat\n");
  const lines = [
    "echo $(touch made)",
    "echo `touch made`",
    'echo "a $(touch made) b"',
    'echo "`touch made`"',
    "echo $(echo $(touch made))",
    "echo ${x:-$(touch made)}",
    "echo $(( $(touch made) + 1 ))",
    "x='a[$(touch made)]'; echo $((x))",
    "echo <(touch made)",
    "echo a > >(touch made)",
    "cat <(touch made)",
    'cat <<< "$(touch made)"',
    "python - <<PY\n$(touch made)\nPY",
    "python - <<PY\n`touch made`\nPY",
    "python - <<'PY' && touch made\nprint(1)\nPY",
  ];
  const body = "import os\nrm = $(touch made) `touch made`\ngit push --force; sudo reboot\n";
  const allowed = [
    "echo $(echo one)",
    `python - <<'PY'\n${body}PY`,
    "python - <<PY\nimport os; rm -rf x\nPY",
    "python - <<-'PY' | cat\n\tone\n\tPY",
  ];
  const { results } = await runCalls(dir.path, [...lines, ...allowed], {
    args: ["--allowed-tools", "Bash(echo *),Bash(cat *),Bash(python *)"],
    env: place(tools, home),
  });
  refused(lines, results.slice(0, lines.length), HEADLESS);
  const outputs = results.slice(lines.length).map((result) => succeeded(result));
  assert.deepEqual(outputs, ["one", body.trimEnd(), "import os; rm -rf x", "one"]);
  assert.deepEqual(await snapshot(dir.path), {});
});

async function repository(dir: TempDir): Promise<void> {
  await dir.write("seed", "b\na\n");
  const git = "git -c user.name=a -c user.email=a@b -c commit.gpgsign=false";
  const script =
    `git init -q -b main . && git add seed && ${git} commit -qm one && echo c >> seed && tar cf a.tar seed`;
  const { success, stderr } = await new Deno.Command("bash", { args: ["-c", script], cwd: dir.path })
    .output();
  assert.ok(success, new TextDecoder().decode(stderr));
}
