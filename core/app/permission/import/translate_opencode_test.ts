import assert from "node:assert/strict";
import fc from "fast-check";
import type { ImportEntry } from "../../../cli/mod.ts";
import { buildPolicy, judge, parseRule, SHELL_TOOL } from "../../../permission/mod.ts";
import type { ToolFacts } from "../../../permission/mod.ts";
import type { Behavior, JsonObject, PermissionMode } from "../../../types/mod.ts";
import { readJsonRules } from "./json_rule_file.ts";
import { translateOpencode } from "./translate_opencode.ts";

const HOME = "/home/u";
const WORKSPACE = "/work/space";

async function translated(config: JsonObject): Promise<ImportEntry[]> {
  return translateOpencode(await readJsonRules(JSON.stringify(config, null, 2), "opencode.json"), HOME);
}

function rulesOf(entries: readonly ImportEntry[]): string[] {
  return entries.flatMap(({ rules }) => rules.map(({ list, rule }) => `${list} ${rule}`));
}

function find(entries: readonly ImportEntry[], source: string): ImportEntry {
  const entry = entries.find((each) => each.source === source);
  assert.ok(entry !== undefined, `${source} in ${entries.map((each) => each.source).join(", ")}`);
  return entry;
}

/** The order of opencode in its own words: the last rule whose patterns match wins, no rule asks. */
function reference(config: Record<string, unknown>, permission: string, subject: string): Behavior {
  const matches = (text: string, pattern: string) => {
    const body = pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".");
    return new RegExp(`^${body.endsWith(" .*") ? `${body.slice(0, -3)}( .*)?` : body}$`, "s").test(text);
  };
  let said: Behavior = "ask";
  for (const [key, value] of Object.entries(config)) {
    if (!matches(permission, key)) continue;
    const rules = typeof value === "string" ? { "*": value } : value as Record<string, string>;
    for (const [pattern, action] of Object.entries(rules)) {
      if (matches(subject, pattern.replace(/^~(?=\/|$)|^\$HOME/, HOME))) said = action as Behavior;
    }
  }
  return said;
}

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

const EDIT = {
  name: "Edit",
  aliases: [],
  effect: "write" as const,
  subject: { kind: "path" as const, param: "file_path" },
};

async function ours(
  entries: readonly ImportEntry[],
  mode: PermissionMode,
  subject: string,
  tool: ToolFacts = SHELL_TOOL,
): Promise<Behavior> {
  const lists = { allow: [] as string[], ask: [] as string[], deny: [] as string[] };
  for (const { list, rule } of entries.flatMap(({ rules }) => rules)) {
    parseRule(rule, { origin: "user", base_dir: "/etc/none" });
    lists[list].push(rule);
  }
  const { policy } = buildPolicy({
    mode,
    layers: [{ source: { origin: "user", base_dir: "/etc/none" }, ...lists }],
    workspace: WORKSPACE,
    home: HOME,
    folds_case: false,
  });
  const input = tool === SHELL_TOOL ? { command: subject } : { file_path: subject };
  return (await judge({ tool, input }, policy)).behavior;
}

