import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { judgeIn } from "../../core/permission/mod.ts";
import { readCatalog } from "../../core/plugin_host/mod.ts";
import { PERMISSION_MODES } from "../../core/types/mod.ts";
import type { JsonObject, PermissionMode } from "../../core/types/mod.ts";
import { BASH, EDIT, FETCH, inPlace, READ, WRITE } from "./permission_support.ts";
import type { Place, PolicyOptions } from "./permission_support.ts";

const FREE = "allow allow allow allow allow";
const ADDING = (path: string) => `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch`;

/** The mode table: what each mode says of each kind of call. */
const TABLE: Record<PermissionMode, string> = {
  //             read  write shell  shell_read net  read_out write_out
  "plan": "        allow deny  deny   allow      ask  deny     deny",
  "ask": "         allow ask   ask    allow      ask  ask      ask",
  "accept-edits": "allow allow ask    allow      ask  ask      ask",
  "auto": "        allow allow allow  allow      ask  ask      ask",
  "yolo": "        allow allow allow  allow      allow allow   allow",
};

/** What the kernel says of a plain call of each bundled tool: plan, ask, accept-edits, auto, yolo. */
const BUNDLED: readonly [tools: string, input: JsonObject, verdicts: string][] = [
  [
    "Agent AgentOutput AgentStop AskUserQuestion BashOutput EnterPlanMode ExitPlanMode KillShell Skill",
    {},
    FREE,
  ],
  ["TaskCreate TaskGet TaskList TaskUpdate session_history_get session_history_list", {}, FREE],
  ["Read", { file_path: "src/a.ts" }, FREE],
  ["List Glob Grep", { path: "src" }, FREE],
  ["Edit MultiEdit Write", { file_path: "src/a.ts" }, "deny ask allow allow allow"],
  ["NotebookEdit", { notebook_path: "src/a.ipynb" }, "deny ask allow allow allow"],
  ["apply_patch", { patch: ADDING("src/new.ts") }, "deny ask allow allow allow"],
  ["apply_patch", { patch: ADDING(".git/hooks/pre-commit") }, "deny ask ask ask allow"],
  ["apply_patch", { patch: ADDING("../outside/new.ts") }, "deny ask ask ask allow"],
  ["apply_patch", { patch: "no patch" }, "deny deny deny deny deny"],
  ["NotebookEdit", { notebook_path: "../outside/a.ipynb" }, "deny ask ask ask allow"],
  ["NotebookEdit", {}, "deny deny deny deny deny"],
  ["Bash", { command: "npm test" }, "deny ask ask ask allow"],
  ["WebFetch", { url: "https://h.example/" }, "ask ask ask ask allow"],
  ["WebSearch", { query: "x" }, "ask ask ask ask allow"],
];

Deno.test("each mode decides about each bundled tool exactly as the table says, and the table names all of them", async () => {
  await inPlace(async ({ policy }) => {
    const catalog = readCatalog(fileURLToPath(new URL("../../plugins", import.meta.url)));
    for (const [names, input, verdicts] of BUNDLED) {
      for (const name of names.split(" ")) {
        const tool = catalog.find(name);
        assert.ok(tool !== undefined, name);
        const judged = await judgeIn(PERMISSION_MODES, { tool, input }, policy({}));
        assert.equal(
          judged.map(({ behavior }) => behavior).join(" "),
          verdicts,
          `${name} ${JSON.stringify(input)}`,
        );
      }
    }
    const named = new Set(BUNDLED.flatMap(([names]) => names.split(" ")));
    assert.deepEqual(catalog.tools.map(({ name }) => name).filter((name) => !named.has(name)), []);
  });
});

Deno.test("each mode decides exactly as its row of the table says", async () => {
  await inPlace(async (place) => {
    const { call, bash, outside } = place;
    for (const [mode, row] of Object.entries(TABLE) as [PermissionMode, string][]) {
      const options: PolicyOptions = { mode, sandbox: true };
      const verdicts = [
        await call(READ, { path: "src/a.ts" }, options),
        await call(EDIT, { path: "src/a.ts" }, options),
        await bash("npm test", options),
        await bash("git status && ls src", options),
        await call(FETCH, { url: "https://h.example/x" }, options),
        await call(READ, { path: `${outside}/x` }, options),
        await call(WRITE, { path: `${outside}/x` }, options),
      ];
      assert.deepEqual(verdicts.map(({ behavior }) => behavior), row.trim().split(/\s+/), mode);
    }
  });
});

