import assert from "node:assert/strict";
import { type SandboxPlan, sandboxWords } from "./sandbox_plan.ts";

const plan: SandboxPlan = {
  cwd: "/home/u/app/ws",
  write_roots: ["/home/u/app/ws"],
  read_roots: ["/home/u/app/ws", "/srv/data"],
  hide: ["/home/u/app/", "/home/u/app/ws/.env"],
  lock: ["/home/u/app/ws/yarn.lock"],
  secrets: ["/home/u/.ssh"],
  network: false,
  tmp_dir: "/spill/tmp",
};

/** Where the pair stands among the words. */
function at(words: string[], ...run: string[]): number {
  return words.findIndex((_, index) => run.every((word, offset) => words[index + offset] === word));
}

Deno.test("sandboxWords() hides what holds a root before the root, and what a root holds after it", () => {
  const words = sandboxWords(plan);
  const root = at(words, "arg", "--bind-try", "arg", "/home/u/app/ws");
  const cover = at(words, "cover", "/home/u/app");
  const inside = at(words, "deny", "/home/u/app/ws/.env");
  assert.ok(cover >= 0 && cover < root && root < inside, `${cover} ${root} ${inside}`);
  assert.ok(at(words, "lock", "/home/u/app/ws/yarn.lock") > root);
  assert.ok(at(words, "repo", "/home/u/app/ws") > root);
});

Deno.test("sandboxWords() leaves a secret folder open only where it is itself a root", () => {
  assert.ok(at(sandboxWords(plan), "blank", "/home/u/.ssh") >= 0);
  const granted = sandboxWords({ ...plan, read_roots: [...plan.read_roots, "/home/u/.ssh"] });
  assert.equal(at(granted, "blank", "/home/u/.ssh"), -1);
  assert.ok(
    at(granted, "cover", "/home/u/.ssh") < at(granted, "arg", "--ro-bind-try", "arg", "/home/u/.ssh"),
  );
});

Deno.test("sandboxWords() keeps what a writable root holds hidden, whatever is opened inside of it", () => {
  const home: SandboxPlan = {
    ...plan,
    cwd: "/home/u",
    write_roots: ["/home/u"],
    read_roots: ["/home/u", "/home/u/.Lumina/spill", "/home/u/.config/gh/own"],
    hide: ["/home/u/.Lumina"],
    secrets: ["/home/u/.config/gh"],
    lock: [],
  };
  const words = sandboxWords(home);
  const root = at(words, "arg", "--bind-try", "arg", "/home/u");
  for (
    const [hidden, open] of [["/home/u/.Lumina", "/spill"], ["/home/u/.config/gh", "/own"]] as const
  ) {
    const cover = at(words, "cover", hidden);
    assert.ok(root < cover && cover < at(words, "arg", "--ro-bind-try", "arg", hidden + open), hidden);
  }
  assert.equal(at(words, "lock", "/home/u/.Lumina"), -1);
  assert.equal(at(words, "arg", "--ro-bind-try", "arg", "/home/u"), -1);
  assert.ok(at(words, "pin", "/home/u/.config") > root);
});

Deno.test("sandboxWords() always cuts network, processes and capabilities off", () => {
  const words = sandboxWords({
    ...plan,
    write_roots: [],
    read_roots: [],
    secrets: [],
    hide: [],
    lock: [],
  });
  for (const flag of ["--unshare-net", "--unshare-pid", "--die-with-parent", "--new-session", "--cap-drop"]) {
    assert.ok(at(words, "arg", flag) >= 0, flag);
  }
  assert.equal(words.includes("--bind-try"), false);
  const online = sandboxWords({ ...plan, network: true });
  assert.equal(at(online, "arg", "--unshare-net"), -1);
  assert.ok(at(online, "arg", "--unshare-pid") >= 0);
});
