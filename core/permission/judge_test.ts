import assert from "node:assert/strict";
import { LuminaError } from "../base/mod.ts";
import { closedPatterns, createJudge } from "./judge.ts";
import { buildPolicy } from "./policy.ts";
import { loadBundledWasm } from "./shell/parser.ts";

const BASH = {
  name: "Bash",
  aliases: [],
  effect: "run" as const,
  subject: { kind: "command" as const, param: "command" },
};
const READ = {
  name: "Read",
  aliases: [],
  effect: "read" as const,
  subject: { kind: "path" as const, param: "path" },
};
const { policy } = buildPolicy({
  layers: [],
  workspace: Deno.cwd(),
  home: "/nonexistent_home",
});

Deno.test("the shell grammar is loaded at the first command that is more than plain words, once, through loadWasm()", async () => {
  const loaded: string[] = [];
  const { judge } = createJudge({
    loadWasm(name) {
      loaded.push(name);
      return loadBundledWasm(name);
    },
  });
  await judge({ tool: READ, input: { path: "x" } }, policy);
  assert.equal((await judge({ tool: BASH, input: { command: "git status" } }, policy)).behavior, "allow");
  assert.deepEqual(loaded, []);
  await Promise.all([
    judge({ tool: BASH, input: { command: "ls | cat" } }, policy),
    judge({ tool: BASH, input: { command: "ls | cat" } }, policy),
  ]);
  assert.deepEqual(loaded.sort(), ["tree-sitter-bash.wasm", "web-tree-sitter.wasm"]);
});

Deno.test("a grammar that cannot be loaded is a typed error, and the next command tries again", async () => {
  let broken = true;
  const { judge } = createJudge({
    loadWasm: (name) => broken ? Promise.reject(new Error("gone")) : loadBundledWasm(name),
  });
  const call = { tool: BASH, input: { command: "ls | cat" } };
  await assert.rejects(
    judge(call, policy),
    (error: unknown) =>
      error instanceof LuminaError && error.code === "permission.parser" && /gone/.test(error.message),
  );
  broken = false;
  assert.equal((await judge(call, policy)).behavior, "allow");
});

Deno.test("a command is judged from where the shell stands", async () => {
  const below = { ...policy, shell_cwd: `${Deno.cwd()}/core` };
  const { judge } = createJudge();
  assert.equal(
    (await judge({ tool: BASH, input: { command: "cat ../deno.json" } }, below)).behavior,
    "allow",
  );
  assert.equal((await judge({ tool: BASH, input: { command: "cat ../../x" } }, below)).behavior, "ask");
  assert.equal(
    (await judge({ tool: BASH, input: { command: "ls" } }, { ...policy, shell_cwd: "/" })).behavior,
    "ask",
  );
});

Deno.test("a call that names a path is asked about when it starts programs or reaches the network too", async () => {
  const { judge } = createJudge({ loadWasm: loadBundledWasm });
  const layers = (...allow: string[]) => ({
    policy: {
      ...buildPolicy({
        layers: [{ source: { origin: "flag", base_dir: Deno.cwd() }, allow }],
        workspace: Deno.cwd(),
        home: "/nonexistent_home",
      }).policy,
      mode: "auto" as const,
    },
  });
  for (const effect of ["run", "net"] as const) {
    const tool = { ...READ, name: "Convert", effect };
    const call = { tool, input: { path: "deno.json" } };
    const verdict = await judge(call, layers().policy);
    assert.equal(verdict.behavior, "ask");
    assert.match(verdict.reason, /mode auto asks before Convert/);
    assert.equal((await judge(call, layers("Convert").policy)).behavior, "allow");
  }
  assert.equal(
    (await judge({ tool: READ, input: { path: "deno.json" } }, layers().policy)).behavior,
    "allow",
  );
});

Deno.test("closedPatterns() has what is refused or asked about, and everything where the whole family is", () => {
  const of = (rules: { deny?: string[]; ask?: string[] }) =>
    closedPatterns(
      buildPolicy({
        layers: [{ source: { origin: "flag", base_dir: "/ws" }, ...rules }],
        workspace: "/ws",
        home: "/nonexistent_home",
        folds_case: false,
      }).policy,
    );
  assert.deepEqual(of({}), { read: [], write: [] });
  assert.deepEqual(of({ deny: ["Read(//a/b)"], ask: ["Read(//c/d)", "Edit(//e)"] }), {
    read: ["/a/b", "/c/d"],
    write: ["/e"],
  });
  assert.deepEqual(of({ deny: ["Read"], ask: ["Edit"] }), { read: ["/**"], write: ["/**"] });
});

Deno.test("every file of a patch is judged as written: the strictest word about one of them is the verdict", async () => {
  const tool = {
    name: "apply_patch",
    aliases: [],
    effect: "write" as const,
    subject: { kind: "patch" as const, param: "patch" },
  };
  const of = (...files: string[]) => ({
    tool,
    input: { patch: ["*** Begin Patch", ...files, "*** End Patch"].join("\n") },
  });
  const { judge } = createJudge();
  const policy = {
    ...buildPolicy({
      layers: [{ source: { origin: "user", base_dir: Deno.cwd() }, deny: ["Edit(./closed/**)"] }],
      workspace: Deno.cwd(),
      home: "/nonexistent_home",
    }).policy,
    mode: "accept-edits" as const,
  };
  const inside = await judge(of("*** Add File: a.txt", "+x", "*** Delete File: b.txt"), policy);
  assert.equal(inside.behavior, "allow");
  assert.deepEqual(inside.paths.map(({ given, access }) => [given, access]), [["a.txt", "write"], [
    "b.txt",
    "write",
  ]]);
  const moved = await judge(of("*** Update File: a.txt", "*** Move to: closed/a.txt"), policy);
  assert.equal(moved.behavior, "deny");
  assert.match(moved.reason, /refuses closed\/a\.txt/);
  const outside = await judge(of("*** Add File: a.txt", "+x", "*** Add File: /elsewhere/x", "+x"), policy);
  assert.equal(outside.behavior, "ask");
  const sensitive = await judge(
    of("*** Add File: a.txt", "+x", "*** Add File: .git/hooks/pre-commit", "+x"),
    policy,
  );
  assert.equal(sensitive.behavior, "ask");
  const broken = await judge({ tool, input: { patch: "what" } }, policy);
  assert.equal(broken.behavior, "deny");
  assert.match(broken.reason, /The patch cannot be read/);
  const plan = await judge(of("*** Add File: a.txt", "+x"), { ...policy, mode: "plan" });
  assert.equal(plan.behavior, "deny");
});

Deno.test("a command that only reads says whether a rule allows every part of it as well", async () => {
  const { judge } = createJudge();
  const ruled = async (command: string, ...allow: string[]) => {
    const layers = [{ source: { origin: "user" as const, label: "settings.json", base_dir: "/" }, allow }];
    const { policy } = buildPolicy({ layers, workspace: Deno.cwd(), home: "/nonexistent_home" });
    const verdict = await judge({ tool: BASH, input: { command } }, policy);
    return [verdict.behavior, verdict.ruled ?? false];
  };
  assert.deepEqual(await ruled("git status --short"), ["allow", false]);
  assert.deepEqual(await ruled("git status --short", "Bash(git status *)"), ["allow", true]);
  assert.deepEqual(await ruled("git status && ls", "Bash(git status *)"), ["allow", false]);
  assert.deepEqual(await ruled("git commit -m x && ls", "Bash(git commit *)"), ["allow", false]);
  assert.deepEqual(await ruled("git commit -m x && ls", "Bash"), ["allow", true]);
});
