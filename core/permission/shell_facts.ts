import { isAbsolute } from "node:path";
import { LuminaError } from "../base/mod.ts";
import { isInside } from "../files/mod.ts";
import type { PathFact, ShellFacts, ShellUnit } from "./facts.ts";
import { mayBeNamedBelow, namedByPathRule } from "./decide_path.ts";
import { isRealDirectory, leavesTree, namedBelow, pathFact } from "./path_facts.ts";
import type { Policy } from "./policy.ts";
import { expandArguments } from "./read_only/arguments.ts";
import type { Argument } from "./read_only/arguments.ts";
import { classifyCommand } from "./read_only/classify.ts";
import { PROGRAMS } from "./read_only/programs.ts";
import { isHarmlessVariable, isSafeAssignment } from "./read_only/variables.ts";
import type { Command, Line } from "./shell/command.ts";
import { findDanger, isForkBomb } from "./shell/danger.ts";
import { expandGlob } from "./shell/expand_glob.ts";
import { hiddenText } from "./shell/hidden_text.ts";
import { innerCommands } from "./shell/inner_commands.ts";
import { isKeyword } from "./shell/keyword.ts";
import { lowerLine } from "./shell/lower.ts";
import { reachesNetwork } from "./shell/network.ts";
import type { ParseShell } from "./shell/parser.ts";
import { codeLines, looseCommands } from "./shell/loose_commands.ts";
import { isPrivileged } from "./shell/privileged.ts";
import { baseName, otherNames } from "./shell/program_name.ts";
import { copiesFiles, readsFolders, writesFiles, writtenOperand } from "./shell/writing_programs.ts";
import { gitWithoutOptions } from "./shell/git_words.ts";
import { literal, mayHoldWildcards, textWord, unknownWord, wordsLine } from "./shell/word.ts";
import type { Part, Word } from "./shell/word.ts";
import { HOLE } from "./wildcard.ts";

/** Longer lines are never judged. */
const MAX_LENGTH = 10_000;
/** Commands inside commands deeper than this are not followed. */
const MAX_DEPTH = 5;
/** Commands that may not be approved by a pattern, since what they run is anywhere in their words. */
const EXACT_ONLY = new Set(["watch", "setsid", "ionice", "flock"]);

/** Takes a shell line apart and looks up all that the decision needs. */
export function shellFacts(text: string, policy: Policy, parse: ParseShell): ShellFacts {
  const facts: ShellFacts = { problems: [], hazards: [], units: [] };
  const hidden = hiddenText(text);
  if (hidden !== undefined) facts.problems.push(`it holds invisible characters: ${hidden}`);
  if (text.length > MAX_LENGTH) facts.problems.push(`it is longer than ${MAX_LENGTH} characters`);
  if (isForkBomb(text)) facts.danger = "it starts itself without end";
  if (facts.problems.length > 0 || facts.danger !== undefined) return facts;
  // where the folder of the last command is gone, the next one starts in the workspace
  const { shell_cwd = policy.workspace } = policy;
  const start = isRealDirectory(shell_cwd) ? shell_cwd : policy.workspace;
  const scope = { cwds: [start], vars: new Map() };
  const line = lowerLine(text, parse, scope, policy.home);
  facts.problems.push(...new Set(line.problems));
  facts.hazards.push(...new Set(line.hazards));
  for (const command of line.commands) facts.units.push(describe(command, policy, parse, facts));
  facts.units.push(...line.wildcards.flatMap((found) => listedOutside(found, policy)));
  return facts;
}

/** Wildcards make the shell itself list folders, whatever the command does with the names (`echo ../*`). */
function listedOutside({ word, scope }: Line["wildcards"][number], policy: Policy): ShellUnit[] {
  const unit: ShellUnit = {
    text: word.raw,
    lines: [],
    wide_lines: [],
    allow_lines: [],
    exact_only: false,
    inert: true,
    privileged: false,
    network: false,
    paths: [],
    unknown_paths: [],
  };
  const glob = word.parts.findIndex(({ kind }) => kind === "glob");
  const unknown = (part: Part) => part.kind === "hole" && part.values?.length !== 1;
  if (word.parts.slice(0, Math.max(glob, 0)).some(unknown) || word.parts.some(mayHoldWildcards)) {
    unit.unknown_paths.push(word.raw);
  }
  for (const cwd of scope.cwds ?? []) {
    const listed: string[] = [];
    expandGlob(word, cwd, listed);
    for (const folder of new Set(listed)) {
      const one: Argument = { texts: [folder], raw: word.raw, prefix: "", several: false };
      addPaths(one, "read", scope.cwds, policy, unit, {});
    }
  }
  const roots = [policy.workspace, ...policy.added_dirs, ...policy.read_dirs];
  unit.paths = unit.paths.filter(({ resolved }) => !roots.some((root) => isInside(root, resolved)));
  return unit.paths.length + unit.unknown_paths.length > 0 ? [unit] : [];
}

