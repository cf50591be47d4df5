import type { ImportEntry, ListRule } from "../../../cli/mod.ts";
import { readRuleCalls } from "./codex_rules_file.ts";
import type { RuleCall, StarlarkValue } from "./codex_rules_file.ts";
import { brokenFile } from "./json_rule_file.ts";

/** Rules that one pattern with alternatives may become. */
const MOST_RULES = 200;

const LISTS: Readonly<Record<string, ListRule["list"]>> = {
  allow: "allow",
  prompt: "ask",
  forbidden: "deny",
};

/**
 * Translates a `.rules` file of Codex. There the strictest rule that matches wins, as here; a prefix of words becomes a
 * pattern that ends in ` *`. Throws `permission.import` with file and line for what Codex would not take either.
 */
export function translateCodexRules(text: string, file: string): ImportEntry[] {
  return readRuleCalls(text, file).map((call) => {
    switch (call.name) {
      case "prefix_rule":
        return prefixRule(call, file);
      case "network_rule":
        return networkRule(call, file);
      case "host_executable":
        return {
          source: `host_executable ${wordOf(call, "name", file)}`,
          line: call.line,
          outcome: "not taken",
          rules: [],
          note:
            "rules here are about the name as it is written; a program named by its path needs a rule of its own",
        };
      default:
        throw brokenFile(
          file,
          call.line,
          `there is no rule ${call.name}: known are prefix_rule, network_rule, host_executable`,
        );
    }
  });
}

function prefixRule(call: RuleCall, file: string): ImportEntry {
  const unknown = unknownArgs(call, ["pattern", "decision", "match", "not_match", "justification"]);
  const decision = call.args.has("decision") ? wordOf(call, "decision", file) : "allow";
  const list = LISTS[decision];
  if (list === undefined) {
    throw brokenFile(
      file,
      call.line,
      `decision ${JSON.stringify(decision)} is none of allow, prompt, forbidden`,
    );
  }
  const pattern = call.args.get("pattern") ?? call.args.get("0");
  if (!Array.isArray(pattern) || pattern.length === 0) {
    throw brokenFile(file, call.line, 'a prefix_rule needs a pattern, a list such as ["git", "push"]');
  }
  const choices = pattern.map((part) => alternatives(part, call, file));
  const source = `prefix_rule ${JSON.stringify(pattern)} ${decision}`;
  const entry = { source, line: call.line };
  const lines = spelled(choices, list);
  if (lines === undefined) {
    return {
      ...entry,
      outcome: "not taken",
      rules: [],
      note:
        "a word with quotes, * or nothing in it, or too many alternatives: no allow rule here is as narrow",
    };
  }
  const rules = lines.texts.map((line) => ({ list, rule: line === "" ? "Bash" : `Bash(${line} *)` }));
  const notes = [
    ...(lines.wider ? ["it matches more commands here"] : []),
    ...(list === "allow"
      ? ["it runs as any command that is allowed here, not outside of every sandbox"]
      : []),
    ...unknown,
  ];
  return {
    ...entry,
    outcome: lines.wider ? "stricter" : "same",
    rules,
    ...(notes.length === 0 ? {} : { note: notes.join("; ") }),
  };
}

/** Every way to spell a prefix as the beginning of a rule; refusing rules may be wider, allowing ones never. */
function spelled(
  choices: readonly string[][],
  list: ListRule["list"],
): { texts: string[]; wider: boolean } | undefined {
  let texts: string[] = [""];
  let wider = false;
  for (const words of choices) {
    const spellings = words.map((word) => spellWord(word));
    const rough = spellings.some((spelling) => !spelling.exact);
    if (texts.length * words.length > MOST_RULES || rough) {
      if (list === "allow") return undefined;
      wider = true;
      // what comes after a word that cannot be written is left open
      if (!rough || spellings.some(({ text }) => text === "")) break;
    }
    texts = texts.flatMap((text) => spellings.map((spelling) => `${text} ${spelling.text}`.trim()));
  }
  return { texts: [...new Set(texts)], wider };
}

function spellWord(word: string): { text: string; exact: boolean } {
  if (/^[^\s"'`\\*\0]+$/.test(word)) return { text: word, exact: true };
  if (/^[^"'`\\*\0\n\r\t]+$/.test(word)) return { text: `'${word}'`, exact: true };
  return { text: word.replace(/[\s"'`\\*\0]+/g, "*"), exact: false };
}

function alternatives(part: StarlarkValue, call: RuleCall, file: string): string[] {
  const words = typeof part === "string" ? [part] : part;
  if (Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === "string")) {
    return words;
  }
  throw brokenFile(file, call.line, "each part of a pattern is a text or a list of texts");
}

function networkRule(call: RuleCall, file: string): ImportEntry {
  const host = wordOf(call, "host", file);
  const decision = wordOf(call, "decision", file);
  const list = decision === "deny" ? "deny" : LISTS[decision];
  if (list === undefined) {
    throw brokenFile(file, call.line, `decision ${JSON.stringify(decision)} is none of allow, prompt, deny`);
  }
  const entry = { source: `network_rule ${host} ${decision}`, line: call.line };
  if (list === "allow") {
    return {
      ...entry,
      outcome: "not taken",
      rules: [],
      note: "hosts that commands may reach in the sandbox are the setting sandbox.allowed_domains",
    };
  }
  const plain = /^(\*\.)?[a-z0-9.-]+$/i.test(host);
  return {
    ...entry,
    outcome: plain ? "same" : "stricter",
    rules: [{ list, rule: plain ? `WebFetch(domain:${host})` : "WebFetch" }],
    note: `${plain ? "" : "rules here name hosts: it holds for every address; "}` +
      "commands in the sandbox reach no host that sandbox.allowed_domains does not name",
  };
}

function wordOf(call: RuleCall, name: string, file: string): string {
  const at =
    { host: "0", protocol: "1", decision: call.name === "network_rule" ? "2" : "1", name: "0" }[name];
  const value = call.args.get(name) ?? (at === undefined ? undefined : call.args.get(at));
  if (typeof value === "string" && value !== "") return value;
  throw brokenFile(file, call.line, `a ${call.name} needs ${name}, a text`);
}

function unknownArgs(call: RuleCall, known: readonly string[]): string[] {
  const names = [...call.args.keys()].filter((name) => !known.includes(name) && !/^\d+$/.test(name));
  return names.length === 0 ? [] : [`unknown: ${names.join(", ")}`];
}
