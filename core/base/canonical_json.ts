/**
 * JSON in one canonical form: keys sorted by UTF-16 code units, no spaces, numbers as ECMAScript prints them.
 * Two equal values give the same bytes. Keys whose value is `undefined` are left out.
 * Follows RFC 8785 (JSON Canonicalization Scheme). Throws a TypeError for a number that JSON cannot hold.
 */
export function canonicalJson(value: unknown): string {
  // One call of the runtime's own JSON takes half the time of joining parts.
  return inOrder(value) ? JSON.stringify(value) : joined(value);
}

/** True when the runtime's own JSON of this value is the canonical one. */
function inOrder(value: unknown): boolean {
  if (value === null || typeof value !== "object") return isScalar(value);
  if (Array.isArray(value)) {
    for (const item of value) if (item !== undefined && !inOrder(item)) return false;
    return true;
  }
  const source = value as Record<string, unknown>;
  const prototype = Object.getPrototypeOf(source);
  if ((prototype !== Object.prototype && prototype !== null) || typeof source.toJSON === "function") {
    return false;
  }
  let before: string | undefined;
  for (const key of Object.keys(source)) {
    if (before !== undefined && before > key) return false;
    before = key;
    const item = source[key];
    if (item !== undefined && !inOrder(item)) return false;
  }
  return true;
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

/** The text of any value, put together from its parts. */
function joined(value: unknown): string {
  if (value === null || typeof value !== "object") {
    if (isScalar(value)) return JSON.stringify(value);
    throw new TypeError(`Cannot write ${typeof value === "number" ? value : `a ${typeof value}`} as JSON`);
  }
  if (Array.isArray(value)) return `[${value.map((item) => joined(item ?? null)).join(",")}]`;
  const source = value as Record<string, unknown>;
  const parts: string[] = [];
  for (const key of Object.keys(source).sort()) {
    if (source[key] !== undefined) parts.push(`${JSON.stringify(key)}:${joined(source[key])}`);
  }
  return `{${parts.join(",")}}`;
}
