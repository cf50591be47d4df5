/** Before one of these a slash begins a regular expression, not a division. */
const BEFORE_REGEX =
  /(^|[(,=:[!&|?{;+\-*%~^<>]|\b(?:return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield))$/;

/**
 * TypeScript source with the insides of comments, strings, templates and regular expressions replaced by spaces, so that a
 * search finds code alone. Length and line breaks stay, so every position is also one of the source.
 */
export function maskSource(source: string): string {
  let out = "";
  let at = 0;
  /** Depth of braces at which each open `${` of a template ends. */
  const templates: number[] = [];
  let depth = 0;
  const blank = (end: number) => {
    out += source.slice(at, end).replace(/[^\n]/g, " ");
    at = end;
  };
  const keep = (count = 1) => {
    out += source.slice(at, at + count);
    at += count;
  };
  const template = () => {
    const end = endOfTemplate(source, at);
    blank(end);
    if (source.startsWith("${", at)) {
      templates.push(depth++);
      keep(2);
    } else keep();
  };

  while (at < source.length) {
    const char = source[at];
    const two = source.slice(at, at + 2);
    if (two === "//") blank(indexOrEnd(source, "\n", at));
    else if (two === "/*") blank(indexOrEnd(source, "*/", at + 2, 2));
    else if (char === '"' || char === "'") {
      keep();
      blank(endOfQuoted(source, at, char));
      keep();
    } else if (char === "`") {
      keep();
      template();
    } else if (char === "}" && templates.at(-1) === depth - 1) {
      templates.pop();
      depth--;
      keep();
      template();
    } else if (char === "/" && BEFORE_REGEX.test(out.slice(-200).trimEnd())) {
      keep();
      blank(endOfRegex(source, at));
      keep();
    } else {
      if (char === "{") depth++;
      if (char === "}") depth--;
      keep();
    }
  }
  return out;
}

function indexOrEnd(source: string, what: string, from: number, plus = 0): number {
  const at = source.indexOf(what, from);
  return at < 0 ? source.length : at + plus;
}

/** Where a quoted string ends: its closing quote, or the line's end when it has none (an apostrophe in JSX text). */
function endOfQuoted(source: string, from: number, quote: string): number {
  let at = from;
  while (at < source.length && source[at] !== quote && source[at] !== "\n") at += source[at] === "\\" ? 2 : 1;
  return Math.min(at, source.length);
}

function endOfTemplate(source: string, from: number): number {
  let at = from;
  while (at < source.length && source[at] !== "`" && !source.startsWith("${", at)) {
    at += source[at] === "\\" ? 2 : 1;
  }
  return Math.min(at, source.length);
}

function endOfRegex(source: string, from: number): number {
  let in_class = false;
  let at = from;
  for (; at < source.length && source[at] !== "\n"; at++) {
    if (source[at] === "\\") at++;
    else if (source[at] === "[") in_class = true;
    else if (source[at] === "]") in_class = false;
    else if (source[at] === "/" && !in_class) break;
  }
  return Math.min(at, source.length);
}
