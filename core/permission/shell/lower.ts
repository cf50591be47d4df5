import { builtinEffect } from "./builtin_effect.ts";
import type { After } from "./builtin_effect.ts";
import { evaluateWord, joinWords } from "./evaluate_word.ts";
import type { WordContext } from "./evaluate_word.ts";
import type { Command, Input, Line, Redirect } from "./command.ts";
import { heredocText } from "./heredoc.ts";
import { loopValues } from "./loop_values.ts";
import { isKeyword } from "./keyword.ts";
import type { ParseShell, SyntaxNode } from "./parser.ts";
import { forgetChanges, joinScopes, setVar } from "./scope.ts";
import type { Scope } from "./scope.ts";
import { findHiddenSyntax, touches } from "./hidden_syntax.ts";
import { knownTexts, literal, mayHoldWildcards, textWord } from "./word.ts";
import type { Word } from "./word.ts";

/** Nested loops and calls of a line's own functions deeper than this are not followed. */
const MAX_NESTING = 6;
/** Substitutions inside substitutions deeper than this are not followed, those of functions that call themselves among them. */
const MAX_SUBSTITUTIONS = 6;
/** A line of more commands than this, each function and loop followed, is not judged. */
const MAX_COMMANDS = 2000;

/**
 * Reads a line of bash into its simple commands, each with the working folder and the variables known in front of it.
 * What the grammar cannot read is a problem, never skipped.
 */
export function lowerLine(text: string, parse: ParseShell, scope: Scope, home: string): Line {
  const root = parse(text);
  if (root === undefined) {
    return { commands: [], wildcards: [], problems: ["the shell grammar finds an error in it"], hazards: [] };
  }
  const lowering = new Lowering(text, home);
  lowering.line.problems.push(...findHiddenSyntax(root, text));
  lowering.statements(root.children, scope, 0);
  return lowering.line;
}

class Lowering {
  line: Line = { commands: [], wildcards: [], problems: [], hazards: [] };
  readonly #functions = new Map<string, SyntaxNode>();
  #substitutions = 0;
  /** Commands read so far, those of rounds that are forgotten again among them. */
  #read = 0;

  constructor(readonly source: string, readonly home: string) {}

  /** Statements one after the other; one that is followed by `&` runs in a shell of its own. */
  statements(nodes: readonly SyntaxNode[], scope: Scope, depth: number): After {
    let after: After = { ok: scope, any: scope };
    nodes.forEach((node, index) => {
      if (!node.named || node.type === "comment") return;
      const result = this.statement(node, after.any, depth);
      if (nodes[index + 1]?.type !== "&") after = result;
    });
    return after;
  }

