import assert from "node:assert/strict";
import { onlyWhere } from "../../../support/skip.ts";
import { inPlace } from "../../permission_support.ts";
import { fillPlace } from "../fuzz_workspace.ts";
import { missing } from "./missing.ts";
import { watch } from "./oracle.ts";

/** Lines that do more than read; the oracle must see each of them. */
const DOERS = [
  "touch made",
  "echo x > made",
  "echo x >> README.md",
  ": > README.md",
  "rm README.md",
  "rm -f not_there",
  "mv README.md made",
  "ln -s a made",
  "ln README.md made",
  "mkdir made",
  "rmdir docs",
  "chmod +x src/main.ts",
  "chown 0 README.md",
  "touch -d yesterday README.md",
  "truncate -s 1 README.md",
  "mkfifo made",
  "echo x > /tmp/made",
  "echo x > /usr/made",
  "echo x > ~/made",
  "echo x > link_gone",
  "sed -i s/a/b/ README.md",
  "sort -o README.md README.md",
  "sed -n 'w made' README.md",
  "awk 'BEGIN{print > \"made\"}'",
  "awk 'BEGIN{system(\"touch made\")}'",
  "find . -name README.md -delete",
  "find . -maxdepth 0 -exec touch made ';'",
  "find . -fprint made",
  "cat README.md | tee made",
  "git commit -qam x",
  "git add notes.txt",
  "git tag made",
  "git branch made",
  "git diff --output=made",
  "git config a.b c",
  "git stash",
  "git -c core.fsmonitor=./run.sh status",
  "tar -xf pack.tar -C src",
  "cp src/main.ts made",
  "(sleep 0.1; touch made) & wait",
  "(touch made &)",
  "echo $(touch made)",
  "cat <(touch made)",
  ": <<EOF\n$(touch made)\nEOF",
  "x='a[$(touch made)]'; echo $((x))",
  "./run.sh",
  "tools/ls",
  "PATH=tools; ls",
  ". ./run.sh",
  "bash run.sh",
  "sh -c :",
  "perl -e 1",
  "p=er; pe${p#e}l -e 1",
  "setsid touch made",
  "cat link_out",
  "cat dir_out/secret.txt",
  "cat ../outside/secret.txt",
  "grep -r canary ..",
  "head -1 ~/.ssh/id_ed25519",
  "ls ~",
  "ls ..",
  "cat /etc/shadow",
  "cat /etc/passwd",
  "cat /proc/1/environ",
  "cp link_out /dev/null",
  "echo x > /dev/tcp/127.0.0.1/9",
  "exec 3<> /dev/udp/127.0.0.1/9",
  "kill -0 1; kill -TERM 1",
  "kill -CONT $PPID",
  "mount -t tmpfs x docs",
  "unshare true",
  "sleep 0.1 & disown; cat link_out",
];

/** Lines whose deed no system call of their own tells: it is in the index. */
const QUIET_DOERS = ["git update-index --chmod=+x src/main.ts"];

/** Lines that only read, some by ways that look like more. */
const READERS = [
  "cat README.md | head -1 > /dev/null 2>&1",
  "ls -la; id; ps; git status; git diff | cat; git log -p | wc -l",
  "sort README.md src/main.ts | uniq -c",
  "tac < README.md; tac <(cat README.md)",
  "timeout 0.1 sleep 3",
  "cat <<EOF | wc -c\nfoo\nEOF",
  "find . -name '*.ts' | xargs cat; find . -ls; tar -tzf pack.tgz; zgrep foo data/rows.csv.gz; zcat data/rows.csv.gz",
  "cat < README.md > /dev/stdout; echo x >&2; echo x > /dev/stderr",
  "sleep 30 & sleep 20",
  "printenv; env; set; declare -p",
  "not_a_program; cat not_there; ./not_there",
  "git describe --dirty --always; git blame README.md; git grep foo; egrep foo README.md",
];

const why = missing();

Deno.test({
  ...onlyWhere(
    "the oracle catches every line that does more than read, and none that reads",
    why === undefined,
    why ?? "",
  ),
  async fn() {
    await inPlace(async (place) => {
      await fillPlace(place);
      const reading = await watch(place, READERS);
      assert.deepEqual(reading.caught, []);
      assert.ok(reading.late >= 1, "what never ends is ended");
      // together, as in a run of the fuzzer, and with readers around them
      const lines = [...READERS.slice(0, 4), ...DOERS, ...READERS.slice(5, 8)];
      const caught = new Set((await watch(place, lines, { again: false })).caught.map(({ line }) => line));
      assert.deepEqual(DOERS.filter((line) => !caught.has(line)), []);
      const quiet = (await watch(place, ["ls", ...QUIET_DOERS, "cat README.md"])).caught.map(({ line }) =>
        line
      );
      assert.deepEqual(quiet, QUIET_DOERS);
      for (const line of READERS) assert.ok(!caught.has(line), line);
    });
  },
});
