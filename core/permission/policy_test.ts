import assert from "node:assert/strict";
import { LuminaError } from "../base/mod.ts";
import { buildPolicy } from "./policy.ts";
import type { RuleLayer } from "./policy.ts";

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
  assert.deepEqual(policy.ask.map(({ text }) => text), ["Bash(git push *)"]);
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

Deno.test("a policy is plain data", () => {
  const { policy } = buildPolicy({
    ...BASE,
    layers: [layer("user", { allow: ["Bash(ls *)"], deny: ["Read(.env)"] })],
  });
  assert.deepEqual(JSON.parse(JSON.stringify(policy)), policy);
});

Deno.test("a broken rule of the user is an error, not a gap", () => {
  assert.throws(() => buildPolicy({ ...BASE, layers: [layer("user", { deny: ["Bash(rm"] })] }), LuminaError);
});
