import assert from "node:assert/strict";
import { translateCodexConfig } from "./translate_codex_config.ts";
import { translateCodexRules } from "./translate_codex_rules.ts";

const PLACE = { file: "config.toml", base_dir: "/home/u/.codex", home: "/home/u" };

function rulesOf(text: string): string[] {
  return translateCodexRules(text, "default.rules").flatMap(({ rules }) =>
    rules.map(({ list, rule }) => `${list} ${rule}`)
  );
}

Deno.test("prefix rules become patterns: alternatives are written out, words with blanks keep together", () => {
  assert.deepEqual(
    rulesOf(`# mine
"""what this is for"""
prefix_rule(pattern = ["git", ["push", "fetch"]], decision = "prompt", match = [["git", "push"]], not_match = ["git status"])
prefix_rule(
    pattern = ["rm", r"-rf"],
    decision = "forbidden",
    justification = "use " + "trash",
)
prefix_rule(pattern=["ls"])
prefix_rule(pattern=["say", "two words"], decision="allow")
network_rule(host = "api.example.com", protocol = "https", decision = "deny")
network_rule("*.example.org", "https", "prompt")
`),
    [
      "ask Bash(git push *)",
      "ask Bash(git fetch *)",
      "deny Bash(rm -rf *)",
      "allow Bash(ls *)",
      "allow Bash(say 'two words' *)",
      "deny WebFetch(domain:api.example.com)",
      "ask WebFetch(domain:*.example.org)",
    ],
  );
});

Deno.test("a word that no rule can say is widened in a refusal and never allowed", () => {
  assert.deepEqual(rulesOf(`prefix_rule(pattern=["grep", "a*b", "-r"], decision="forbidden")`), [
    "deny Bash(grep a*b -r *)",
  ]);
  assert.deepEqual(rulesOf(`prefix_rule(pattern=["echo", "it's", "x"], decision="prompt")`), [
    "ask Bash(echo it*s x *)",
  ]);
  assert.deepEqual(rulesOf(`prefix_rule(pattern=["", "x"], decision="forbidden")`), ["deny Bash"]);
  const [entry] = translateCodexRules(`prefix_rule(pattern=["grep", "a*b"])`, "default.rules");
  assert.deepEqual([entry?.outcome, entry?.rules], ["not taken", []]);
  const many = JSON.stringify(Array.from({ length: 201 }, (_, index) => `w${index}`));
  assert.deepEqual(rulesOf(`prefix_rule(pattern=["x", ${many}], decision="forbidden")`), ["deny Bash(x *)"]);
});

Deno.test("anything but plain rules makes the file unreadable, with its line", () => {
  const broken = (text: string, words: RegExp) =>
    assert.throws(() => translateCodexRules(text, "d.rules"), { code: "permission.import", message: words });
  broken('\nfor x in ["a"]:\n  prefix_rule(pattern=[x])', /^d\.rules:2: "x" where no plain rule has it/);
  broken('prefix_rule(pattern=["a"],\n  decision="maybe")', /^d\.rules:1: decision "maybe" is none of/);
  broken('prefix_rule(pattern=["a")', /^d\.rules:1: "\)" where no plain rule/);
  broken('prefix_rule(pattern=["a', /^d\.rules:1: a text has no end/);
  broken("prefix_rule(pattern=[])", /needs a pattern/);
  broken('forbid("x")', /there is no rule forbid/);
  broken('prefix_rule(pattern=["a"]', /the file ends where/);
  assert.deepEqual(rulesOf(""), []);
});

Deno.test("approval and sandbox together come near a mode; folders, network, trust and unknown keys are told", async () => {
  const entries = await translateCodexConfig(
    `model = "x"
approval_policy = "never"
sandbox_mode = "workspace-write"
profile = "careful"

[sandbox_workspace_write]
writable_roots = ["~/shared", "/srv/x"]
network_access = true
exclude_slash_tmp = false
colour = "red"

[projects."/work/a"]
trust_level = "trusted"

[profiles.careful]
sandbox_mode = "read-only"
`,
    PLACE,
  );
  const told = entries.map(({ line, source, outcome }) => `${line} ${source} ${outcome}`);
  assert.deepEqual(told, [
    '2 approval_policy = "never", sandbox_mode = "read-only" mode',
    "1 model unknown",
    "4 profile same",
    '7 sandbox_workspace_write.writable_roots = ["~/shared","/srv/x"] same',
    "8 sandbox_workspace_write.network_access = true stricter",
    "9 sandbox_workspace_write.exclude_slash_tmp = false same",
    '10 sandbox_workspace_write.colour = "red" unknown',
    '12 projects."/work/a" trust_level = "trusted" not taken',
    "15 profiles.careful not taken",
  ]);
  assert.deepEqual(entries.flatMap(({ directories }) => directories ?? []), ["/home/u/shared", "/srv/x"]);
  const modes = async (text: string) => (await translateCodexConfig(text, PLACE))[0]?.mode;
  assert.equal(entries[0]?.mode, "plan");
  assert.equal(await modes('approval_policy = "untrusted"'), "ask");
  assert.equal(await modes("approval_policy = { granular = { rules = true } }"), "ask");
  assert.equal(await modes('sandbox_mode = "workspace-write"'), "auto");
  assert.equal(await modes('approval_policy = "on-request"\nsandbox_mode = "danger-full-access"'), "ask");
  assert.equal(await modes('approval_policy = "never"\nsandbox_mode = "danger-full-access"'), "yolo");
});

Deno.test("a config that is no TOML is named with its line", async () => {
  await assert.rejects(
    translateCodexConfig("a = 1\nb = = 2\n", PLACE),
    /config\.toml:2: the TOML cannot be read: /,
  );
});
