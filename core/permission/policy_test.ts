import assert from "node:assert/strict";
import { LuminaError } from "../base/mod.ts";
import { buildPolicy } from "./policy.ts";
import type { RuleLayer } from "./rule_layers.ts";

const BASE = { workspace: Deno.realPathSync("."), home: "/nonexistent_home" };
const layer = (origin: RuleLayer["source"]["origin"], rest: Omit<RuleLayer, "source">): RuleLayer => ({
  source: { origin, file: `${origin}.json`, base_dir: BASE.workspace },
  ...rest,
});

Deno.test("a repository's file may refuse and ask, never allow", () => {
  const { policy, warnings } = buildPolicy({
    ...BASE,
    layers: [
      layer("user", { allow: ["Bash(ls *)"] }),
      layer("repo", {
        allow: ["Bash"],
        ask: ["Bash(git push *)"],
        deny: ["Read(.env)", "Bash("],
        defaultMode: "yolo",
        additionalDirectories: ["/"],
      }),
    ],
  });
  assert.deepEqual(policy.allow.map(({ text }) => text), ["Bash(ls *)"]);
  assert.deepEqual(policy.ask.map(({ text }) => text), ["Bash(", "Bash(git push *)"]);
  assert.deepEqual(policy.deny.map(({ text }) => text), ["Read(.env)"]);
  assert.equal(policy.mode, "ask");
  assert.deepEqual(policy.added_dirs, []);
  assert.equal(warnings.length, 4);
  assert.ok(warnings.some((text) => text.includes("repo.json: allow Bash is ignored")));
});

Deno.test("a mode comes from the caller first, then from the first layer that names one", () => {
  const layers = [
    layer("flag", {}),
    layer("project", { defaultMode: "acceptEdits" }),
    layer("user", { defaultMode: "plan" }),
  ];
  assert.equal(buildPolicy({ ...BASE, layers }).policy.mode, "accept-edits");
  assert.equal(buildPolicy({ ...BASE, layers, mode: "auto" }).policy.mode, "auto");
  assert.throws(
    () => buildPolicy({ ...BASE, layers: [layer("user", { defaultMode: "fast" })] }),
    (error: unknown) =>
      error instanceof LuminaError && error.code === "permission.mode" &&
      /fast.*plan, ask/.test(error.message),
  );
  assert.throws(
    () =>
      buildPolicy({
        ...BASE,
        mode: "yolo",
        layers: [layer("user", { disableBypassPermissionsMode: "disable" })],
      }),
    (error: unknown) => error instanceof LuminaError && error.code === "permission.mode",
  );
});

Deno.test("an allow rule may not name tools by pattern, but those of one MCP server", () => {
  const { policy, warnings } = buildPolicy({
    ...BASE,
    layers: [layer("user", { allow: ["*", "mcp__*", "mcp__a__*", "B*"] })],
  });
  assert.deepEqual(policy.allow.map(({ text }) => text), ["mcp__a__*"]);
  assert.equal(warnings.length, 3);
});

Deno.test("a path rule on Write or Glob is taken as Edit or Read where it refuses and ignored where it allows", () => {
  const { policy, warnings } = buildPolicy({
    ...BASE,
    layers: [layer("user", { allow: ["Write(src/**)"], deny: ["Write(.env)", "Glob(secrets/**)", "Write"] })],
  });
  assert.deepEqual(policy.allow, []);
  assert.deepEqual(policy.deny.map(({ tool }) => tool), ["Edit", "Read", "Write"]);
  assert.equal(warnings.length, 3);
});

Deno.test("older names and patterns of tools rule paths like the names they stand for", () => {
  const rules = [
    "read_file(a)",
    "edit_file(b)",
    "write_file(c)",
    "grep_search(d)",
    "*(e)",
    "W*(f)",
    "read_file",
  ];
  const { policy } = buildPolicy({
    ...BASE,
    layers: [layer("user", { allow: ["read_file(x)"], deny: rules })],
  });
  assert.deepEqual(policy.allow.map(({ tool }) => tool), ["Read"]);
  const of = (family: string) => policy.deny.filter(({ tool }) => tool === family).map(({ text }) => text);
  assert.deepEqual(of("Read"), ["read_file(a)", "grep_search(d)", "*(e)", "read_file"]);
  assert.deepEqual(of("Edit"), ["edit_file(b)", "write_file(c)", "*(e)", "W*(f)"]);
});