Deno.test("mode auto runs commands in the sandbox, and asks where there is none or the network is needed", async () => {
  await inPlace(async ({ bash }) => {
    const inside = await bash("npm test", { mode: "auto", sandbox: true });
    assert.deepEqual([inside.behavior, inside.confinement?.level], ["allow", "closed"]);
    const without = await bash("npm test", { mode: "auto" });
    assert.deepEqual([without.behavior, without.confinement?.level], ["ask", "none"]);
    for (
      const line of ["npm install", "git push", "curl http://h", "sudo apt install x", "sh -c 'git fetch'"]
    ) {
      const net = await bash(line, { mode: "auto", sandbox: true });
      const level = line.startsWith("sudo") ? "none" : "guarded";
      assert.deepEqual([net.behavior, net.confinement?.level], ["ask", level], line);
    }
    for (const mode of ["plan", "ask", "accept-edits", "yolo"] as const) {
      const level = mode === "plan" ? "closed" : "guarded";
      assert.equal((await bash("ls", { mode, sandbox: true })).confinement?.level, level, mode);
    }
  });
});

Deno.test("an allow rule lets a covered command run in ask and accept-edits but not in plan", async () => {
  const allow = ["Bash(npm test)", "Bash(git commit *)", "Bash(npm run:*)"];
  await inPlace(async ({ bash }) => {
    const lines = [
      "npm test",
      "git commit -m 'a b'",
      "git commit -m \"$(cat <<'EOF'\nFix\nEOF\n)\"",
      "npm run x - <<'EOF'\nrm -rf y\nEOF",
      "npm run x > /dev/null - <<-EOF | tail -5\n\ty\n\tEOF",
      "npm run build && npm test",
      "timeout 60 npm test",
      "time nice -n 5 npm test",
      "LC_ALL=C npm test",
      "cd src && npm test",
      "npm test 2>&1 | tail -5",
      "npm test > /dev/null",
      "for i in 1 2; do npm test; done",
      "git status; npm run x",
    ];
    for (const line of lines) {
      assert.equal((await bash(line, { mode: "ask", allow })).behavior, "allow", line);
      assert.equal((await bash(line, { mode: "plan", allow })).behavior, "deny", line);
    }
  });
});

Deno.test("an allow rule covers nothing but what it names", async () => {
  const allow = [
    "Bash(git *)",
    "Bash(npm test)",
    "Bash(echo *)",
    "Bash(ls *)",
    "Bash(find *)",
    "Bash(watch *)",
  ];
  const lines = [
    "git status && make",
    "npm test; make",
    "npm test x",
    "'npm test'",
    'npm "test x"',
    "echo $(make)",
    "echo `make`",
    "echo <(make)",
    "PATH=/x npm test",
    "LD_PRELOAD=x git push",
    "GIT_SSH_COMMAND=x git push",
    "FOO=1 npm test",
    "env npm test",
    "sudo npm test",
    "sh -c 'npm test'",
    "xargs -n1 npm test",
    "/usr/bin/npm test",
    "./npm test",
    "$X test",
    "npm $X",
    "echo x > out.txt",
    "echo x > ../out.txt",
    "echo x > ~/out.txt",
    "echo x > $X",
    "echo x > *.txt",
    "lsof",
    "find . -exec make {} \\;",
    "find . -name x -delete",
    "watch ls",
    "echo ${x@P}",
    "x='a[$(make)]'; echo $((x))",
    "IFS=x; npm test",
    "f() { make; }; npm test; f",
    "npm() { make; }; npm test",
    "npm test\u200b",
    "npm test &\nmake",
    "echo <<EOF\n$(make)\nEOF",
    "cd .. && git push",
    "git push < ../x",
    "npm test | sh",
    "time -f x npm test",
    "timeout --weird 5 npm test",
  ];
  await inPlace(async ({ bash }) => {
    const allowed: string[] = [];
    for (const line of lines) {
      if ((await bash(line, { mode: "ask", allow })).behavior === "allow") allowed.push(line);
    }
    assert.deepEqual(allowed, []);
  });
});

