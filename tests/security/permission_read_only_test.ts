import assert from "node:assert/strict";
import { inPlace } from "./permission_support.ts";

/** Row 38 and its kin: lines that look like reading. */
const NOT_READING = [
  "git diff --output=f",
  "git diff --outpu=f",
  "git diff -o f",
  "git diff --ext-diff",
  "git -c core.pager=x log",
  "git --paginate log",
  "git -p log",
  "git log --output=f",
  "git diff --no-index /etc/passwd /etc/shadow",
  "git show --textconv x",
  "git log --show-signature",
  "git log --format=%G?",
  "git log --pretty='%GK'",
  "git cat-file --textconv x",
  "git cat-file --filters x",
  "git grep -O x",
  "git grep --open-files-in-pager=x y",
  "git branch x",
  "git branch -D x",
  "git branch -m x",
  "git tag x",
  "git tag -d x",
  "git stash",
  "git stash drop",
  "git config a.b c",
  "git config --unset a.b",
  "git config core.fsmonitor x",
  "git config -e",
  "git remote add a b",
  "git remote update",
  "git remote show origin",
  "git reflog expire",
  "git reflog delete x",
  "git apply x",
  "git symbolic-ref HEAD x",
  "git worktree add x",
  "git foo",
  "git --git-dir=/x log",
  "git --exec-path=/x log",
  "git fetch",
  "git ls-remote",
  "git -C .. log",
  "git log $X",
  'git log "$X"',
  "sort -o f x",
  "sort -of x",
  "sort -uo f x",
  "sort --output=f x",
  "sort --outp=f x",
  "sort --compress-program=x f",
  "sort -T /x f",
  "sed -i s/a/b/ f",
  "sed -n -i p f",
  "sed -ni p f",
  "sed --in-place s/a/b/ f",
  "sed 's/a/b/e' f",
  "sed 's/a/b/w f' f",
  "sed 's/a/b/gw f' f",
  "sed 'w f' x",
  "sed '1e date' f",
  "sed -n '$!{p;w f\n}' x",
  "sed -f s f",
  "sed 's/a/b/;e' x",
  "sed '/a/W f' x",
  "sed 'r /etc/passwd' x",
  "sed 's|a|b|w f' x",
  "sed -e p -e 'w f' x",
  "sed $X f",
  "awk 'BEGIN{system(\"x\")}'",
  "awk '{print > \"f\"}' x",
  "awk '{print >> \"f\"}' x",
  "awk '{print | \"sh\"}' x",
  "awk '{\"date\"|getline}' x",
  "awk -f p x",
  "awk '{print $1,\n$2 > \"f\"}' x",
  "awk '@load \"x\"'",
  'awk \'BEGIN{printf "a" > "f"}\'',
  "gawk -i inplace '{print}' x",
  'awk "$X" f',
  "tar xf a",
  "tar cf a b",
  "tar -tf a --to-command=x",
  "tar -tf a -I x",
  "tar tf h:a",
  "tar -tf a --checkpoint-action=exec=x",
  "find . -fprint f",
  "find . -fprintf f x",
  "find . -fls f",
  "find . -delete",
  "find . -exec rm {} +",
  "find . -exec sh -c x \\;",
  "find . -exec sed -i s/a/b/ {} +",
  "find -L . -name x",
  "find . -exec awk {} \\;",
  "find . -exec sed -n {} \\;",
  "find . -exec xxd {} +",
  "find . -exec uniq {} +",
  "find . -exec {} \\;",
  "find . $X",
  "rg --pre x y",
  "rg -z x",
  "rg -L x",
  "rg --follow x",
  "rg --hostname-bin=x y",
  "grep -R x .",
  "fd -x rm",
  "fd -X rm",
  "fd -L x",
  "xargs rm",
  "ls | xargs sed -i x",
  "ls | xargs -I{} sh -c {}",
  "ls | xargs git",
  "env rm",
  "uniq a b",
  "xxd a b",
  "xxd -r a",
  "xxd *",
  "diff -l a b",
  "diff -r a b",
  "date -s 1",
  "date 01011200",
  "hostname x",
  "tee f",
  "tree -o f",
  "tree -l",
  "file -C -m x",
  "file -f x",
  "printf -v PATH x",
  "hash -p /bin/rm ls",
  "openssl x509 -in a -out b",
  "openssl req",
  "unzip x",
  "unzip -p x",
  "ps axe",
  "ps eww",
  "echo a > b",
  "echo a >> b",
  "echo a >| b",
  "echo a &> b",
  "echo a >& b",
  "ls 2> f",
  "ls 3<> f",
  "exec 3> f",
  "cat < /dev/tcp/h/1",
  "echo x > /dev/udp/h/1",
  "npm --version",
  "node --version",
  "go version",
  "make -n",
  "less x",
  "man x",
  "vim x",
  "time -o f ls",
  "timeout 5 rm x",
  "nohup ls",
  "command rm",
  "exec ls",
  "eval ls",
  "source x",
  ". x",
  "trap ls EXIT",
  "sh -c ls",
  "bash x",
  "./ls",
  "src/ls",
  "$X",
  '"$X" a',
  "alias ls=rm",
  "coproc ls",
  "mapfile x < f",
  "set -o vi",
  "enable -f x y",
  // variables that change what programs do
  "PATH=/x ls",
  "LD_PRELOAD=x ls",
  "GIT_EXTERNAL_DIFF=x git diff",
  "GIT_PAGER=less git log",
  "GIT_DIR=/x git log",
  "GIT_SSH_COMMAND=x git log",
  "GIT_OPTIONAL_LOCKS=1 git status",
  "BASH_ENV=x ls",
  "IFS=/ cat x",
  "IFS=,; cat x",
  "PAGER=x git log",
  "RIPGREP_CONFIG_PATH=x rg y",
  "export PATH=/x; ls",
  "PATH=/x; ls",
  "read PATH < f; ls",
  "for PATH in x; do ls; done",
  "unset PATH",
  "declare -x LD_PRELOAD=x",
  "local PATH=x",
  // code hidden in data
  "echo ${x@P}",
  "echo ${!x}",
  "echo $((x))",
  "(( x ))",
  "[[ $x -eq 1 ]]",
  "[[ -v 'a[$(x)]' ]]",
  "test -v x",
  "[ $x y ]",
  "x[$(ls)]=1",
  "echo ${x[y]}",
  "let x=1",
  "for ((i=0;i<n;i++)); do ls; done",
  "echo ${x:y}",
  "echo ${x:=$(y)}",
  'echo "${x:-`rm x`}"',
  "cat <<EOF\n`rm x`\nEOF",
  "f() { rm x; }; f",
  "ls() { rm x; }; ls",
  // invisible and control characters
  "ls\u200b -la",
  "ls\u00a0-la",
  "ls \u202e x",
  "ls \u2066x",
  "ls\r",
  "echo a\u0000b",
  "ls \u3164",
  "echo \u{e0041}",
  "ls\u0085x",
  `echo ${"a".repeat(10_001)}`,
  "echo 'unfinished",
  "if ls",
  "ls &&",
];

