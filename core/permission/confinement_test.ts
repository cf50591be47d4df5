import assert from "node:assert/strict";
import type { Verdict } from "../types/mod.ts";
import { createJudge } from "./judge.ts";
import { buildPolicy } from "./policy.ts";
import type { PolicyInput } from "./policy.ts";
import { secretPlaces } from "./secret_places.ts";

const home = "/nonexistent_home";
const workspace = Deno.realPathSync(".");
const judge = createJudge();
const BASH = {
  name: "Bash",
  aliases: [],
  effect: "run" as const,
  subject: { kind: "command" as const, param: "command" },
};

async function verdict(
  command: string,
  options: Pick<PolicyInput, "mode" | "sandbox"> & { allow?: string[]; deny?: string[]; escalate?: string } =
    {},
): Promise<Verdict> {
  const { allow = [], deny = [], escalate, mode = "ask", sandbox } = options;
  const { policy } = buildPolicy({
    mode,
    layers: [{ source: { origin: "user", base_dir: workspace }, allow, deny }],
    workspace,
    home,
    protected_paths: ["/nonexistent_root"],
    sandbox: { available: true, secrets: secretPlaces({ home, os: "linux" }), ...sandbox },
  });
  const input = { command, ...(escalate === undefined ? {} : { escalate }) };
  return await judge.judge({ tool: BASH, input }, policy);
}

const secrets = async (...args: Parameters<typeof verdict>) =>
  (await verdict(...args)).confinement?.secrets.map((path) => path.replace(`${home}/`, ""));

Deno.test("a program gets its own credentials where the line was agreed to, and the question names them", async () => {
  const push = await verdict("git push origin main");
  assert.deepEqual([push.behavior, push.confinement?.level], ["ask", "guarded"]);
  assert.match(push.reason, /it reads .*~\/\.ssh/);
  for (
    const [line, place] of [
      ["git -C sub fetch", ".ssh"],
      ["ssh host ls", ".ssh"],
      ["gh pr list", ".config/gh"],
      ["aws s3 ls", ".aws"],
      ["kubectl apply -f x", ".kube"],
      ["npm install", ".npmrc"],
      ["cargo publish", ".cargo/credentials"],
      ["timeout 60 docker ps", ".docker"],
      ["timeout 60 lumina session list", "/nonexistent_root"],
      ["git add -A && git commit -m x && git push", ".ssh"],
    ] as const
  ) {
    assert.ok((await secrets(line))?.includes(place), `${line}: ${await secrets(line)}`);
    assert.ok((await secrets(line, { mode: "yolo" }))?.includes(place), line);
  }
  assert.ok((await secrets("git push", { allow: ["Bash(git push *)"] }))?.includes(".ssh"));
});

Deno.test("no other command gets them, nor a line in which one could hand them on", async () => {
  for (
    const line of [
      "make deploy",
      "npm test",
      "npm run push",
      "cargo build",
      "git status",
      "git push && node evil.js",
      "node -e 'x' ; ssh host",
      "bash -c 'git push'",
      "watch git push",
      "git push $(node evil.js)",
      "echo git push",
    ]
  ) assert.deepEqual(await secrets(line, { mode: "yolo" }), [], line);
  // closed: nobody was asked
  const auto = await verdict("git commit -m x", { mode: "auto" });
  assert.deepEqual([auto.behavior, auto.confinement], ["allow", {
    level: "closed",
    network: false,
    secrets: [],
  }]);
});

Deno.test("a path in the line, an allow rule on paths and sandbox.allow_read open a secret place", async () => {
  assert.deepEqual(await secrets("cat ~/.ssh/config"), [".ssh/config"]);
  assert.match((await verdict("cat ~/.ssh/config")).reason, /reads ~\/\.ssh\/config/);
  assert.deepEqual(await secrets("node x.js", { allow: ["Read(~/.ssh/**)"] }), [".ssh"]);
  assert.deepEqual(
    await secrets("node x.js", { allow: ["Read(~/.ssh/**)"], deny: ["Read(~/.ssh/**)"] }),
    [],
  );
  assert.deepEqual(await secrets("node x.js", { allow: ["Read"] }), []);
  assert.deepEqual(await secrets("node x.js", { sandbox: { allow_read: [`${home}/.aws`] } }), [".aws"]);
  assert.deepEqual(
    await secrets("node x.js", { mode: "auto", sandbox: { allow_read: [`${home}/.kube/a`] } }),
    [
      ".kube/a",
    ],
  );
});

Deno.test("what cannot work in a sandbox, and what the settings exclude as a whole, runs outside after the usual consent", async () => {
  const level = async (...args: Parameters<typeof verdict>) => {
    const { behavior, confinement } = await verdict(...args);
    return `${behavior} ${confinement?.level}`;
  };
  assert.equal(await level("sudo ls"), "ask none");
  assert.equal(await level("sudo ls", { mode: "auto" }), "ask none");
  assert.equal(await level("make && sudo ls", { mode: "auto", allow: ["Bash(sudo *)"] }), "ask none");
  const sandbox = { excluded: ["docker *", "make *"] };
  assert.equal(await level("make all", { sandbox }), "ask none");
  assert.equal(await level("make all", { mode: "auto", sandbox }), "ask none");
  assert.match(
    (await verdict("make all", { mode: "auto", sandbox })).reason,
    /\(sandbox\.excluded_commands\)$/,
  );
  assert.equal(await level("make all", { mode: "auto", sandbox, allow: ["Bash(make *)"] }), "allow none");
  assert.equal(await level("make all && node x.js", { mode: "auto", sandbox }), "allow closed");
  assert.equal(await level("make $(node x.js)", { sandbox }), "ask guarded");
  // one part with network takes the closed sandbox from the others
  assert.equal(
    await level("node x.js && git push", { mode: "auto", allow: ["Bash(git push *)"] }),
    "ask guarded",
  );
});