function describe(command: Command, policy: Policy, parse: ParseShell, facts: ShellFacts): ShellUnit {
  const unit: ShellUnit = {
    text: command.text,
    lines: [],
    wide_lines: [],
    allow_lines: [],
    exact_only: false,
    inert: command.words.length === 0 || command.calls_function,
    network: false,
    privileged: false,
    paths: [],
    unknown_paths: [],
  };
  classify(command, policy, unit);
  const unsafe = command.assignments.find((item) => !isSafeAssignment(item.name, literal(item.value)));
  const bad = command.words.length === 0 || literal(command.words[0]) === "read"
    ? command.assignments.find(({ name, value }) =>
      !isHarmlessVariable(name) && !isSafeAssignment(name, literal(value)) &&
      !(name === "IFS" && literal(command.words[0]) === "read")
    )
    : unsafe;
  if (bad !== undefined) {
    unit.writes_because ??= `${bad.name} can change what programs do`;
    unit.inert = false;
  }
  if (unsafe === undefined && bad === undefined) unit.allow_lines.push(...allowLines(command));
  addLines(command, policy, parse, unit, facts, 0);
  redirects(command, policy, unit);
  if (unit.network || policyHasPathRules(policy) || writesFiles(command.words)) {
    mentions(command, policy, unit);
  }
  return unit;
}

/** Collects the lines of a command and of all commands it hands on, for rules that refuse and ask. */
function addLines(
  command: Command,
  policy: Policy,
  parse: ParseShell,
  unit: ShellUnit,
  facts: ShellFacts,
  depth: number,
): void {
  if (command.words.length > 0) {
    for (const words of spellings(command.words)) {
      unit.lines.push(wordsLine(words, { globs_unknown: false, inner_spaces: false }));
      unit.wide_lines.push(wordsLine(words, { globs_unknown: true, inner_spaces: false }));
    }
  }
  const danger = findDanger(command, policy);
  if (danger.certain !== undefined) facts.danger ??= danger.certain;
  if (danger.possible !== undefined) facts.possible_danger ??= danger.possible;
  unit.network ||= reachesNetwork(command.words);
  unit.privileged ||= isPrivileged(command.words);
  const name = baseName(literal(command.words[0]) ?? "");
  if (EXACT_ONLY.has(name)) unit.exact_only = true;
  const inner = innerCommands(command);
  const parts = [...inner.commands.map((part) => part.words), ...inner.guesses];
  if (unit.writes_because !== undefined && !Object.hasOwn(PROGRAMS, name)) {
    if (parts.length === 0) addLooseLines(command, policy, parse, unit, facts, depth);
    unit.wide_lines.push(...codeLines(command));
  }
  if (depth >= MAX_DEPTH) {
    if (parts.length + inner.code.length > 0) unknown(unit);
    return;
  }
  for (const words of renamed(command, policy)) {
    addLines({ ...command, words, redirects: [], assignments: [] }, policy, parse, unit, facts, depth + 1);
  }
  if (name === "find" && parts.length > 0) unit.exact_only = true;
  for (const words of parts) {
    // `sudo ! x`: whatever this means, it is not what the words say
    if (isKeyword(words[0])) unknown(unit);
    addLines({ ...command, words, redirects: [], assignments: [] }, policy, parse, unit, facts, depth + 1);
  }
  for (const code of inner.code) {
    const line: Line | undefined = code === undefined || code.length > MAX_LENGTH
      ? undefined
      : lowerLine(code, parse, command.scope, policy.home);
    if (line === undefined || line.problems.length > 0) unknown(unit);
    for (const part of line?.commands ?? []) {
      addLines(part, policy, parse, unit, facts, depth + 1);
      redirects(part, policy, unit, true);
      if (policyHasPathRules(policy)) mentions(part, policy, unit);
    }
  }
}

/** The words with other names of the same program in front. */
function renamed({ words, scope }: Command, policy: Policy): Word[][] {
  const program = literal(words[0]);
  if (program === undefined) return [];
  return otherNames(program, scope.cwds, policy.folds_case).map((names) => [
    ...names.map((word) => textWord(word)),
    ...words.slice(1),
  ]);
}

function namings(command: Command, policy: Policy): (readonly Word[])[] {
  return [command.words, ...renamed(command, policy)].flatMap((words) => spellings(words));
}

