/**
 * JSON in one canonical form: keys sorted by UTF-16 code units, no spaces, numbers as ECMAScript prints them.
 * Two equal values give the same bytes. Keys whose value is `undefined` are left out.
 * Follows RFC 8785 (JSON Canonicalization Scheme). Throws a TypeError for a number that JSON cannot hold.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === "boolean" || typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError(`Cannot write ${value} as JSON`);
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  if (typeof value === "object") {
    const source = value as Record<string, unknown>;
    const parts: string[] = [];
    for (const key of Object.keys(source).sort()) {
      if (source[key] !== undefined) parts.push(`${JSON.stringify(key)}:${canonicalJson(source[key])}`);
    }
    return `{${parts.join(",")}}`;
  }
  throw new TypeError(`Cannot write a ${typeof value} as JSON`);
}