Deno.test("a redirect is a write of its file, by mode and by Edit rules", async () => {
  await inPlace(async ({ bash }) => {
    const line = "npm test > out.txt";
    assert.equal((await bash(line, { mode: "accept-edits", allow: ["Bash(npm test)"] })).behavior, "allow");
    assert.equal((await bash(line, { mode: "ask", allow: ["Bash(npm test)"] })).behavior, "ask");
    assert.equal(
      (await bash(line, { mode: "ask", allow: ["Bash(npm test)", "Edit(out.txt)"] })).behavior,
      "allow",
    );
    assert.equal(
      (await bash("npm test > /dev/null 2>&1", { mode: "ask", allow: ["Bash(npm test)"] })).behavior,
      "allow",
    );
    const denied = { mode: "yolo" as const, deny: ["Edit(*.txt)"] };
    for (
      const write of [
        "ls > out.txt",
        "ls 2>> src/x.txt",
        "ls &> out.txt",
        "tee out.txt",
        "rm out.txt",
        "sed -i s/a/b/ out.txt",
      ]
    ) {
      assert.equal((await bash(write, denied)).behavior, "deny", write);
    }
    assert.equal((await bash("cat out.txt", denied)).behavior, "allow");
  });
});

Deno.test("deny comes before ask, ask before allow, whatever is more specific", async () => {
  await inPlace(async ({ bash }) => {
    const all = { allow: ["Bash(git push origin main)"], ask: ["Bash(git push *)"] };
    assert.equal((await bash("git push origin main", all)).behavior, "ask");
    assert.equal((await bash("git push origin main", { ...all, mode: "yolo" })).behavior, "ask");
    assert.equal((await bash("git push origin main", { ...all, deny: ["Bash(git *)"] })).behavior, "deny");
    const verdict = await bash("ls && git push origin main", { ...all, deny: ["Bash(git push:*)"] });
    assert.match(verdict.rule ?? "", /^Bash\(git push:\*\) \(user\)$/);
  });
});

Deno.test("a bare rule, Tool(*) and every alias mean the whole tool", async () => {
  await inPlace(async ({ bash, call }) => {
    for (const rule of ["Bash", "Bash(*)", "bash", "run_shell", "B*", "run_shell(ls *)"]) {
      assert.equal((await bash("ls", { mode: "yolo", deny: [rule] })).behavior, "deny", rule);
    }
    assert.equal((await bash("make", { allow: ["Bash"] })).behavior, "allow");
    assert.equal(
      (await call({ ...BASH, name: "run", aliases: ["Bash"] }, { command: "make" }, { allow: ["Bash"] }))
        .behavior,
      "allow",
    );
  });
});

Deno.test("hosts are matched by label and without regard to case", async () => {
  const fetchWith = async (place: Place, url: string, options: PolicyOptions) =>
    (await place.call(FETCH, { url }, options)).behavior;
  await inPlace(async (place) => {
    const allow = [
      "WebFetch(domain:docs.example.com)",
      "WebFetch(domain:*.wiki.org)",
      "WebFetch(domain:a*.b.net)",
    ];
    for (
      const url of [
        "https://docs.example.com/x",
        "http://DOCS.Example.com.:80/",
        "https://x.y.wiki.org/",
        "https://ax.b.net",
      ]
    ) {
      assert.equal(await fetchWith(place, url, { allow }), "allow", url);
    }
    for (
      const url of [
        "https://example.com",
        "https://docs.example.com.evil.net/",
        "https://evil.net/docs.example.com",
        "https://docs.example.com@evil.net/",
        "https://wiki.org",
        "https://ax.y.b.net",
        "https://evilwiki.org",
        "docs.example.com",
        "",
      ]
    ) assert.equal(await fetchWith(place, url, { allow }), "ask", url);
    assert.equal(
      await fetchWith(place, "https://x.evil.net", { mode: "yolo", deny: ["WebFetch(domain:*.EVIL.net)"] }),
      "deny",
    );
  });
});

