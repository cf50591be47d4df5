/** Marks that end a sentence or enclose an address, and may as well belong to it. */
const TRAILING = /[.,;:!?'*_~)\]]$/;
/** What no address holds as it stands: spaces, brackets of a text, and the punctuation of wide scripts. */
const ADDRESS =
  /(?:https?:\/\/|\bwww\.|\b(?:localhost|127\.0\.0\.1)(?=[:/]))[^\s<>"`|\\^{}\u2018-\u201f\u2026\u3000-\u303f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]+/gi;
/** Marks at the end of an address that may belong to the sentence. */
const MOST_TRAILING = 8;
/** Addresses in one text that count. */
const MOST = 100;

/**
 * The web addresses that a person's text names, in one canonical form each: `http://…`, `https://…`, and without a scheme
 * `www.…`, `localhost` and `127.0.0.1` with a port or a path. What was piped in beside a prompt (`<stdin>…</stdin>`) is not
 * typed. An address that runs into text of another script, or that ends with a mark of the sentence, counts with and without.
 */
export function typedUrls(text: string): string[] {
  const typed = text.replace(/<stdin>\n[\s\S]*\n<\/stdin>/g, " ");
  const found = new Set<string>();
  for (const [match] of typed.matchAll(ADDRESS)) {
    const given = /^https?:/i.test(match) ? match : `${/^www/i.test(match) ? "https" : "http"}://${match}`;
    const ascii = /^[\x21-\x7e]+/.exec(given)?.[0] ?? given;
    for (const form of [given, ascii]) {
      for (let each = form;; each = each.slice(0, -1)) {
        const url = canonicalWebUrl(each);
        if (url !== undefined) found.add(url);
        if (!TRAILING.test(each) || form.length - each.length > MOST_TRAILING) break;
      }
    }
    if (found.size >= MOST) break;
  }
  return [...found];
}

/** True when the URL is one of those that `typedUrls` gave: the very address, or over TLS what was typed without. */
export function isTypedUrl(url: string, typed: readonly string[]): boolean {
  const form = canonicalWebUrl(url);
  if (form === undefined) return false;
  return typed.includes(form) || typed.includes(form.replace(/^https:/, "http:"));
}

/** A web address without fragment and without a slash at the end; undefined for what is none or carries a user. */
export function canonicalWebUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    return undefined;
  }
  url.hash = "";
  return url.search === "" ? url.href.replace(/\/+$/, "") : url.href;
}
