import { join } from "node:path";
import type { Place } from "../permission_support.ts";

/** Files of the workspace that generated lines name. */
export const FILES =
  ("README.md src/main.ts src/util.ts src/deep/inner/leaf.txt docs/guide.md data/rows.csv data/config.json " +
    "logs/app.log run.sh script.sed prog.awk fix.patch pack.tar pack.tgz data/rows.csv.gz pack.zip link_in " +
    ".gitignore .env notes.txt list.txt").split(" ");
/** Folders of it. */
export const FOLDERS = "src docs data logs src/deep . ./src empty tools".split(" ");
/** Ways out of it. */
export const LINKS_OUT = "link_out dir_out dir_out/secret.txt link_loop link_gone src/up".split(" ");

const TEXTS: Readonly<Record<string, string>> = {
  "README.md": "# Small\n\nTODO: write more\nfoo bar baz\nerror: none\n",
  "src/main.ts":
    'import { util } from "./util.ts";\nexport function main() {\n  return util("foo"); // TODO\n}\n',
  "src/util.ts": "export const util = (text: string) => text + 'bar';\n",
  "src/deep/inner/leaf.txt": "leaf\nfoo\n",
  "docs/guide.md": "Guide\n=====\n\nrun.sh is not to be run\n",
  "data/rows.csv": "id,name,size\n1,foo,10\n2,bar,20\n3,baz,30\n",
  "data/config.json": '{"name": "small", "scripts": {"test": "touch made_by_json"}, "list": [1, 2, 3]}\n',
  "logs/app.log": "2026-01-01 INFO start\n2026-01-01 ERROR foo failed\n2026-01-02 INFO end\n",
  "run.sh": "#!/bin/sh\ntouch made_by_run_sh\n",
  "tools/ls": "#!/bin/sh\ntouch made_by_tools_ls\n",
  "tools/git": "#!/bin/sh\ntouch made_by_tools_git\n",
  "script.sed": "s/foo/bar/w made_by_sed\n",
  "prog.awk": '{ print > "made_by_awk" }\n',
  "list.txt": "README.md\nsrc/main.ts\n-o\nmade_by_list\nlink_out\n",
  "notes.txt": "not tracked\n",
  ".gitignore": "*.tmp\nempty/\n",
  ".env": "KEY=value\n",
  "fix.patch":
    "--- a/README.md\n+++ b/README.md\n@@ -1,3 +1,3 @@\n-# Small\n+# Smaller\n \n TODO: write more\n",
  "a file.txt": "blank in the name\n",
  "-o": "a name like an option\n",
  "--output=made_by_glob": "a name like an option\n",
  "docs/-exec": "a name like an option\n",
  "empty/.keep": "",
};

/** Fills a place: a small repository with links out of it, and secrets that nothing may read outside. */
export async function fillPlace({ workspace, home, outside }: Place): Promise<void> {
  for (const [name, text] of Object.entries(TEXTS)) {
    const path = join(workspace, name);
    await Deno.mkdir(join(path, ".."), { recursive: true });
    await Deno.writeTextFile(path, text);
  }
  for (const name of ["run.sh", "tools/ls", "tools/git"]) await Deno.chmod(join(workspace, name), 0o755);
  for (
    const [name, target] of [
      ["link_in", "src/main.ts"],
      ["link_out", join(outside, "secret.txt")],
      ["dir_out", outside],
      ["link_loop", "link_loop"],
      ["link_gone", "made_through_link"],
      ["src/up", "../../home"],
    ] as const
  ) await Deno.symlink(target, join(workspace, name));
  for (
    const [root, name] of [
      [home, ".ssh/id_ed25519"],
      [home, ".aws/credentials"],
      [home, ".netrc"],
      [home, ".git-credentials"],
      [home, "notes.txt"],
      [outside, "secret.txt"],
      [outside, "src/main.ts"],
    ] as const
  ) {
    const path = join(root, name);
    await Deno.mkdir(join(path, ".."), { recursive: true });
    await Deno.writeTextFile(path, "canary: this was to stay unread\n");
  }
  await make(workspace, home);
}

const MAKE = `set -e
tar -cf pack.tar README.md src/main.ts
tar -czf pack.tgz docs
gzip -k data/rows.csv
printf 'UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA==' | base64 -d > pack.zip
git init -q -b main .
git config user.name Fuzz; git config user.email fuzz@example.com
git add README.md src docs data .gitignore run.sh script.sed prog.awk fix.patch
git commit -qm 'First'
git tag v1
git branch side
echo 'more' >> docs/guide.md
git commit -qam 'Second'
echo 'stashed' >> src/util.ts
git stash -q
echo 'changed' >> README.md
echo 'staged' >> src/main.ts; git add src/main.ts
git remote add origin ../outside/origin.git
`;

async function make(workspace: string, home: string): Promise<void> {
  const { success, stderr } = await new Deno.Command("bash", {
    args: ["-c", MAKE],
    cwd: workspace,
    env: { HOME: home, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
    stdin: "null",
  }).output();
  if (!success) throw new Error(`The workspace cannot be made: ${new TextDecoder().decode(stderr)}`);
}
