const NAMES: Readonly<Record<number, string>> = {
  0x09: "tab",
  0x0a: "line feed",
  0x0d: "carriage return",
  0x20: "space",
  0x22: "quotation mark",
  0x27: "apostrophe",
  0x2d: "hyphen-minus",
  0x60: "grave accent",
  0xa0: "no-break space",
  0xad: "soft hyphen",
  0x0300: "combining grave accent",
  0x0301: "combining acute accent",
  0x0302: "combining circumflex",
  0x0303: "combining tilde",
  0x0308: "combining diaeresis",
  0x200b: "zero width space",
  0x200c: "zero width non-joiner",
  0x200d: "zero width joiner",
  0x200e: "left-to-right mark",
  0x200f: "right-to-left mark",
  0x2010: "hyphen",
  0x2011: "non-breaking hyphen",
  0x2013: "en dash",
  0x2014: "em dash",
  0x2018: "left single quotation mark",
  0x2019: "right single quotation mark",
  0x201c: "left double quotation mark",
  0x201d: "right double quotation mark",
  0x2026: "horizontal ellipsis",
  0x2028: "line separator",
  0x202f: "narrow no-break space",
  0x2212: "minus sign",
  0x3000: "ideographic space",
  0x3001: "ideographic comma",
  0x3002: "ideographic full stop",
  0xfeff: "zero width no-break space",
};

/** A code point for people: `U+201C (left double quotation mark)`, `U+0061 "a"`, `the byte E9`. */
export function codePointName(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  if (point >= 0xdc80 && point <= 0xdcff) return `the byte ${(point & 0xff).toString(16).toUpperCase()}`;
  const code = `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
  const name = NAMES[point];
  if (name !== undefined) return `${code} (${name})`;
  if (point >= 0xff01 && point <= 0xff5e) {
    return `${code} (full-width "${String.fromCodePoint(point - 0xfee0)}")`;
  }
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(character) ? `${code} "${character}"` : code;
}
