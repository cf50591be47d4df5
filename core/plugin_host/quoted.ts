/** A name out of a stranger's pack as it may stand in a message: quoted, escaped, not long. */
export function quoted(name: string, most = 120): string {
  return JSON.stringify(name.length > most ? `${name.slice(0, most)}…` : name)
    .replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);
}

/** True for a text that holds what a person would not see, or what moves what stands around it. */
export function hidesSomething(text: string): boolean {
  return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text);
}
