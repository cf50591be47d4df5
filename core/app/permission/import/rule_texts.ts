/**
 * The inside of a rule on Bash for a pattern that another agent matches against the whole command, with `*` for any text
 * and `?` for one character. A refusing one may match more than the pattern; an allowing one never does, and undefined
 * says that there is none. `*` stands for the whole tool.
 */
export function commandSpecifier(pattern: string, list: "allow" | "ask" | "deny"): string | undefined {
  // `:*` at the end would mean ` *` here
  const written = (text: string) => text.endsWith(":*") ? `${text}*` : text;
  if (list === "allow") {
    if (pattern === "" || pattern !== pattern.trim() || /["'`\\?\s]/.test(pattern.replaceAll(" ", ""))) {
      return undefined;
    }
    if (pattern.includes("  ") || pattern.startsWith("escalate:")) return undefined;
    return written(pattern);
  }
  // from the first quote to the last one: what stands in quotes is compared word by word here
  const open = pattern.replace(/["'`\\\0\n\r\t](?:[^]*["'`\\\0\n\r\t])?/, "*").replaceAll("?", "*");
  const plain = open.replace(/ +/g, " ").replace(/\*{2,}/g, "*").trim();
  return plain === "" ? undefined : written(plain);
}

/**
 * The inside of a rule on Read or Edit that matches at least all paths of a pattern in which `*` also stands for `/`. The
 * pattern is absolute (`~/` and `$HOME/` count as that) or relative to a folder that is not known here, so it holds at any
 * depth. `*` stands for the whole tool.
 */
export function refusingPath(pattern: string, home: string): string {
  const text = expandHome(pattern.replaceAll("\\", "/"), home).replace(/^(?:\.{1,2}\/+)+/, "");
  const first = text.search(/[*?]/);
  const absolute = text.startsWith("/");
  const clean = text.replace(/^\/+/, "");
  const root = absolute ? "//" : "//**/";
  if (first === -1) return clean === "" ? "*" : root + escapeText(clean);
  const head = clean.slice(0, clean.search(/[*?]/));
  const cut = head.lastIndexOf("/") + 1;
  const folder = escapeText(head.slice(0, cut));
  const rest = clean.slice(Math.max(clean.lastIndexOf("*"), clean.lastIndexOf("?")) + 1);
  const last = escapeText(rest);
  if (rest === "") {
    const begin = escapeText(head.slice(cut));
    if (folder === "" && begin === "") return absolute ? "//**" : innerName(clean);
    return `${root}${folder}${begin === "" ? "**" : `${begin}*`}`;
  }
  const deep = absolute || folder !== "" ? `${root}${folder}**/` : root;
  return deep + (last.startsWith("/") ? last.slice(1) : `*${last}`);
}

/** The same for a pattern that begins and ends with a wildcard: by the longest name, or part of one, in between. */
function innerName(pattern: string): string {
  let best = "";
  let rule = "*";
  for (const piece of pattern.split(/[*?]+/)) {
    const parts = piece.split("/");
    for (const [index, part] of parts.entries()) {
      if (part.length <= best.length) continue;
      best = part;
      const [before, after] = [index === 0 ? "*" : "", index === parts.length - 1 ? "*" : ""];
      rule = `//**/${before}${escapeText(part)}${after}`;
    }
  }
  return rule;
}

/**
 * The inside of a rule on Edit or Read that matches no path but those of the pattern, taken from the working folder;
 * undefined where there is none: a rule that names a file holds for what lies below that name too.
 */
export function allowingPath(pattern: string): string | undefined {
  const text = pattern.replaceAll("\\", "/").replace(/^\.\//, "");
  if (/^\*{1,2}$/.test(text)) return "./**";
  const folder = /^([^*?]+)\/\*{1,2}$/.exec(text)?.[1];
  if (
    folder === undefined || /^[/~$]/.test(folder) || folder.split("/").some((name) => /^\.{0,2}$/.test(name))
  ) {
    return undefined;
  }
  return `./${escapeText(folder)}/**`;
}

/** The same for an absolute pattern of a whole folder. */
export function allowingFolder(pattern: string, home: string): string | undefined {
  const text = expandHome(pattern.replaceAll("\\", "/"), home);
  if (/^\*{1,2}$/.test(text)) return "//**";
  const folder = /^\/([^*?]+)\/\*{1,2}$/.exec(text)?.[1];
  if (folder === undefined || folder.split("/").some((name) => /^\.{0,2}$/.test(name))) return undefined;
  return `//${escapeText(folder)}/**`;
}

/** `~`, `~/x`, `$HOME` and `$HOME/x` at the beginning of a pattern. */
export function expandHome(pattern: string, home: string): string {
  return pattern.replace(/^(?:~(?=\/|$)|\$HOME)/, () => home);
}

/** A text that stands for itself in gitignore syntax. */
export function escapeText(text: string): string {
  return text.replace(/[\\[\]*?]/g, "\\$&").replace(/ $/, "\\ ");
}
