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