Deno.test("no line that may write, connect or run code is taken for reading", async () => {
  await inPlace(async ({ bash, workspace }) => {
    for (const name of ["a.txt", "b.txt"]) await Deno.writeTextFile(`${workspace}/${name}`, "");
    const allowed: string[] = [];
    for (const line of NOT_READING) {
      if ((await bash(line, { mode: "plan" })).behavior === "allow") allowed.push(line);
    }
    assert.deepEqual(allowed, []);
  });
});

Deno.test("reading outside the workspace is not allowed in plan and asks in mode ask", async () => {
  await inPlace(async ({ bash, workspace, outside, home }) => {
    await Deno.writeTextFile(`${outside}/secret`, "x");
    await Deno.symlink(outside, `${workspace}/out`);
    await Deno.symlink(`${outside}/secret`, `${workspace}/src/a.ts`);
    const lines = [
      "cat /etc/passwd",
      "cat ../x",
      "cat ~/.ssh/id_rsa",
      "cat $HOME/x",
      'cat "$HOME"/x',
      `cat ${home}/x`,
      "cat out/secret",
      "cat src/a.ts",
      "cat src/*.ts",
      "head out/*",
      "cat src/[a].ts",
      "cat sr?/a.ts",
      "cd out && cat secret",
      "cd .. && ls",
      "cd && ls",
      "cd -",
      "cd ~",
      "cd $X && ls",
      "cat $X",
      'cat "$X"',
      "cat $(echo /etc/passwd)",
      "ls -R out",
      "ls ..",
      "grep x -r out",
      "grep -f /etc/passwd x",
      "grep $X f",
      "rg -f /etc/shadow .",
      "rg x ..",
      "diff /etc/passwd x",
      "find / -name x",
      "find out -name x",
      "find . -name '*.ts' -exec cat {} +",
      "find src -name '*.ts' | xargs cat",
      "git ls-files | xargs cat",
      "cat f | xargs cat",
      "echo /etc/passwd | xargs cat",
      "jq . /etc/x",
      "tail -f /var/log/x",
      "jq --slurpfile a /etc/x . f",
      "while read l; do echo $l; done < /etc/passwd",
      "wc <out/secret",
      "cat < src/*.ts",
      "git diff /etc/passwd /etc/group",
      "sed -n p /etc/passwd",
      "awk 1 /etc/passwd",
      "head -c 5 </etc/passwd",
      "f=/etc/passwd; cat $f",
      'f=../x; cat "$f"',
      'for f in /etc/*; do cat "$f"; done',
      "cat /proc/self/environ",
      "cat /proc/self/cwd/x",
      "x=/etc; if ls; then x=src; fi; cat $x/passwd",
      "cat {/etc,x}/passwd",
      "ls ~root",
      "cat ~+/x",
      "while :; do cat x; cd ..; done",
      "cd src & cat ../../x",
      "(cd src); cat ../x",
      "ls || cd src; cat ../x",
      "f() { cat ../x; }; f",
      'while ls; do cat "$x"; x=/etc/passwd; done',
      "cat src/../../x",
      "cat out/../x",
      "timeout 5 cat /etc/passwd",
      "cat -- /etc/passwd",
      "cat x/../../outside/secret",
    ];
    for (const line of lines) {
      assert.equal((await bash(line, { mode: "plan" })).behavior, "deny", line);
      assert.equal((await bash(line, { mode: "ask" })).behavior, "ask", line);
    }
  });
});

