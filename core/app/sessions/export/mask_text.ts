import type { Json } from "../../../types/mod.ts";

/** What stands in the place of a secret. */
export const MASK = "[masked]";

export interface MaskOptions {
  /** Values that are known to be secret, such as keys of settings. */
  secrets: readonly string[];
  /** Becomes `~`. */
  home: string;
  /** Becomes `<user>`, unless it is a word that says nothing about a person. */
  user: string;
  /** E-mail addresses as well. */
  emails: boolean;
}

/** How much was taken out. */
export interface MaskCount {
  secrets: number;
  /** Home directories, user names and e-mail addresses. */
  personal: number;
}

/** User names that are those of many machines. */
const COMMON_USERS = new Set([
  "admin",
  "app",
  "build",
  "ci",
  "node",
  "root",
  "runner",
  "ubuntu",
  "user",
  "vagrant",
  "work",
  "workspace",
]);

/** Shorter values are parts of too many words. */
const SHORTEST_SECRET = 4;

/** Ends of names whose value is secret whatever it looks like. */
const PASSWORD_NAME = "(?:password|passwd|passphrase|pwd|secret)";
/** Ends of names whose value is secret when it looks random. */
const KEY_NAME = "(?:token|apikey|credentials?|(?:[_-]|access|api|auth|private|secret|session|signing)key)";
/** Between a name and its value: `=`, `:`, `=>`, also in JSON and in JSON inside JSON. */
const BETWEEN = String.raw`\\*["']?\s*(?::=|=>|[:=])\s*`;
/** A value up to the quote that began it, whatever is in it. */
const QUOTED = "(?<quote>\\\\*[\"'`]))(?<value>(?:(?!\\k<quote>)(?:\\\\.|[^\\r\\n\\\\])){1,4000})";
/** A value up to a space, a quote or the next part of a query. */
const BARE = String.raw`)(?<value>(?!\\*["'${"`"}])(?:\\(?!["'])|[^\s"'&\\])+)`;

interface Pattern {
  pattern: RegExp;
  /** Whether it is a secret, where the form alone does not say it. */
  when?: (found: { keep: string; value: string }) => boolean;
}

/** The patterns for what stands behind a name. */
function named(name: string, when: NonNullable<Pattern["when"]>): Pattern[] {
  return [QUOTED, BARE].map((value) => ({
    pattern: new RegExp(`(?<keep>${name}${BETWEEN}${value}`, "gi"),
    when,
  }));
}

/** Forms that secrets have wherever they stand. Each keeps the group `keep` in front. None takes longer than its text. */
const PATTERNS: readonly Pattern[] = [
  // PEM (RFC 7468), also as one line of JSON, and without its end where it was cut off
  {
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:(?!-----BEGIN)[\s\S]){0,20000}?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:(?:\\[rn]|\s)*(?:(?:Proc-Type|DEK-Info|Version|Comment): [^\r\n\\]*|[A-Za-z0-9+/=]{20,}|[A-Za-z0-9+/]{2,}={1,2}))*)/g,
  },
  // user and password of a URL (RFC 3986, 3.2.1)
  { pattern: /(?<keep>\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#"'<>]{1,400}(?=@)/gi },
  // JSON Web Tokens (RFC 7519) begin with {" in base64url
  { pattern: /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?/g },
  { pattern: /\b(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16}\b/g },
  { pattern: /(?:gh[pousr]_|github_pat_)\w{16,}/g },
  { pattern: /\bgl(?:pat|dt|rt|cbt|ptt|ft|soat|agent)-[\w.-]{16,}/g },
  { pattern: /(?<![A-Za-z0-9])(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}/g },
  { pattern: /\bwhsec_[A-Za-z0-9+/=]{16,}/g },
  { pattern: /(?<![A-Za-z0-9])(?:xox[a-z](?:\.[a-z]{1,10})?|xapp)-[\w-]{8,}/g },
  { pattern: /\bhooks\.slack\.com\/services\/[\w/]+/g },
  { pattern: /AIza[\w-]{30,}/g },
  { pattern: /\bya29\.[\w-]{16,}/g },
  { pattern: /(?<![A-Za-z0-9])(?:npm|hf|pypi|dop_v1|shpat|shpss|r8|gsk|lin_api)[_-][A-Za-z0-9_-]{16,}/g },
  { pattern: /\bSG\.[\w-]{16,}\.[\w-]{16,}/g },
  { pattern: /\bAGE-SECRET-KEY-1[A-Z0-9]{16,}/g },
  // headers (RFC 9110, 11.6.2; RFC 6265): the rest of the line is theirs
  {
    pattern:
      /(?<keep>\b(?:proxy-)?authorization\\*["']?\s*[:=]\s*\\*["']?(?:(?:bearer|basic|digest|token|negotiate|aws4-hmac-sha256)\s+)?)[^\s"'\\][^"'\\\r\n]*/gi,
  },
  {
    pattern: /(?<keep>\b(?:bearer|basic)\s+)(?<value>[\w.~+/=-]{12,})/gi,
    when: ({ value }) => isRandom(value),
  },
  { pattern: /(?<keep>\b(?:set-)?cookie\\*["']?\s*[:=]\s*\\*["']?)[^\s"'\\][^"'\\\r\n]*/gi },
  // a working directory has the name of a password
  ...named(PASSWORD_NAME, ({ keep, value }) => !/pwd\W*$/i.test(keep) || !/^[/~]/.test(value)),
  { pattern: /(?<keep>--(?:password|passwd|passphrase|secret|token|api-key)[= ]\s*["']?)[^\s"']+/gi },
  ...named(KEY_NAME, ({ value }) => isRandom(value)),
];

/** A key of an object whose text is secret as a whole. */
const SECRET_KEY = new RegExp(`(?:${PASSWORD_NAME}|${KEY_NAME}|^key|authorization|cookie)$`, "i");

const EMAIL =
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}])/gu;

/**
 * Takes secrets and what names a person out of texts: known values in every form they travel in, the forms of common
 * tokens, what stands behind a name that says it is secret, the home directory and the user's name. It would rather take
 * too much than too little.
 */
export class Masker {
  readonly count: MaskCount = { secrets: 0, personal: 0 };
  readonly #secrets: RegExp | undefined;
  readonly #personal: { pattern: RegExp; by: string }[];

  constructor({ secrets, home, user, emails }: MaskOptions) {
    const forms = new Set(secrets.filter((secret) => secret.length >= SHORTEST_SECRET).flatMap(formsOf));
    const longest = [...forms].sort((a, b) => b.length - a.length);
    if (longest.length > 0) this.#secrets = new RegExp(longest.map(RegExp.escape).join("|"), "g");
    this.#personal = personalPatterns(home, user);
    if (emails) this.#personal.push({ pattern: EMAIL, by: "<e-mail>" });
  }

  /** The text without them. */
  text(text: string): string {
    let masked = text;
    if (this.#secrets !== undefined) masked = masked.replace(this.#secrets, () => this.#masked(""));
    for (const { pattern, when } of PATTERNS) {
      masked = masked.replace(pattern, (whole: string, ...rest: unknown[]) => {
        const groups = rest.at(-1) as Partial<Record<"keep" | "value", string>> | string;
        const { keep = "", value = "" } = typeof groups === "string" ? {} : groups;
        if (whole.slice(keep.length).startsWith(MASK)) return whole;
        return when === undefined || when({ keep, value }) ? this.#masked(keep) : whole;
      });
    }
    for (const { pattern, by } of this.#personal) {
      masked = masked.replace(pattern, () => {
        this.count.personal++;
        return by;
      });
    }
    return masked;
  }

  /** A JSON value with every text in it masked; a text under a secret name goes as a whole. */
  json(value: Json): Json {
    if (typeof value === "string") return this.text(value);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => this.json(item));
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        this.text(key),
        typeof item === "string" && item !== "" && SECRET_KEY.test(key) ? this.#masked("") : this.json(item),
      ]),
    );
  }

  #masked(keep: string): string {
    this.count.secrets++;
    return `${keep}${MASK}`;
  }
}

/** A secret as it stands in URLs, in JSON and in base64, where it may follow a user's name. */
function formsOf(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  const base64 = bytes.toBase64();
  return [
    secret,
    encodeURIComponent(secret.toWellFormed()),
    JSON.stringify(secret).slice(1, -1),
    base64,
    base64.replace(/=+$/, ""),
    bytes.toBase64({ alphabet: "base64url", omitPadding: true }),
    bytes.toHex(),
  ];
}

function personalPatterns(home: string, user: string): { pattern: RegExp; by: string }[] {
  const patterns: { pattern: RegExp; by: string }[] = [];
  const end = String.raw`(?![\p{L}\p{N}_-])`;
  if (home.length > 1) {
    for (
      const form of new Set([
        home,
        home.replaceAll("\\", "\\\\"),
        home.replaceAll("\\", "/"),
        encodeURI(home),
      ])
    ) {
      patterns.push({
        pattern: new RegExp(String.raw`(?<![\p{L}\p{N}_~.-])${RegExp.escape(form)}${end}`, "gu"),
        by: "~",
      });
    }
  }
  // homes of others, and the own one where it is written in another way
  patterns.push({
    pattern:
      /(?<=(?:^|[^\w.])(?:\/home\/|\/Users\/|[A-Za-z]:[\\/]{1,2}Users[\\/]{1,2}))(?!<user>)[^\s/\\:"'<>]+/g,
    by: "<user>",
  });
  if (user.length >= 2 && !COMMON_USERS.has(user.toLowerCase())) {
    patterns.push({
      pattern: new RegExp(String.raw`(?<![\p{L}\p{N}_])${RegExp.escape(user)}${end}`, "giu"),
      by: "<user>",
    });
  }
  return patterns;
}

/** Whether a value looks like a key and not like a word of a program or a sentence. */
function isRandom(value: string): boolean {
  if (value.length < 8) return false;
  if (/\d/.test(value) && /[A-Za-z]/.test(value)) return true;
  if (/^\d+$/.test(value)) return value.length >= 12;
  return value.length >= 16 && bitsPerCharacter(value) >= 3.3;
}

/** Shannon's entropy of the characters. */
function bitsPerCharacter(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