Deno.test("a policy is plain data", () => {
  const { policy } = buildPolicy({
    ...BASE,
    layers: [layer("user", { allow: ["Bash(ls *)"], deny: ["Read(.env)"] })],
  });
  assert.deepEqual(JSON.parse(JSON.stringify(policy)), policy);
});

Deno.test("a rule that cannot be read is never absent: it asks for all it could have meant, in every scope", () => {
  for (const origin of ["managed", "local", "project", "user", "session", "repo"] as const) {
    const broken = layer(origin, {
      deny: ["Read(.env)", "Bash(rm", "Write(!x)", "((", "Bsh(x"],
      ask: ["WebFetch(example.com)"],
      allow: ["Edit(", "Read"],
      lines: { deny: [3, 4, 5, 6, 7], ask: [9], allow: [11, 12] },
    });
    const { policy, warnings, rules } = buildPolicy({
      ...BASE,
      layers: [broken],
      tools: ["Bash", "Write", "WebFetch", "Edit", "Read"],
    });
    assert.deepEqual(policy.deny.map(({ text, line }) => [text, line]), [["Read(.env)", 3]]);
    assert.deepEqual(policy.ask.map(({ tool, specifier, line }) => [tool, specifier, line]), [
      ["Bash", undefined, 4],
      ["Edit", undefined, 5],
      ["*", undefined, 6],
      ["*", undefined, 7],
      ["WebFetch", undefined, 9],
    ]);
    assert.deepEqual(policy.allow.map(({ text }) => text), origin === "repo" ? [] : ["Read"]);
    const told = (text: string) => warnings.find((line) => line.includes(text)) ?? "";
    assert.match(
      told("Bash(rm"),
      /json:4 has no closing.*; write Bash\(rm\); until then.*every call of Bash$/,
    );
    assert.match(told("WebFetch("), /:9 names no host; write WebFetch\(domain:example\.com\)/);
    assert.match(told('"(("'), /:6 .*until then it asks before every call$/);
    if (origin !== "repo") assert.match(told("Edit("), /:11 .*; until then it allows nothing$/);
    assert.equal(rules.length, 8);
    assert.equal(rules.filter(({ problem }) => problem !== undefined).length, origin === "repo" ? 7 : 6);
  }
});

Deno.test("a broken rule of the command line is an error: the one who typed it is there", () => {
  for (const list of ["deny", "allow"] as const) {
    assert.throws(
      () => buildPolicy({ ...BASE, layers: [layer("flag", { [list]: ["Bash(rm"] })] }),
      LuminaError,
    );
  }
});

Deno.test("managed settings may keep all other places from allowing anything; what refuses stays", () => {
  const { policy, warnings } = buildPolicy({
    ...BASE,
    managed_rules_only: true,
    layers: [
      layer("managed", { allow: ["Bash(ls *)"], deny: ["WebFetch"] }),
      layer("flag", { allow: ["Bash"] }),
      layer("user", { allow: ["WebFetch", "Edit"], ask: ["Bash(git *)"], deny: ["Read(.env)"] }),
    ],
  });
  assert.deepEqual(policy.allow.map(({ text }) => text), ["Bash(ls *)"]);
  assert.deepEqual(policy.ask.map(({ text }) => text), ["Bash(git *)"]);
  assert.deepEqual(policy.deny.map(({ text }) => text), ["WebFetch", "Read(.env)"]);
  assert.equal(warnings.length, 3);
});

Deno.test("any place may take mode yolo away, also the repository", () => {
  for (const origin of ["managed", "flag", "local", "project", "user", "repo"] as const) {
    const layers = [layer(origin, { disableBypassPermissionsMode: "disable" })];
    assert.throws(() => buildPolicy({ ...BASE, mode: "yolo", layers }), /yolo is disabled .*json/);
    assert.equal(buildPolicy({ ...BASE, mode: "auto", layers }).yolo_disabled_by, `${origin}.json`);
  }
});
