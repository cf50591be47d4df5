/** A text that every match of a regular expression contains. */
export interface RequiredLiteral {
  text: string;
  /** The text is all that the expression says. */
  whole: boolean;
}

/**
 * The longest piece of plain text at the top level of a JavaScript regular expression that no match can lack;
 * undefined when there is none. Groups and classes are not looked into, and an alternation at the top level has no
 * common text.
 */
export function requiredLiteral(body: string): RequiredLiteral | undefined {
  let best = "";
  let run = "";
  let plain = true;
  const cut = () => {
    if (run.length > best.length) best = run;
    run = "";
  };
  for (let index = 0; index < body.length; index++) {
    const char = body[index]!;
    let literal: string | undefined;
    if (char === "|") return undefined;
    if (char === "(") {
      index = skipGroup(body, index);
    } else if (char === "[") {
      index = skipClass(body, index);
    } else if (char === "\\") {
      index++;
      if (/[^0-9A-Za-z]/.test(body[index] ?? "")) literal = body[index];
      else index = skipEscape(body, index);
    } else if (!/[.^$*+?{}\])]/.test(char)) literal = char;
    if (literal === undefined) {
      plain = false;
      cut();
    } else if (/[\ud800-\udfff]/.test(literal)) { // half a character: a quantifier behind it would repeat both
      plain = false;
      cut();
      continue;
    }
    const quantifier = /^(?:[*+?]|\{\d*,?\d*\})\??/.exec(body.slice(index + 1, index + 24))?.[0];
    if (quantifier !== undefined) {
      plain = false;
      const optional = /^(?:[*?]|\{0*,|\{0*\})/.test(quantifier);
      if (literal !== undefined && !optional) run += literal;
      cut();
      index += quantifier.length;
    } else if (literal !== undefined) run += literal;
  }
  cut();
  return best === "" ? undefined : { text: best, whole: plain };
}

/** The index of the `)` that closes the group opened at `start`. */
function skipGroup(body: string, start: number): number {
  let depth = 0;
  for (let index = start; index < body.length; index++) {
    const char = body[index];
    if (char === "\\") index++;
    else if (char === "[") index = skipClass(body, index);
    else if (char === "(") depth++;
    else if (char === ")" && --depth === 0) return index;
  }
  return body.length;
}

/** The index of the `]` that closes the class opened at `start`; nested classes belong to it only when balanced. */
function skipClass(body: string, start: number): number {
  for (let index = start + 1; index < body.length; index++) {
    if (body[index] === "\\") index++;
    else if (body[index] === "]") return index;
  }
  return body.length;
}

/** The last index of an escape such as `\x41`, `\u{1F600}`, `\p{L}`, `\k<name>`, `\cA` whose letter is at `at`. */
function skipEscape(body: string, at: number): number {
  const rest = body.slice(at);
  const escape = /^(?:x[0-9A-Fa-f]{2}|u\{[^}]*\}|u[0-9A-Fa-f]{4}|[pP]\{[^}]*\}|k<[^>]*>|c[A-Za-z]|\d+)/.exec(
    rest,
  );
  return at + (escape?.[0].length ?? 1) - 1;
}