/** What the words behind a program that nobody knows would run, were they a command: rules that refuse it ask. */
function addLooseLines(
  command: Command,
  policy: Policy,
  parse: ParseShell,
  unit: ShellUnit,
  facts: ShellFacts,
  depth: number,
): void {
  for (const words of looseCommands(command)) {
    const maybe: ShellUnit = {
      ...unit,
      lines: [],
      wide_lines: [],
      allow_lines: [],
      paths: [],
      unknown_paths: [],
    };
    const found: ShellFacts = { problems: [], hazards: [], units: [] };
    // one step into the words is enough: what stands behind them is looked at in its turn
    const known = { ...command, words, redirects: [], assignments: [] };
    const handed = innerCommands(known);
    const hands_on = handed.commands.length + handed.guesses.length + handed.code.length > 0;
    if (hands_on && depth < MAX_DEPTH) {
      addLines(known, policy, parse, maybe, found, Math.max(depth + 1, MAX_DEPTH - 2));
    } else if (hands_on) unknown(maybe);
    else {
      for (const one of namings(known, policy)) {
        maybe.wide_lines.push(wordsLine(one, { globs_unknown: true, inner_spaces: false }));
      }
    }
    unit.wide_lines.push(...maybe.lines, ...maybe.wide_lines);
    const danger = found.danger ?? found.possible_danger ?? findDanger(known, policy).certain;
    if (danger !== undefined) {
      facts.possible_danger ??= `${command.words[0]?.raw} may run what stands behind it: ${danger}`;
    }
  }
}

/** Something runs of which nothing is known: it may be what a rule refuses. */
function unknown(unit: ShellUnit): void {
  unit.lines.push(HOLE);
  unit.wide_lines.push(HOLE);
}

/** The words as written, with the program's bare name, and without options in front of a subcommand. */
function spellings(words: readonly Word[]): (readonly Word[])[] {
  const all: (readonly Word[])[] = [words];
  const program = literal(words[0]);
  if (program === undefined) {
    // a name that the shell finds on disk, `/bin/r?`, can be any program
    if (words[0]?.parts.some((part) => part.kind !== "hole" && part.text.includes("/")) === true) {
      all.push([unknownWord(words[0].raw), ...words.slice(1)]);
    }
    return all;
  }
  // `timeout 5 A=1 rm x`: no assignment there, but it reads like one
  const start = words.findIndex((word) => !/^[A-Za-z_]\w*\+?=/.test(word.raw));
  if (start > 0) all.push(...spellings(words.slice(start)));
  const bare = (name: string): readonly Word[] => [
    { raw: name, parts: [{ kind: "text", text: name, quoted: true }] },
    ...words.slice(1),
  ];
  if (program.includes("/")) all.push(bare(baseName(program)));
  if (baseName(program) === "git") all.push(gitWithoutOptions(bare("git")));
  return all;
}

/** Lines that an allow rule may match: the command itself, and what a transparent wrapper runs. */
function allowLines(command: Command): string[] {
  if (command.words.length === 0) return [];
  const lines = [wordsLine(command.words, { globs_unknown: false, inner_spaces: true })];
  for (const { words, transparent } of innerCommands(command).commands) {
    if (transparent) lines.push(...allowLines({ ...command, words }));
  }
  return lines;
}

function classify(command: Command, policy: Policy, unit: ShellUnit): void {
  if (command.calls_function) return;
  const verdict = classifyCommand(command, policy);
  if (verdict.reason !== undefined) unit.writes_because = verdict.reason;
  for (const { argument, recursive } of verdict.paths) {
    addPaths(argument, "read", command.scope.cwds, policy, unit, { recursive });
  }
  if (verdict.scan === undefined || verdict.reason !== undefined) return;
  const roots = [policy.workspace, ...policy.added_dirs, ...policy.read_dirs];
  for (const cwd of command.scope.cwds ?? []) {
    const folders = verdict.scan.map((folder) => isAbsolute(folder) ? folder : `${cwd}/${folder}`);
    const against = leavesTree(folders, roots, { cwd, home: policy.home });
    if (against !== undefined) unit.unknown_paths.push(against);
  }
}

/** Devices and pipes that are no files. */
const NO_FILE = /^\/dev\/(null|stdin|stdout|stderr|fd\/\d+|zero|urandom|random)$/;

