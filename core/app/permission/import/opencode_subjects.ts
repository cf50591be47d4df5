import type { ImportOutcome, ListRule } from "../../../cli/mod.ts";
import type { OrderedRule } from "./ordered_rules.ts";
import { allowingFolder, allowingPath, commandSpecifier, expandHome, refusingPath } from "./rule_texts.ts";

/** What one rule of another agent becomes for one kind of call. */
export interface SubjectRules {
  rules: ListRule[];
  outcome: ImportOutcome;
  note?: string;
}

/** A kind of call of opencode. */
export interface OpencodeSubject {
  /** The mode asks by itself for what no rule names. */
  mode_asks: boolean;
  translate(rule: OrderedRule, home: string): SubjectRules;
}

/** The kinds of calls that have a counterpart here, by opencode's names. */
export const OPENCODE_SUBJECTS: Readonly<Record<string, OpencodeSubject>> = {
  bash: { mode_asks: true, translate: bash },
  read: { mode_asks: false, translate: reading("Read") },
  list: { mode_asks: false, translate: reading("Read") },
  glob: { mode_asks: false, translate: searching("Glob") },
  grep: { mode_asks: false, translate: searching("Grep") },
  edit: { mode_asks: true, translate: edit },
  webfetch: { mode_asks: true, translate: webfetch },
  websearch: { mode_asks: true, translate: named("WebSearch", false) },
  codesearch: { mode_asks: true, translate: named("WebSearch", false) },
  task: { mode_asks: true, translate: named("Agent", true) },
  skill: { mode_asks: true, translate: named("Skill", true) },
  external_directory: { mode_asks: true, translate: outside },
};

/** What opencode asks about and nothing here does, with why. */
export const NO_SUBJECT: Readonly<Record<string, string>> = {
  doom_loop: "a call repeated without end is stopped by the run's own limits",
  lsp: "there is no such tool here",
  todoread: "there is no such tool here",
  todowrite: "there is no such tool here",
  question: "a question to the person needs no permission here",
  plan_enter: "modes are changed by the person alone",
  plan_exit: "modes are changed by the person alone",
};

function bash({ pattern, action }: OrderedRule, home: string): SubjectRules {
  const expanded = expandHome(pattern, home);
  const specifier = commandSpecifier(expanded, action);
  if (specifier === undefined) {
    return action === "allow"
      ? {
        rules: [],
        outcome: "not taken",
        note: "quotes, ?, odd blanks or line ends: no allow rule here is as narrow, so it asks",
      }
      : {
        rules: [{ list: action, rule: "Bash" }],
        outcome: "stricter",
        note: "it can match no command there",
      };
  }
  const rules = [{ list: action, rule: ruleText("Bash", specifier) }];
  return specifier === expanded || specifier === `${expanded}*`
    ? { rules, outcome: "same" }
    : { rules, outcome: "stricter", note: "the rule matches more commands here" };
}

function reading(tool: string): OpencodeSubject["translate"] {
  return ({ pattern, action }, home) => {
    if (action === "allow") return { rules: [], outcome: "same", note: "every mode reads in the workspace" };
    const path = refusingPath(pattern, home);
    return { rules: [{ list: action, rule: ruleText(tool, path) }], ...likePath(pattern, path) };
  };
}

function edit({ pattern, action }: OrderedRule, home: string): SubjectRules {
  if (action !== "allow") {
    const path = refusingPath(pattern, home);
    return { rules: [{ list: action, rule: ruleText("Edit", path) }], ...likePath(pattern, path) };
  }
  const path = allowingPath(pattern);
  return path === undefined
    ? {
      rules: [],
      outcome: "not taken",
      note: "an allow rule here would hold for more than these paths; name a folder: dir/**",
    }
    : { rules: [{ list: "allow", rule: `Edit(${path})` }], outcome: "same" };
}

/** A refusing rule on paths holds at any depth here, and for commands that touch the path. */
function likePath(pattern: string, path: string): { outcome: ImportOutcome; note?: string } {
  if (path === "*" && /^\*{1,2}$/.test(pattern)) return { outcome: "same" };
  return { outcome: "stricter", note: "it holds at any depth, for what lies below, and for commands too" };
}

function searching(tool: string): OpencodeSubject["translate"] {
  return ({ pattern, action }) => {
    if (action === "allow") {
      return { rules: [], outcome: "same", note: "every mode searches in the workspace" };
    }
    const rules = [{ list: action, rule: tool }];
    return /^\*{1,2}$/.test(pattern)
      ? { rules, outcome: "same" }
      : { rules, outcome: "stricter", note: `it holds for every use of ${tool}, whatever is searched for` };
  };
}

function webfetch({ pattern, action }: OrderedRule): SubjectRules {
  if (/^\*{1,2}$/.test(pattern)) return { rules: [{ list: action, rule: "WebFetch" }], outcome: "same" };
  if (action === "allow") {
    return {
      rules: [],
      outcome: "not taken",
      note: "rules here name hosts, not addresses: write WebFetch(domain:host) if the whole host is meant",
    };
  }
  // a * in the host could stand for the end of another one
  const host = /^https?:\/\/([a-z0-9.-]+)(?::\d+)?(?:\/.*)?$/i.exec(pattern)?.[1];
  return host !== undefined
    ? {
      rules: [{ list: action, rule: `WebFetch(domain:${host})` }],
      outcome: "stricter",
      note: "it holds for the whole host",
    }
    : {
      rules: [{ list: action, rule: "WebFetch" }],
      outcome: "stricter",
      note: "rules here name hosts, and this pattern names no single one: it holds for every address",
    };
}

function named(tool: string, by_name: boolean): OpencodeSubject["translate"] {
  return ({ pattern, action }) => {
    if (/^\*{1,2}$/.test(pattern)) return { rules: [{ list: action, rule: tool }], outcome: "same" };
    if (by_name && /^[\w.*-]+$/.test(pattern)) {
      return { rules: [{ list: action, rule: `${tool}(${pattern})` }], outcome: "same" };
    }
    if (action === "allow") {
      return { rules: [], outcome: "not taken", note: `no rule on ${tool} is as narrow` };
    }
    return {
      rules: [{ list: action, rule: tool }],
      outcome: "stricter",
      note: `it holds for every use of ${tool}`,
    };
  };
}

function outside({ pattern, action }: OrderedRule, home: string): SubjectRules {
  const all = /^\*{1,2}$/.test(pattern);
  if (action === "allow") {
    const folder = allowingFolder(pattern, home);
    return folder === undefined
      ? { rules: [], outcome: "not taken", note: "name a folder by its whole path: ~/dir/**" }
      : {
        rules: [{ list: "allow", rule: `Read(${folder})` }],
        outcome: "stricter",
        note: "it allows reading; writing there asks",
      };
  }
  if (all) {
    return action === "ask"
      ? { rules: [], outcome: "mode", note: "outside the workspace every mode but yolo asks or refuses" }
      : {
        rules: [],
        outcome: "looser",
        note:
          "no rule can refuse all that is outside: modes ask there (plan refuses); see --lockdown workspace",
      };
  }
  const path = refusingPath(pattern, home);
  return {
    rules: [{ list: action, rule: `Read(${path})` }, { list: action, rule: `Edit(${path})` }],
    outcome: "stricter",
    note: "it holds for reading, writing and commands",
  };
}

function ruleText(tool: string, specifier: string): string {
  return /^\*+$/.test(specifier) ? tool : `${tool}(${specifier})`;
}