Deno.test("a command that our rules allow, random opencode rules allow too, and what they deny we deny", async () => {
  const word = fc.constantFrom("frob", "frobnic", "push", "pull", "x", "--force", "job", "job:unit", "a.b");
  const command = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(" "));
  const piece = fc.oneof(
    word,
    fc.constantFrom("*", "?", "fr*", "pus?", "p*l", "**", "job:*", "'x y'", '"*"'),
  );
  const pattern = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(" "));
  const action = fc.constantFrom("allow", "ask", "deny");
  const rules = fc.array(
    fc.tuple(fc.oneof({ weight: 4, arbitrary: pattern }, { weight: 1, arbitrary: fc.constant("*") }), action),
    {
      maxLength: 6,
    },
  ).map((pairs) => Object.fromEntries(pairs));
  const config = fc.tuple(fc.option(action, { nil: undefined }), rules, fc.boolean()).map(
    ([all, bash, first]) => {
      const every = all === undefined ? {} : { "*": all };
      return first ? { ...every, bash } : { bash, ...every };
    },
  );
  await fc.assert(
    fc.asyncProperty(
      config,
      fc.array(command, { minLength: 3, maxLength: 3 }),
      async (permission, commands) => {
        const entries = await translated({ permission } as JsonObject);
        for (const line of commands) {
          const theirs = reference(permission, "bash", line);
          const mine = await ours(entries, "ask", line);
          assert.ok(
            STRICTNESS[mine] >= STRICTNESS[theirs],
            `${line}: ${mine} here, ${theirs} there, by ${rulesOf(entries).join(", ")}`,
          );
          if (theirs === "deny") assert.equal(await ours(entries, "yolo", line), "deny", line);
        }
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("a file that our rules let be changed, random opencode rules let too", async () => {
  const name = fc.constantFrom("src", "docs", "a.ts", "b.gen.ts", "x", "[y]");
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
  const piece = fc.oneof(name, fc.constantFrom("*", "**", "*.ts", "s*", "*c", "?", "d?cs", "*r*"));
  const pattern = fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join("/"));
  const rules = fc.array(fc.tuple(pattern, fc.constantFrom("allow", "ask", "deny")), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(rules, fc.array(path, { minLength: 4, maxLength: 4 }), async (pairs, paths) => {
      const permission = { edit: Object.fromEntries(pairs) };
      const entries = await translated({ permission });
      for (const each of paths) {
        const theirs = reference(permission, "edit", each);
        const mine = await ours(entries, "ask", each, EDIT);
        const words = `${each}: ${mine} here, ${theirs} there, by ${rulesOf(entries).join(", ")}`;
        assert.ok(STRICTNESS[mine] >= STRICTNESS[theirs], words);
        if (theirs === "deny") assert.equal(await ours(entries, "yolo", each, EDIT), "deny", words);
      }
    }),
    { numRuns: 200 },
  );
});

Deno.test("the usual file keeps its meaning: asks first, then allows, then refuses", async () => {
  const entries = await translated({
    permission: { bash: { "*": "ask", "git *": "allow", "git push *": "deny", "git push origin *": "ask" } },
  });
  assert.deepEqual(rulesOf(entries).filter((rule) => rule.includes("Bash")), [
    "allow Bash(git *)",
    "deny Bash(git push *)",
    "ask Bash(git push origin *)",
  ]);
  assert.equal(find(entries, 'bash "*": ask').outcome, "mode");
  const refusal = find(entries, 'bash "git push *": deny');
  assert.equal(refusal.outcome, "stricter");
  assert.match(refusal.note ?? "", /wins here over "bash "git push origin \*": ask"/);
  assert.equal(refusal.line, 6);
  assert.equal(await ours(entries, "ask", "git push origin x"), "deny");
  assert.equal(await ours(entries, "ask", "git commit"), "allow");
  // `:*` at the end means a blank here
  const scripts = await translated({ permission: { bash: { "npm run test:*": "allow" } } });
  assert.equal(await ours(scripts, "ask", "npm run test:unit"), "allow");
  assert.equal(await ours(scripts, "ask", "npm run test x"), "ask");
});

Deno.test("an allowing rule behind a refusal of everything is told to be lost, and a rule that never holds too", async () => {
  const entries = await translated({
    permission: { bash: { "rm *": "allow", "*": "deny", "git status": "allow" }, webfetch: "deny" },
  });
  assert.deepEqual(rulesOf(entries).filter((rule) => !rule.includes(".env")), ["deny Bash", "deny WebFetch"]);
  assert.match(find(entries, 'bash "rm *": allow').note ?? "", /never holds/);
  assert.match(find(entries, 'bash "git status": allow').note ?? "", /deny goes before ask/);
});

Deno.test("paths: refusals hold at any depth, an allowed folder is one below the workspace", async () => {
  const entries = await translated({
    permission: {
      edit: { "*": "ask", "docs/*": "allow", "*.mdx": "allow", "src/*.gen.ts": "deny", "~/keys/*": "deny" },
      read: { "*.pem": "deny", "*": "allow" },
      external_directory: { "~/shared/**": "allow", "*": "deny" },
      list: "allow",
    },
  });
  assert.deepEqual(rulesOf(entries), [
    "allow Edit(./docs/**)",
    "deny Edit(//**/src/**/*.gen.ts)",
    "deny Edit(//home/u/keys/**)",
  ]);
  assert.equal(find(entries, 'edit "*.mdx": allow').outcome, "not taken");
  assert.match(find(entries, 'read "*.pem": deny').note ?? "", /never holds: "read "\*": allow"/);
  assert.equal(find(entries, 'external_directory "*": deny').outcome, "looser");
});

Deno.test("opencode's own refusals of .env come along where the file says nothing else", async () => {
  const entries = await translated({ permission: { bash: "ask" } });
  assert.deepEqual(rulesOf(entries), ["deny Read(//**/*.env)", "deny Read(//**/*.env.*)", "ask Bash"]);
});

Deno.test("where versions disagree about the order of keys the stricter order is taken", async () => {
  const entries = await translated({ permission: { bash: { "git *": "allow" }, "*": "deny" } });
  assert.ok(rulesOf(entries).includes("deny Bash"));
  assert.ok(!rulesOf(entries).some((rule) => rule.startsWith("allow")));
  assert.match(find(entries, '* "*": deny').note ?? "", /versions of opencode disagree/);
});

Deno.test("the newer form, the older switches and the agent that one talks to are read; other agents are told", async () => {
  const entries = await translated({
    $schema: "https://opencode.ai/config.json",
    tools: { webfetch: false, todowrite: false },
    permissions: [
      { action: "shell", resource: "*", effect: "ask" },
      { action: "shell", resource: "npm test", effect: "allow" },
      { action: "shell", resource: "npm *" },
    ],
    agent: {
      build: { permission: { bash: { "npm test": "deny" } } },
      review: { permission: { edit: "deny" } },
      plan: { permission: { edit: "deny" } },
    },
    theme: "dark",
    permission: {
      "github_*": "deny",
      "weather": "allow",
      "skill": { "internal-*": "deny" },
      doom_loop: "ask",
    },
  });
  const rules = rulesOf(entries);
  assert.ok(rules.includes("deny WebFetch"));
  assert.ok(rules.includes("ask Bash(npm *)"));
  assert.ok(rules.includes("deny Bash(npm test)"));
  assert.ok(rules.includes("deny mcp__github**"));
  assert.ok(rules.includes("deny Skill(internal-*)"));
  assert.ok(!rules.some((rule) => rule.startsWith("allow")));
  assert.match(find(entries, 'shell "npm *": null').note ?? "", /counts as ask/);
  assert.equal(find(entries, "agent.review").outcome, "not taken");
  assert.match(find(entries, "agent.plan").note ?? "", /mode plan/);
  assert.deepEqual([find(entries, "theme").outcome, find(entries, "theme").line], ["unknown", 42]);
  assert.equal(find(entries, 'weather "*": allow').outcome, "unknown");
  assert.equal(find(entries, 'doom_loop "*": ask').outcome, "not taken");
});