function redirects(command: Command, policy: Policy, unit: ShellUnit, mention = false): void {
  for (const { access, target } of command.redirects) {
    const text = literal(target);
    if (text !== undefined && NO_FILE.test(text)) continue;
    if (text?.startsWith("/dev/tcp/") === true || text?.startsWith("/dev/udp/") === true) {
      unit.network = true;
      unit.writes_because ??= "it connects to a host";
      continue;
    }
    const fixed = text !== undefined && !/^~|[$*?[]/.test(target.raw);
    if (access === "write" && !mention) unit.writes_because ??= `it writes ${target.raw}`;
    if (!fixed && access === "write") {
      unit.unknown_paths.push(target.raw);
      if (text === undefined) continue;
    }
    const [argument] = expandArguments([target], command.scope.cwds);
    if (argument !== undefined) addPaths(argument, access, command.scope.cwds, policy, unit, { mention });
  }
}

/** Words of a command that is not known to only read, each as a path that it may open. */
function mentions(command: Command, policy: Policy, unit: ShellUnit): void {
  if (unit.writes_because === undefined && unit.paths.length > 0) return;
  if (/^(echo|printf|test|\[|\[\[|true|false|:|exit|return|set)$/.test(literal(command.words[0]) ?? "")) {
    return;
  }
  const writes = writesFiles(command.words);
  const copies = copiesFiles(command.words);
  const recursive = readsFolders(command.words);
  for (const argument of expandArguments(command.words.slice(1), command.scope.cwds)) {
    for (const text of argument.texts) {
      const written = writes && !text.startsWith("-") ? writtenOperand(command.words, text) : undefined;
      const sure = written !== undefined;
      const forms = sure ? [written] : [text, ...partsOfWord(text)];
      for (const form of forms) {
        const one: Argument = { texts: [form], raw: argument.raw, prefix: "", several: false };
        addPaths(one, writes ? "write" : "read", command.scope.cwds, policy, unit, {
          mention: !sure,
          recursive: !writes && recursive,
        });
        if (copies) addPaths(one, "read", command.scope.cwds, policy, unit, { mention: true, recursive });
      }
    }
    if (argument.texts.length === 0 && writes) unit.unknown_paths.push(argument.raw);
  }
}

/** Texts inside a word that may be a path: `--file=x`, `of=x`, `@x`, `-fx`, `open("x")`. */
function partsOfWord(text: string): string[] {
  const parts: string[] = [];
  const value = /^[^=/]*=(.+)$/s.exec(text)?.[1];
  if (value !== undefined) parts.push(value);
  if (/^-[A-Za-z]./.test(text)) parts.push(text.slice(2));
  if (text.includes("@")) parts.push(text.slice(text.indexOf("@") + 1));
  for (const [, quoted = ""] of text.matchAll(/["'`]([^"'`\s]+)["'`]/g)) parts.push(quoted);
  return parts.filter((part) => part !== "");
}

function addPaths(
  argument: Argument,
  access: "read" | "write",
  cwds: readonly string[] | null,
  policy: Policy,
  unit: ShellUnit,
  kind: { recursive?: boolean | "visible"; mention?: boolean },
): void {
  if (argument.texts.length === 0) {
    if (kind.mention !== true) unit.unknown_paths.push(argument.raw);
    return;
  }
  for (const text of argument.texts) {
    if (text === "" || NO_FILE.test(text)) continue;
    const places = isAbsolute(text) ? ["/"] : cwds;
    if (places === null || /^\/proc\/(self|thread-self|\d+)(\/|$)/.test(text)) {
      if (kind.mention !== true) unit.unknown_paths.push(text);
      continue;
    }
    for (const cwd of places) {
      try {
        const fact: PathFact = pathFact(text, access, { cwd, home: policy.home, policy }, {
          mention: kind.mention ?? false,
          tilde: false,
        });
        if ((kind.recursive ?? false) !== false && fact.is_dir && mayBeNamedBelow(fact, policy)) {
          const named = (path: string, is_dir: boolean) => namedByPathRule(path, is_dir, access, policy);
          fact.below = namedBelow(fact.resolved, named, kind.recursive === "visible");
        }
        const own = kind.recursive !== undefined && kind.recursive !== false
          ? ownFoldersBelow(fact.resolved, kind.recursive === "visible", policy)
          : [];
        for (
          const one of [
            fact,
            ...own.map((path) => pathFact(path, access, { cwd, home: policy.home, policy })),
          ]
        ) {
          const known = unit.paths.some((path) =>
            path.link === one.link && path.access === access && path.mention === one.mention
          );
          if (!known) unit.paths.push(one);
        }
      } catch (error) {
        if (!(error instanceof LuminaError)) throw error;
        if (kind.mention !== true) unit.unknown_paths.push(text);
      }
    }
  }
}

/** Lumina's own folders that a command reads when it goes through all that lies below `folder`. */
function ownFoldersBelow(folder: string, visible_only: boolean, { protected_paths }: Policy): string[] {
  return protected_paths.filter((path) =>
    path !== folder && isInside(folder, path) &&
    !(visible_only && path.slice(folder.length).split("/").some((name) => name.startsWith(".")))
  );
}

function policyHasPathRules({ deny, ask }: Policy): boolean {
  return [...deny, ...ask].some((rule) =>
    (rule.tool === "Read" || rule.tool === "Edit") && rule.specifier !== undefined
  );
}
