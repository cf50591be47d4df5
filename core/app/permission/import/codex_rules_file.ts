import { brokenFile } from "./json_rule_file.ts";

/** A value of a rules file: a text, or a list. */
export type StarlarkValue = string | StarlarkValue[] | null;

/** One call of a rules file: `prefix_rule(pattern = ["git", "push"], decision = "prompt")`. */
export interface RuleCall {
  name: string;
  /** Arguments by name; those without one by number. */
  args: ReadonlyMap<string, StarlarkValue>;
  line: number;
}

type Token = { kind: "name" | "text" | "sign" | "end"; value: string; line: number };

/**
 * Reads a `.rules` file of Codex: calls with texts and lists alone. It is a program in Starlark, and no program is run here:
 * throws `permission.import` with file and line for a statement of any other kind.
 */
export function readRuleCalls(text: string, file: string): RuleCall[] {
  const tokens = tokenize(text.replace(/^\ufeff/, ""), file);
  let at = 0;
  const peek = (): Token => tokens[at] ?? { kind: "end", value: "", line: 1 };
  const next = (): Token => tokens[at++] ?? peek();
  const wrong = ({ value, line, kind }: Token): never => {
    throw brokenFile(
      file,
      line,
      `${kind === "end" ? "the file ends" : JSON.stringify(value)} where no plain rule has it: ` +
        'write calls such as prefix_rule(pattern = ["git"], decision = "prompt") with texts and lists alone',
    );
  };
  const expect = (sign: string) => {
    const token = next();
    if (token.kind !== "sign" || token.value !== sign) wrong(token);
  };
  const value = (): StarlarkValue => {
    const token = next();
    if (token.kind === "text") {
      let joined = token.value;
      while (peek().kind === "sign" && peek().value === "+") {
        next();
        const more = next();
        if (more.kind !== "text") wrong(more);
        joined += more.value;
      }
      return joined;
    }
    if (token.kind === "name" && token.value === "None") return null;
    if (token.kind !== "sign" || (token.value !== "[" && token.value !== "(")) return wrong(token);
    const close = token.value === "[" ? "]" : ")";
    const items: StarlarkValue[] = [];
    while (peek().value !== close || peek().kind !== "sign") {
      items.push(value());
      if (peek().kind === "sign" && peek().value === ",") next();
      else if (peek().value !== close || peek().kind !== "sign") wrong(peek());
    }
    next();
    return items;
  };
  const calls: RuleCall[] = [];
  while (peek().kind !== "end") {
    const name = next();
    if (name.kind === "sign" && name.value === ";") continue;
    if (name.kind === "text") continue; // a text alone is a comment
    if (name.kind !== "name") wrong(name);
    expect("(");
    const args = new Map<string, StarlarkValue>();
    while (peek().value !== ")" || peek().kind !== "sign") {
      const key = peek();
      const sign = tokens[at + 1];
      if (key.kind === "name" && sign?.kind === "sign" && sign.value === "=") {
        at += 2;
        if (args.has(key.value)) wrong(key);
        args.set(key.value, value());
      } else args.set(String(args.size), value());
      if (peek().kind === "sign" && peek().value === ",") next();
      else if (peek().value !== ")" || peek().kind !== "sign") wrong(peek());
    }
    next();
    calls.push({ name: name.value, args, line: name.line });
  }
  return calls;
}

const TOKEN = /[ \t\r]+|#[^\n]*|\\\r?\n|(\n)|(r?)("""|'''|"|')|([A-Za-z_]\w*)|([()[\],=+;])|([^])/y;

function tokenize(text: string, file: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  let offset = 0;
  while (offset < text.length) {
    TOKEN.lastIndex = offset;
    const match = TOKEN.exec(text);
    const [whole = "", newline, raw, quote, name, sign, other] = match ?? [];
    offset += whole.length;
    if (newline !== undefined || whole.startsWith("\\\n") || whole.startsWith("\\\r")) line++;
    else if (name !== undefined) tokens.push({ kind: "name", value: name, line });
    else if (sign !== undefined) tokens.push({ kind: "sign", value: sign, line });
    else if (quote !== undefined) {
      const end = endOfText(text, offset, quote);
      if (end === -1) throw brokenFile(file, line, "a text has no end");
      const body = text.slice(offset, end);
      tokens.push({ kind: "text", value: raw === "r" ? body : unescape(body, file, line), line });
      line += body.split("\n").length - 1;
      offset = end + quote.length;
    } else if (other !== undefined) tokens.push({ kind: "sign", value: other, line });
  }
  tokens.push({ kind: "end", value: "", line });
  return tokens;
}

function endOfText(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text.startsWith(quote, at)) return at;
    else if (text[at] === "\n" && quote.length === 1) return -1;
  }
  return -1;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\\": "\\",
  '"': '"',
  "'": "'",
  "\n": "",
};

function unescape(body: string, file: string, line: number): string {
  return body.replace(/\\(u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[^])/g, (whole, code: string) => {
    const known = ESCAPES[code];
    if (known !== undefined) return known;
    if (/^[ux]./.test(code)) return String.fromCodePoint(Number.parseInt(code.slice(1), 16));
    throw brokenFile(file, line, `${JSON.stringify(whole)} is no escape of a text`);
  });
}
