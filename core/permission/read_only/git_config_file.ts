/** One line of a configuration: the key in lower case apart from its subsection. */
export interface GitSetting {
  key: string;
  value: string;
}

/**
 * Reads git's configuration syntax sign by sign, as git does (git-config(1), "Syntax"): a comment ends with its line,
 * several headers may stand on one, a value may have quotes, escapes, a comment and further lines. Undefined for a text
 * that git refuses.
 */
export function parseGitConfig(text: string): GitSetting[] | undefined {
  const settings: GitSetting[] = [];
  const source = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  let at = 0;
  let section = "";
  /** The next sign; the end reads as the end of a line. */
  const next = () => source[at++] ?? "\n";

  const subsection = (first: string): string | undefined => {
    for (let char = first; char !== '"'; char = next()) if (char === "\n" || !isBlank(char)) return undefined;
    let name = "";
    for (let char = next(); char !== '"'; char = next()) {
      if (char === "\\") char = next();
      if (char === "\n") return undefined;
      name += char;
    }
    return next() === "]" ? name : undefined;
  };
  const header = (): string | undefined => {
    let name = "";
    for (let char = next(); char !== "]"; char = next()) {
      if (isBlank(char)) {
        const sub = subsection(char);
        return sub === undefined ? undefined : `${name}.${sub}`;
      }
      if (!/[A-Za-z0-9.-]/.test(char)) return undefined;
      name += char.toLowerCase();
    }
    return name;
  };
  const value = (): string | undefined => {
    let text = "";
    let blanks = "";
    let quoted = false;
    let comment = false;
    for (let char = next();; char = next()) {
      if (char === "\n") return quoted ? undefined : text;
      if (comment) continue;
      if (!quoted && isBlank(char)) {
        if (text !== "") blanks += char;
        continue;
      }
      if (!quoted && (char === ";" || char === "#")) {
        comment = true;
        continue;
      }
      text += blanks;
      blanks = "";
      if (char === '"') quoted = !quoted;
      else if (char === "\\") {
        const escaped = next();
        if (escaped === "\n") continue;
        const meant = ESCAPES[escaped];
        if (meant === undefined) return undefined;
        text += meant;
      } else text += char;
    }
  };

  while (at < source.length) {
    const char = next();
    if (isBlank(char)) continue;
    if (char === "#" || char === ";") {
      while (next() !== "\n");
    } else if (char === "[") {
      const name = header();
      if (name === undefined) return undefined;
      section = name;
    } else if (/[A-Za-z]/.test(char)) {
      let key = char;
      let end = next();
      for (; /[A-Za-z0-9-]/.test(end); end = next()) key += end;
      while (end === " " || end === "\t") end = next();
      if (end !== "\n" && end !== "=") return undefined;
      const set = end === "\n" ? "true" : value();
      if (set === undefined) return undefined;
      settings.push({ key: `${section}.${key.toLowerCase()}`, value: set });
    } else return undefined;
  }
  return settings;
}

const ESCAPES: Readonly<Record<string, string>> = { t: "\t", b: "\b", n: "\n", "\\": "\\", '"': '"' };

/** Blanks as git has them: nothing of Unicode. */
function isBlank(char: string): boolean {
  return char === " " || char === "\t" || char === "\n" || char === "\r";
}