  statement(node: SyntaxNode, scope: Scope, depth: number, input?: Input): After {
    const same = (s: Scope): After => ({ ok: s, any: s });
    if (this.#read > MAX_COMMANDS) {
      this.line.problems.push("too many commands");
      return same(scope);
    }
    switch (node.type) {
      case "command":
        return this.#command(node, scope, depth, [], input);
      case "redirected_statement":
        return this.#redirected(node, scope, depth, input);
      case "pipeline": {
        let from: Input | undefined = input;
        node.children.forEach((child, index) => {
          if (!child.named || child.type === "comment") return;
          const before = this.line.commands.length;
          this.statement(child, scope, depth, from);
          const made = this.line.commands.slice(before);
          // messages in the pipe are no output that anything is known of
          const plain = child.type === "command" && node.children[index + 1]?.type !== "|&";
          from = { kind: "pipe", from: plain ? made.at(-1) : undefined };
        });
        return same(scope);
      }
      case "list": {
        const [left, right] = node.children.filter((child) => child.named && child.type !== "comment");
        if (left === undefined || right === undefined) return this.#unknown(node, scope);
        const first = this.statement(left, scope, depth);
        const and = node.children.some((child) => child.type === "&&");
        const second = this.statement(right, and ? first.ok : first.any, depth);
        return {
          ok: and ? second.ok : joinScopes(first.ok, second.ok),
          any: joinScopes(first.any, second.any),
        };
      }
      case "negated_command":
        return same(this.statements(node.children, scope, depth).any);
      case "subshell":
        this.statements(node.children, scope, depth);
        return same(scope);
      case "compound_statement":
        if (node.children[0]?.type === "((") return this.#test(node, scope);
        return this.statements(node.children, scope, depth);
      case "do_group":
        return this.statements(node.children, scope, depth);
      case "if_statement":
      case "elif_clause":
      case "else_clause":
        return same(this.#branches(node, scope, depth));
      case "case_statement":
        return same(this.#case(node, scope, depth));
      case "for_statement":
      case "c_style_for_statement":
      case "while_statement":
        return same(this.#loop(node, scope, depth));
      case "function_definition":
        return same(this.#define(node, scope, depth));
      case "test_command":
        return this.#test(node, scope);
      case "variable_assignment":
      case "variable_assignments":
      case "declaration_command":
      case "unset_command":
        return same(this.#declaration(node, scope));
      default:
        return this.#unknown(node, scope);
    }
  }

  #unknown(node: SyntaxNode, scope: Scope): After {
    this.line.problems.push(`a construct of the shell that is not known here (${node.type})`);
    return { ok: scope, any: scope };
  }

  #context(scope: Scope): WordContext {
    return {
      source: this.source,
      scope,
      home: this.home,
      substitution: (node) => void this.#substitution(node, scope),
      wildcards: (word) => this.#wildcards(word, scope),
      problem: (what) => void this.line.problems.push(what),
      hazard: (what) => void this.line.hazards.push(what),
    };
  }

  #word(node: SyntaxNode, scope: Scope): Word {
    const word = evaluateWord(node, this.#context(scope));
    this.#wildcards(word, scope);
    return word;
  }

  #wildcards(word: Word, scope: Scope): void {
    if (word.parts.some((part) => part.kind === "glob" || mayHoldWildcards(part))) {
      this.line.wildcards.push({ word, scope });
    }
  }

  #substitution(node: SyntaxNode, scope: Scope): void {
    const redirects = node.children.filter((child) => child.type === "file_redirect");
    for (const child of redirects) {
      const found: Redirect[] = [];
      this.#redirect(child, scope, found, []);
      this.#push(node, { scope, redirects: found });
    }
    if (this.#substitutions >= MAX_SUBSTITUTIONS) {
      this.line.problems.push("substitutions nested too deep");
      return;
    }
    this.#substitutions += 1;
    this.statements(node.children.filter((child) => child.type !== "file_redirect"), scope, 1);
    this.#substitutions -= 1;
  }

  #text(node: SyntaxNode): string {
    return this.source.slice(node.start, node.end);
  }