Deno.test("a git that is told to run a command does not count as reading", async () => {
  const settings: [file: string, text: string, lines: string[]][] = [
    ["ws/.git/config", "[core]\n\tfsmonitor = ./evil\n", ["git status", "git diff", "git ls-files -m"]],
    ["ws/.git/config", '[diff "x"]\n\ttextconv = evil\n', [
      "git diff",
      "git log -p",
      "git show",
      "git blame f",
    ]],
    ["ws/.git/config", '[diff "x"] command = evil', ["git diff"]],
    ["ws/.git/config", "[DIFF]\nexternal=evil", ["git diff"]],
    ["ws/.git/config", '[filter "x"]\nclean = evil\n', ["git status"]],
    ["ws/.git/config", "[include]\npath = more\n", []],
    ["ws/.git/config", '[remote "o"]\npromisor = true\n', ["git show HEAD"]],
    ["ws/.git/config", "[log]\nshowSignature = true\n", ["git log"]],
    ["home/.gitconfig", "[diff]\n external = evil\n", ["git diff", "git log -p"]],
    ["home/.config/git/config", "[core]\nfsmonitor = evil\n", ["git status"]],
    ["home/.gitconfig", "[core]\n fsmonitor \\\n = evil\n", ["git status"]],
  ];
  for (const [file, text, lines] of settings) {
    await inPlace(async ({ bash, dir }) => {
      await Deno.writeTextFile(`${dir}/ws/.git/HEAD`, "ref: refs/heads/main\n");
      for (const line of lines) assert.equal((await bash(line, { mode: "plan" })).behavior, "allow", line);
      await Deno.mkdir(`${dir}/home/.config/git`, { recursive: true });
      await Deno.writeTextFile(`${dir}/${file}`, text);
      for (const line of lines) {
        assert.equal((await bash(line, { mode: "plan" })).behavior, "deny", `${text} ${line}`);
      }
      assert.equal((await bash("git branch --show-current", { mode: "plan" })).behavior, "allow");
    });
  }
});