Deno.test("MCP servers and tools, sub-agents and parameters can be ruled", async () => {
  const mcp = {
    name: "mcp__git__push",
    aliases: [],
    effect: "net" as const,
    subject: { kind: "none" as const },
  };
  const agent = {
    name: "Agent",
    aliases: ["Task"],
    effect: "none" as const,
    subject: { kind: "none" as const },
  };
  await inPlace(async ({ call, bash }) => {
    for (const rule of ["mcp__git", "mcp__git__*", "mcp__git__push", "mcp__*", "*"]) {
      assert.equal((await call(mcp, {}, { mode: "yolo", deny: [rule] })).behavior, "deny", rule);
    }
    for (const rule of ["mcp__gi", "mcp__git__pull", "mcp__github__*"]) {
      assert.equal((await call(mcp, {}, { mode: "yolo", deny: [rule] })).behavior, "allow", rule);
    }
    assert.equal((await call(mcp, {}, { allow: ["mcp__git__*"] })).behavior, "allow");
    assert.equal((await call(mcp, {}, { allow: ["mcp__*"] })).behavior, "ask");
    assert.equal(
      (await call(agent, { subagent_type: "explore" }, { deny: ["Agent(explore)"] })).behavior,
      "deny",
    );
    assert.equal(
      (await call(agent, { subagent_type: "plan" }, { deny: ["Task(explore)"] })).behavior,
      "allow",
    );
    assert.equal((await call(agent, { model: "big" }, { ask: ["Agent(model:big)"] })).behavior, "ask");
    const background = { command: "ls", run_in_background: true };
    assert.equal((await call(BASH, background, { deny: ["Bash(run_in_background:true)"] })).behavior, "deny");
    assert.equal((await bash("ls", { deny: ["Bash(run_in_background:true)"] })).behavior, "allow");
  });
});

Deno.test("always allow is suggested for a program with its subcommand, never for what runs anything", async () => {
  await inPlace(async ({ bash, call, outside }) => {
    assert.deepEqual((await bash("git commit -m x", {})).suggestions, ["Bash(git commit *)"]);
    assert.deepEqual((await bash("git status && npm test", {})).suggestions, ["Bash(npm test *)"]);
    assert.deepEqual((await bash("make", {})).suggestions, ["Bash(make)"]);
    for (
      const line of [
        "python3 x.py",
        "sudo make",
        "sh -c x",
        "env X=1 make",
        "xargs make",
        "$X y",
        "rm -rf dist",
        "npm exec tsc",
        "cargo run --bin x",
        "git rebase -x make main",
        "git config core.pager less",
        "python3.12 x.py",
        "/usr/bin/node x.js",
        "npm test && python3 x.py",
      ]
    ) {
      assert.deepEqual((await bash(line, {})).suggestions, [], line);
    }
    for (
      const [line, rules] of [
        ["npm run build -- --watch", ["Bash(npm run build *)"]],
        ["npm test; git commit -m x && make all", [
          "Bash(npm test *)",
          "Bash(git commit *)",
          "Bash(make all)",
        ]],
      ] as const
    ) {
      assert.deepEqual((await bash(line, {})).suggestions, rules, line);
    }
    assert.deepEqual((await call(EDIT, { path: "src/a.ts" }, {})).suggestions, ["Edit(./src/a.ts)"]);
    assert.deepEqual((await call(WRITE, { path: `${outside}/x` }, {})).suggestions, [`Edit(/${outside}/x)`]);
    assert.deepEqual((await call(FETCH, { url: "https://h.example/x" }, {})).suggestions, [
      "WebFetch(domain:h.example)",
    ]);
    assert.deepEqual((await bash("ls", {})).suggestions, []);
  });
});

Deno.test("a suggestion, once written, allows the call it was made for", async () => {
  await inPlace(async ({ bash, call, outside, dir, home }) => {
    for (const line of ["git commit -m x", "npm test && npm run build", "make"]) {
      const { suggestions } = await bash(line, {});
      assert.equal((await bash(line, { allow: suggestions })).behavior, "allow", line);
    }
    for (const [tool, access] of [[EDIT, "Edit"], [READ, "Read"]] as const) {
      const { folder_suggestions: folder = [] } = await call(tool, { path: `${outside}/x` }, {});
      assert.deepEqual(folder, [`${access}(/${outside}/**)`]);
      const behaviors = [`${outside}/x`, `${outside}/deep/y`, `${dir}/z`].map(async (path) =>
        (await call(tool, { path }, { allow: folder })).behavior
      );
      assert.deepEqual(await Promise.all(behaviors), ["allow", "allow", "ask"]);
    }
    for (const path of ["/etc/hosts", `${home}/x`, `${home}/.ssh/id`, "/x", "src/new.ts"]) {
      assert.equal((await call(EDIT, { path }, {})).folder_suggestions, undefined, path);
    }
    for (const path of ["src/new.ts", `${outside}/x`, "a b.txt"]) {
      const { suggestions } = await call(EDIT, { path }, {});
      assert.equal((await call(EDIT, { path }, { allow: suggestions })).behavior, "allow", path);
    }
  });
});
