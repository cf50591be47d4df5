import assert from "node:assert/strict";
import { findSandbox } from "../../tests/support/find_sandbox.ts";
import { testWith } from "../../tests/support/skip.ts";
import { guardedArguments, type GuardedPlan } from "./guarded_plan.ts";

const plan: GuardedPlan = {
  cwd: "/home/u/app/ws",
  roots: [{ path: "/home/u/app/ws", write: true }, { path: "/home/u/app/spill", write: false }],
  hidden: [
    { path: "/home/u/.ssh", dir: true },
    { path: "/home/u/.netrc", dir: false },
    { path: "/home/u/app", dir: true },
    { path: "/home/u/app/ws/.env", dir: false },
    { path: "/home/u/app/settings.json", dir: false },
  ],
  pinned: [],
  read_only: false,
  empty_file: "/empty",
};

Deno.test("guardedArguments() leaves the system as it is, hides what is hidden and opens the roots inside of that", () => {
  const text = guardedArguments(plan).join(" ");
  assert.match(text, /^--dev-bind \/ \/ /);
  assert.match(text, /--tmpfs \/home\/u\/\.ssh /);
  assert.match(text, /--ro-bind \/empty \/home\/u\/\.netrc /);
  assert.match(
    text,
    /--tmpfs \/home\/u\/app .*--bind-try \/home\/u\/app\/ws \/home\/u\/app\/ws .*--ro-bind \/empty \/home\/u\/app\/ws\/\.env /,
  );
  assert.match(text, /--ro-bind-try \/home\/u\/app\/spill \/home\/u\/app\/spill /);
  // it is gone with the folder around it
  assert.doesNotMatch(text, /settings\.json/);
  assert.match(text, /--remount-ro \/home\/u\/app .*--chdir \/home\/u\/app\/ws --$/);
  for (const flag of ["--new-session", "--unshare-net", "--unshare-pid", "--die-with-parent"]) {
    assert.doesNotMatch(text, new RegExp(flag));
  }
  assert.match(guardedArguments({ ...plan, read_only: true }).join(" "), /^--ro-bind \/ \/ /);
});

const root = Deno.build.os === "linux" && Deno.uid() === 0;
testWith(
  "under another user than root, a guarded command sees neither secrets nor the environment of who started it",
  root ? await findSandbox() : { skip: "only root can become another user" },
  async () => {
    const home = await Deno.makeTempDir({ prefix: "lumina_guarded_" });
    try {
      await Deno.chmod(home, 0o755);
      await Deno.mkdir(`${home}/.ssh`);
      await Deno.writeTextFile(`${home}/.ssh/id`, "ssh-secret");
      await Deno.writeTextFile(`${home}/empty`, "");
      const args = guardedArguments({
        ...plan,
        cwd: home,
        roots: [],
        hidden: [{ path: `${home}/.ssh`, dir: true }],
        empty_file: `${home}/empty`,
      });
      const user = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];
      const look =
        'cat "$1"/.ssh/id; tr "\\0" "\\n" </proc/"$2"/environ; cat /proc/[0-9]*/environ | grep -ac CANARY=';
      // the first shell stands for Lumina, with the key in its environment
      const outer =
        'inner=$1; shift; me=$$; env -u CANARY bwrap "${@:1:$#-1}" bash -c "$inner" x "${!#}" $me';
      const { stdout } = await new Deno.Command("setpriv", {
        args: [...user, "bash", "-c", outer, "bash", look, ...args, home],
        env: { CANARY: "env-secret" },
        stdout: "piped",
        stderr: "null",
      }).output();
      assert.equal(new TextDecoder().decode(stdout).trim(), "0");
    } finally {
      await Deno.remove(home, { recursive: true });
    }
  },
);