Deno.test("an escalation asks in every mode but yolo, whatever allows the command", async () => {
  const asked = async (...args: Parameters<typeof verdict>) => {
    const { behavior, confinement } = await verdict(...args);
    return [behavior, confinement?.level, confinement?.network];
  };
  const network = { escalate: "network", allow: ["Bash(make *)"] };
  assert.deepEqual(await asked("make all", { mode: "auto", ...network }), ["ask", "closed", true]);
  assert.deepEqual(await asked("make all", { mode: "ask", ...network }), ["ask", "guarded", true]);
  assert.deepEqual(await asked("make all", { mode: "yolo", escalate: "outside" }), ["allow", "none", true]);
  assert.equal((await asked("ls", { mode: "plan", escalate: "outside" }))[0], "deny");
  assert.deepEqual(
    await asked("make all", {
      mode: "auto",
      escalate: "network",
      allow: ["Bash(make *)", "Bash(escalate:network)"],
    }),
    ["allow", "closed", true],
  );
  assert.equal(
    (await asked("make all", {
      mode: "auto",
      escalate: "outside",
      allow: ["Bash(make *)", "Bash(escalate:network)"],
    }))[0],
    "ask",
  );
  assert.equal(
    (await asked("make all", { mode: "yolo", escalate: "outside", deny: ["Bash(make *)"] }))[0],
    "deny",
  );
  const off = { escalate: "network", sandbox: { allow_escalation: false } };
  assert.equal((await asked("make all", { mode: "yolo", ...off }))[0], "deny");
});

Deno.test("sandbox.fail_if_unavailable refuses what should run in a sandbox where there is none", async () => {
  const sandbox = { available: false, reason: "no bwrap", fail_if_unavailable: true };
  const refused = await verdict("ls", { mode: "yolo", sandbox });
  assert.equal(refused.behavior, "deny");
  assert.match(refused.reason, /no sandbox \(no bwrap\), and sandbox\.fail_if_unavailable refuses/);
  assert.equal((await verdict("sudo ls", { mode: "yolo", sandbox })).behavior, "allow");
  const without = { available: false };
  assert.deepEqual((await verdict("make", { mode: "yolo", sandbox: without })).confinement?.level, "none");
  assert.equal((await verdict("make", { mode: "auto", sandbox: without })).behavior, "ask");
});

Deno.test("with listed domains mode auto runs what finds its way through a proxy without asking", async () => {
  const sandbox = { some_domains: true };
  for (const line of ["npm install", "curl https://example.com", "git clone https://h/x"]) {
    const { behavior, confinement } = await verdict(line, { mode: "auto", sandbox });
    assert.deepEqual([behavior, confinement?.level, confinement?.network], ["allow", "closed", false], line);
  }
  for (const line of ["ssh host", "git push", "rsync a host:b", "exec 3<>/dev/tcp/h/1"]) {
    assert.equal((await verdict(line, { mode: "auto", sandbox })).behavior, "ask", line);
  }
});

Deno.test("secretPlaces() follows XDG folders and knows the places of a Mac", () => {
  const places = secretPlaces({ home: "/h", config_home: "/c/", data_home: "/h/.local/share", os: "darwin" });
  for (
    const place of [
      "/h/.ssh",
      "/h/.config/gh",
      "/c/gh",
      "/h/.local/share/keyrings",
      "/h/Library/Keychains",
      "/h/Library/Application Support/Google/Chrome",
    ]
  ) assert.ok(places.includes(place), place);
  assert.equal(new Set(places).size, places.length);
  assert.ok(!secretPlaces({ home: "/h", os: "linux" }).some((place) => place.includes("Library")));
});

Deno.test("git sees what lies in the workspace, and mode auto asks before it keeps what it would take for deleted", async () => {
  const place = `${home}/.npmrc`;
  const sandbox = { in_workspace: [place] };
  for (const command of ["git status", "git commit -am x", "echo x >> y; git -C . stash"]) {
    assert.ok((await secrets(command, { sandbox }))?.includes(".npmrc"), command);
  }
  assert.deepEqual(await secrets("npm test", { sandbox }), []);
  const asked = await verdict("git commit -am x", { mode: "auto", sandbox });
  assert.equal(asked.behavior, "ask");
  assert.match(asked.reason, /hides in the workspace/);
  assert.ok(asked.confinement?.secrets.includes(place));
  const looked = await verdict("git status", { mode: "auto", sandbox });
  assert.equal(looked.behavior, "allow");
  assert.deepEqual(looked.confinement?.secrets, []);
  assert.equal((await verdict("git commit -am x", { mode: "auto" })).behavior, "allow");
});