  #push(node: SyntaxNode, command: Partial<Command> & { scope: Scope }): Command {
    const whole: Command = {
      text: this.#text(node),
      words: [],
      assignments: [],
      redirects: [],
      input: { kind: "inherited" },
      calls_function: false,
      ...command,
    };
    this.line.commands.push(whole);
    this.#read += 1;
    return whole;
  }

  #command(node: SyntaxNode, scope: Scope, depth: number, outer: SyntaxNode[], input?: Input): After {
    const words: Word[] = [];
    const redirects: Redirect[] = [];
    const assignments: { name: string; value: Word }[] = [];
    let fed: Input = input ?? { kind: "inherited" };
    let last: SyntaxNode | undefined;
    for (const child of [...node.children, ...outer]) {
      const before = last;
      last = child;
      if (child.type === "variable_assignment") {
        assignments.push(this.#assignment(child, scope));
      } else if (child.type === "file_redirect") {
        if (this.#redirect(child, scope, redirects, words)) fed = { kind: "file" };
      } else if (child.type === "herestring_redirect") {
        const text = child.children.find((part) => part.named && part.type !== "file_descriptor");
        if (text !== undefined) fed = { kind: "text", text: this.#word(text, scope) };
      } else if (child.type === "heredoc_redirect") {
        // the grammar has no node for a `-` in front of a here-document
        if (/(^|\s)-\s*$/.test(this.source.slice(node.start, child.start))) words.push(textWord("-"));
        fed = this.#heredoc(child, scope, redirects, words);
      } else if (child.named) {
        const word = this.#word(child, scope);
        const split = before !== undefined && words.length > 0 && touches(before, child, this.source);
        if (split && word.raw.startsWith("~")) this.line.problems.push("a word that the grammar splits");
        if (split) words.push(joinWords(words.pop() ?? word, word));
        else words.push(word);
      } else this.line.problems.push(`a sign that is not known here (${child.type})`);
    }
    const name = literal(words[0]);
    if (isKeyword(words[0]) || ((name === "time" || name === "coproc") && words.slice(1).some(isKeyword))) {
      this.line.problems.push("a keyword of the shell that the grammar takes for a word");
    }
    const body = name === undefined ? undefined : this.#functions.get(name);
    const text = outer.length === 0 ? this.#text(node) : this.source.slice(node.start, outer.at(-1)?.end);
    const made = this.#push(node, {
      text,
      scope,
      words,
      redirects,
      assignments,
      input: fed,
      calls_function: body !== undefined,
    });
    for (const child of outer) this.#afterHeredoc(child, scope, made, depth);
    if (body !== undefined) {
      if (depth >= MAX_NESTING) this.line.problems.push(`the function ${name} calls too deep`);
      else return this.statement(body, scope, depth + 2);
    }
    return builtinEffect(made, scope, this.home);
  }

  #assignment(node: SyntaxNode, scope: Scope): { name: string; value: Word } {
    const [target, value] = node.children.filter((child) => child.named);
    if (target?.type === "subscript") {
      this.#word({ ...target, type: "expansion" }, scope);
      this.line.hazards.push(`an array subscript (${this.#text(target)}) can run code that its value holds`);
    }
    const name = /^[A-Za-z_]\w*/.exec(target === undefined ? "" : this.#text(target))?.[0] ?? "?";
    const word = value === undefined ? textWord("") : this.#word(value, scope);
    const appended = node.children.some((child) => child.type === "+=");
    return { name, value: appended ? { raw: word.raw, parts: [{ kind: "hole", quoted: true }] } : word };
  }

  #declaration(node: SyntaxNode, scope: Scope): Scope {
    const words: Word[] = [];
    const assignments: { name: string; value: Word }[] = [];
    let next = scope;
    const keyword = node.children[0];
    const has_keyword = node.type === "declaration_command" || node.type === "unset_command";
    if (has_keyword && keyword !== undefined) words.push(textWord(this.#text(keyword)));
    const parts = node.type === "variable_assignment" ? [node] : node.children.slice(has_keyword ? 1 : 0);
    for (const part of parts) {
      if (part.type !== "variable_assignment") {
        const word = this.#word(part, next);
        words.push(word);
        const name = /^[A-Za-z_]\w*/.exec(literal(word) ?? "")?.[0];
        if (name !== undefined) next = setVar(next, name, null);
        continue;
      }
      const made = this.#assignment(part, next);
      assignments.push(made);
      const array = part.children.some((child) => child.type === "array" || child.type === "subscript");
      next = setVar(next, made.name, array ? null : knownTexts(made.value) ?? null);
    }
    this.#push(node, { scope, words, assignments });
    return next;
  }

  #redirected(node: SyntaxNode, scope: Scope, depth: number, input?: Input): After {
    const body = node.children.find((child) => child.named && !child.type.endsWith("_redirect"));
    const redirects = node.children.filter((child) => child.type.endsWith("_redirect"));
    if (body?.type === "command") return this.#command(body, scope, depth, redirects, input);
    const found: Redirect[] = [];
    const stray: Word[] = [];
    let fed: Input | undefined = input;
    for (const child of redirects) {
      if (child.type === "file_redirect") {
        if (this.#redirect(child, scope, found, stray)) fed = { kind: "file" };
      } else if (child.type === "heredoc_redirect") {
        fed = this.#heredoc(child, scope, found, stray);
      } else {
        const text = child.children.find((part) => part.named && part.type !== "file_descriptor");
        if (text !== undefined) fed = { kind: "text", text: this.#word(text, scope) };
      }
    }
    if (stray.length > 0) this.line.problems.push("words behind a redirection");
    if (found.length > 0) this.#push(node, { scope, redirects: found });
    const after = body === undefined ? { ok: scope, any: scope } : this.statement(body, scope, depth, fed);
    for (const child of redirects) this.#afterHeredoc(child, scope, undefined, depth);
    return after;
  }

  /** Reads one redirection; true when it feeds standard input. Words behind the file belong to the command. */
  #redirect(node: SyntaxNode, scope: Scope, found: Redirect[], words: Word[]): boolean {
    const operator = node.children.find((child) => !child.named)?.type ?? "";
    const [target, ...rest] = node.children.filter((child) =>
      child.named && child.type !== "file_descriptor"
    );
    for (const word of rest) words.push(this.#word(word, scope));
    if (operator === "<&-" || operator === ">&-") return false;
    if (target === undefined || !["<", ">", ">>", "&>", "&>>", "<&", ">&", ">|"].includes(operator)) {
      this.line.problems.push(`a redirection that is not known here (${this.#text(node)})`);
      return false;
    }
    const word = this.#word(target, scope);
    const text = literal(word);
    if ((operator === "<&" || operator === ">&") && text !== undefined && /^(\d+-?|-)$/.test(text)) {
      return false;
    }
    found.push({ access: operator.startsWith("<") ? "read" : "write", target: word });
    return operator.startsWith("<");
  }

  /** Reads a here-document: its body is data, but what stands behind `<<EOF` on the first line is not. */
  #heredoc(node: SyntaxNode, scope: Scope, redirects: Redirect[], words: Word[]): Input {
    for (const child of node.children) {
      if (child.type === "file_redirect") this.#redirect(child, scope, redirects, words);
      else if (child.type === "herestring_redirect" || child.type === "heredoc_redirect") {
        this.line.problems.push("several here-documents at one command");
      } else if (
        ["word", "string", "raw_string", "concatenation", "simple_expansion", "expansion"].includes(
          child.type,
        )
      ) words.push(this.#word(child, scope));
    }
    const { text, substitutions, problem } = heredocText(node, this.source);
    if (problem !== undefined) this.line.problems.push(problem);
    const context = this.#context(scope);
    for (const inner of substitutions) evaluateWord(inner, context);
    return { kind: "text", text };
  }

  /** Commands that the grammar hangs below a here-document: `cat <<EOF | wc`, `cat <<EOF && ls`. */
  #afterHeredoc(node: SyntaxNode, scope: Scope, from: Command | undefined, depth: number): void {
    if (node.type !== "heredoc_redirect") return;
    const data = [
      "heredoc_start",
      "heredoc_body",
      "heredoc_end",
      "file_redirect",
      "file_descriptor",
      "herestring_redirect",
      "heredoc_redirect",
      "word",
      "string",
      "raw_string",
      "concatenation",
      "simple_expansion",
      "expansion",
    ];
    for (const child of node.children) {
      if (!child.named || data.includes(child.type)) continue;
      this.statement(child, scope, depth, { kind: "pipe", from });
    }
  }

  #branches(node: SyntaxNode, scope: Scope, depth: number): Scope {
    // conditions run in any case; a body, and the clauses behind it, perhaps
    const then = node.children.findIndex((child) => child.type === "then");
    const is_clause = (child: SyntaxNode) => child.type === "elif_clause" || child.type === "else_clause";
    const body = node.children.slice(Math.max(then, 0)).filter((child) => !is_clause(child));
    const condition = then === -1 ? scope : this.statements(node.children.slice(0, then), scope, depth).any;
    let after = this.statements(body, condition, depth).any;
    if (node.type !== "else_clause") after = joinScopes(after, condition);
    for (const clause of node.children.filter(is_clause)) {
      after = joinScopes(after, this.statement(clause, condition, depth).any);
    }
    return after;
  }

  #case(node: SyntaxNode, scope: Scope, depth: number): Scope {
    let after = scope;
    for (const child of node.children) {
      if (!child.named || child.type === "comment") continue;
      if (child.type !== "case_item") {
        this.#word(child, scope);
        continue;
      }
      const end = child.children.findIndex((part) => part.type === ")");
      for (const value of child.children.slice(0, end)) if (value.named) this.#word(value, scope);
      // `;&` falls into the next item, so each may begin where another ended
      after = joinScopes(after, this.statements(child.children.slice(end), after, depth).any);
    }
    return after;
  }

  #loop(node: SyntaxNode, scope: Scope, depth: number): Scope {
    if (depth >= MAX_NESTING) {
      this.line.problems.push("loops nested too deep");
      return scope;
    }
    let entered = scope;
    if (node.type === "c_style_for_statement") {
      this.line.hazards.push("a loop over arithmetic can run code that its variables hold");
    }
    if (node.type === "for_statement") {
      const [variable, ...values] = node.children.filter((child) =>
        child.named && child.type !== "do_group" && child.type !== "compound_statement"
      );
      const words = values.map((value) => this.#word(value, scope));
      const no_list = !node.children.some((child) => child.type === "in") ||
        node.children[0]?.type === "select";
      const known = no_list ? null : loopValues(words, scope);
      if (variable !== undefined) {
        const name = this.#text(variable);
        this.#push(node, {
          text: `for ${name}`,
          scope,
          assignments: [{ name, value: { raw: "", parts: [{ kind: "hole", quoted: true }] } }],
        });
        entered = setVar(scope, name, known);
      }
    }
    const body = node.children.filter((child) => child.named && child.type !== "variable_name");
    const walk = (from: Scope): Scope => {
      if (node.type === "while_statement") return this.statements(body, from, depth + 1).any;
      const groups = body.filter((child) => child.type === "do_group" || child.type === "compound_statement");
      return this.statements(groups, from, depth + 1).any;
    };
    // a second time with all forgotten that the first round changed: later rounds see that state
    const kept = this.line;
    this.line = { commands: [], wildcards: [], problems: [], hazards: [] };
    const later = forgetChanges(entered, walk(entered));
    this.line = kept;
    const end = walk(later);
    const grown = end.cwds === null || later.cwds === null ||
      end.cwds.some((cwd) => !later.cwds?.includes(cwd));
    const after = forgetChanges(scope, joinScopes(later, end));
    if (!grown) return after;
    walk({ ...later, cwds: null });
    return { ...after, cwds: null };
  }

  #define(node: SyntaxNode, scope: Scope, depth: number): Scope {
    const name = node.children.find((child) => child.type === "word");
    const body = node.children.filter((child) => child.named && child.type !== "word");
    if (name === undefined || body.length === 0 || depth >= MAX_NESTING) {
      this.line.problems.push("a function that cannot be followed");
      return scope;
    }
    const [first] = body;
    if (first !== undefined) this.#functions.set(this.#text(name), first);
    for (const part of body) {
      if (part.type.endsWith("_redirect")) this.line.problems.push("a function with a redirection");
      else this.statement(part, { cwds: scope.cwds, vars: new Map([["HOME", null]]) }, MAX_NESTING);
    }
    return scope;
  }

  /** `[ … ]`, `[[ … ]]` and `(( … ))` as a command whose words are its operands and operators in order. */
  #test(node: SyntaxNode, scope: Scope): After {
    const words: Word[] = [];
    const single = node.children[0]?.type === "[";
    // `[[a > b ]]` is a command of that name, which writes b
    if (/^\[\[?[^\s[]|[^\s\]]\]\]?$/.test(this.#text(node))) {
      this.line.problems.push("a bracket that is a part of a word");
    }
    const visit = (part: SyntaxNode): void => {
      if (
        /^(word|number|string|raw_string|ansi_c_string|concatenation|simple_expansion|expansion|command_substitution|arithmetic_expansion|process_substitution|variable_name|test_operator|regex|extglob_pattern|brace_expression|translated_string)$/
          .test(part.type)
      ) words.push(this.#word(part, scope));
      else if (part.children.length > 0) part.children.forEach(visit);
      else {
        // `[` is a command like any other: `[ a > b ]` writes b, and `[ a && b ]` runs b
        if (single && /[<>|&;()]/.test(this.#text(part))) {
          this.line.problems.push(`a sign of the shell between single brackets (${this.#text(part)})`);
        }
        words.push(textWord(this.#text(part)));
      }
    };
    node.children.forEach(visit);
    this.#push(node, { scope, words });
    return { ok: scope, any: scope };
  }
}
