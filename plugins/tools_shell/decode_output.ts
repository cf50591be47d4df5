/** Text of a command's output, and how its bytes were read. */
export interface DecodedOutput {
  text: string;
  /** `utf-8`, or the label of another code page, or `escaped` when some bytes stand as `\xNN`. */
  encoding: string;
}

const UTF16_RUN = /(?:[\t\n\r\x20-\x7e]\0){3,}/g;
// Languages whose programs still write a code page of their own although the locale says UTF-8.
const LANGUAGE_CODE_PAGES: Readonly<Record<string, string>> = {
  zh: "gb18030",
  ja: "shift_jis",
  ko: "euc-kr",
};
const CODE_PAGE_NAMES: Readonly<Record<string, string>> = {
  gb2312: "gb18030",
  gbk: "gb18030",
  cp936: "gb18030",
  sjis: "shift_jis",
  cp932: "shift_jis",
  eucjp: "euc-jp",
  euckr: "euc-kr",
  cp949: "euc-kr",
};

/**
 * Decodes without losing anything: UTF-8; UTF-16LE by its byte order mark or its pattern of NULs, whole or in runs;
 * else line by line the code page that the locale in `env` declares; and bytes that fit nowhere as `\xNN`.
 */
export function decodeOutput(bytes: Uint8Array, env: Readonly<Record<string, string>>): DecodedOutput {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) {
    return { text: decode("utf-16le", bytes), encoding: "utf-16le" };
  }
  if (bytes[0] === 0xfe && bytes[1] === 0xff) {
    return { text: decode("utf-16be", bytes), encoding: "utf-16be" };
  }
  if (looksLikeUtf16le(bytes)) return { text: decode("utf-16le", bytes), encoding: "utf-16le" };
  const plain = tryDecode("utf-8", bytes);
  if (plain !== undefined) {
    const text = plain.replace(UTF16_RUN, (run) => run.replaceAll("\0", ""));
    return { text, encoding: text === plain ? "utf-8" : "utf-16le" };
  }
  return decodeLines(bytes, declaredCodePage(env));
}

/** True when nearly every second byte from the second on is NUL, and the others are not. */
function looksLikeUtf16le(bytes: Uint8Array): boolean {
  const pairs = Math.min(bytes.length >> 1, 32_768);
  if (pairs < 3) return false;
  let odd = 0;
  let even = 0;
  for (let pair = 0; pair < pairs; pair++) {
    if (bytes[2 * pair] === 0) even++;
    if (bytes[2 * pair + 1] === 0) odd++;
  }
  return odd >= pairs * 0.7 && even <= pairs * 0.02;
}

/** The code page that LC_ALL, LC_CTYPE or LANG names, or that its language is known for; undefined when none. */
export function declaredCodePage(env: Readonly<Record<string, string>>): string | undefined {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  const [, language = "", codeset = ""] = /^([A-Za-z]*)[^.@]*(?:\.([^@]*))?/.exec(locale) ?? [];
  const name = codeset.toLowerCase().replace(/[-_]/g, "");
  if (name === "" || name === "utf8") return LANGUAGE_CODE_PAGES[language.toLowerCase()];
  const label = CODE_PAGE_NAMES[name] ?? codeset.toLowerCase().replace("_", "-");
  try {
    new TextDecoder(label);
    return label;
  } catch {
    return undefined; // a name that no decoder has: bytes are escaped
  }
}

function decodeLines(bytes: Uint8Array, code_page: string | undefined): DecodedOutput {
  let text = "";
  let encoding = "utf-8";
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline < 0 ? bytes.length : newline + 1;
    const line = bytes.subarray(start, end);
    start = end;
    const utf8 = tryDecode("utf-8", line);
    const paged = utf8 === undefined && code_page !== undefined ? tryDecode(code_page, line) : undefined;
    if (utf8 === undefined && encoding !== "escaped") encoding = paged === undefined ? "escaped" : code_page!;
    text += utf8 ?? paged ?? escapeInvalid(line);
  }
  return { text, encoding };
}

/** Valid UTF-8 as it is, every other byte as `\xNN`. */
function escapeInvalid(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const lead = bytes[at]!;
    const length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
    const char = length === 1 ? String.fromCharCode(lead) : multiByteChar(bytes, at, length);
    parts.push(char ?? `\\x${lead.toString(16).padStart(2, "0")}`);
    at += char === undefined ? 1 : length;
  }
  return parts.join("");
}

function multiByteChar(bytes: Uint8Array, at: number, length: number): string | undefined {
  if (length < 2 || at + length > bytes.length) return undefined;
  for (let next = at + 1; next < at + length; next++) if ((bytes[next]! & 0xc0) !== 0x80) return undefined;
  return tryDecode("utf-8", bytes.subarray(at, at + length));
}

function decode(label: string, bytes: Uint8Array): string {
  return new TextDecoder(label).decode(bytes);
}

function tryDecode(label: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(label, { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return undefined; // not this encoding
  }
}
