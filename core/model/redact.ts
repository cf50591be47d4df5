/**
 * What is secret in a URL, in each form in which it travels: the password as written and as meant, and user and password as
 * Basic authentication sends them (RFC 7617).
 */
export function urlSecrets(text: string | undefined): string[] {
  const url = URL.parse(text ?? "");
  if (url === null || url.password === "") return [];
  const [user, password] = [plain(url.username), plain(url.password)];
  return [url.password, password, new TextEncoder().encode(`${user}:${password}`).toBase64()];
}

function plain(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded; // a lone percent sign stands for itself
  }
}

/** Replaces every secret in `text`, plain or percent-encoded, by `***`, and puts it on one line of at most 600 characters. */
export function redact(text: string, secrets: readonly (string | undefined)[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret === undefined || secret.length < 4) continue;
    for (const form of new Set([secret, encodeURIComponent(secret)])) clean = clean.replaceAll(form, "***");
  }
  clean = clean.replace(/\s+/g, " ").trim().toWellFormed();
  return clean.length > 600 ? `${clean.slice(0, 599)}…` : clean;
}