Deno.test("an included setting, a submodule's setting and a bare repository in a folder are seen", async () => {
  await inPlace(async ({ bash, workspace }) => {
    await Deno.writeTextFile(`${workspace}/.git/more`, "[core]\nfsmonitor = evil\n");
    await Deno.writeTextFile(`${workspace}/.git/config`, '[includeIf "gitdir:x"]\npath = more\n');
    assert.equal((await bash("git status", { mode: "plan" })).behavior, "deny");
    await Deno.remove(`${workspace}/.git/config`);
    assert.equal((await bash("git status", { mode: "plan" })).behavior, "allow");
    await Deno.mkdir(`${workspace}/.git/modules/a`, { recursive: true });
    await Deno.writeTextFile(`${workspace}/.git/modules/a/HEAD`, "");
    await Deno.writeTextFile(`${workspace}/.git/modules/a/config`, "[core]\nfsmonitor = evil\n");
    assert.equal((await bash("git status", { mode: "plan" })).behavior, "deny");
    await Deno.remove(`${workspace}/.git/modules`, { recursive: true });
    await Deno.mkdir(`${workspace}/src/objects`);
    await Deno.writeTextFile(`${workspace}/src/HEAD`, "");
    assert.equal((await bash("cd src && git status", { mode: "plan" })).behavior, "deny");
    assert.equal((await bash("git -C src status", { mode: "plan" })).behavior, "deny");
  });
});

Deno.test("git-lfs filters of the user and a pager do not keep git from reading", async () => {
  await inPlace(async ({ bash, home }) => {
    await Deno.writeTextFile(
      `${home}/.gitconfig`,
      '[core]\npager = delta\n[filter "lfs"]\nclean = git-lfs clean -- %f\nsmudge = git-lfs smudge -- %f\n' +
        "process = git-lfs filter-process\nrequired = true\n",
    );
    for (const line of ["git status", "git diff", "git log -p"]) {
      assert.equal((await bash(line, { mode: "plan" })).behavior, "allow", line);
    }
  });
});

Deno.test("an invisible character is shown in the reason", async () => {
  await inPlace(async ({ bash }) => {
    const verdict = await bash("ls\u200b; x", { mode: "yolo" });
    assert.equal(verdict.behavior, "ask");
    assert.match(verdict.reason, /ls\\u\{200b\}; x/);
  });
});

Deno.test("wildcards that make the shell list folders outside of the workspace are not allowed in plan", async () => {
  await inPlace(async ({ bash }) => {
    for (
      const line of [
        "echo ../*",
        "echo ~/*",
        "a=(../*); echo done",
        "for f in ../*; do echo x; done",
        "x='../*'; echo $x",
        "id -- /*",
        "x=$(pwd); echo $x/*",
      ]
    ) assert.notEqual((await bash(line, { mode: "plan" })).behavior, "allow", line);
    for (const line of ["echo *", "for f in *; do echo $f; done", "x='../*'; echo \"$x\"", "echo '../*'"]) {
      assert.equal((await bash(line, { mode: "plan" })).behavior, "allow", line);
    }
  });
});

Deno.test("functions that call themselves through substitutions and loops are refused in plan, at once", async () => {
  await inPlace(async ({ bash }) => {
    for (
      const line of [
        "function g { echo $(g); }; g",
        "f(){ echo $(f) $(f) $(f) $(f) $(f) $(f); }; f",
        "f(){ echo `f`; for i in 1 2; do f; done; }; f",
      ]
    ) assert.equal((await bash(line, { mode: "plan" })).behavior, "deny", line);
  });
});

Deno.test("a test of find behind the action does not keep links from being followed", async () => {
  await inPlace(async ({ bash, workspace, outside }) => {
    await Deno.symlink(outside, `${workspace}/out`);
    for (
      const line of [
        "find -execdir ls {} \\; -type f",
        "find . -exec cat {} + -type f",
        "find . -print0 -type f | xargs -0 cat",
      ]
    ) assert.notEqual((await bash(line, { mode: "plan" })).behavior, "allow", line);
    for (const line of ["find . -type f -exec cat {} +", "find . -type f -print0 | xargs -0 cat"]) {
      assert.equal((await bash(line, { mode: "plan" })).behavior, "allow", line);
    }
  });
});
