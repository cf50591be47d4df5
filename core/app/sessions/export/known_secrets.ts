import type { LoadedSettings } from "../../../config/mod.ts";

/** Names of variables whose value is a secret. */
const SECRET_NAME =
  /(?:^|_)(?:KEY|APIKEY|TOKEN|SECRET|SECRETS|PASSWORD|PASSWD|PASS|PWD|PASSPHRASE|CREDENTIAL|CREDENTIALS|AUTH|COOKIE|DSN)S?(?:_|$)|(?:DATABASE|REDIS|MONGO\w*|POSTGRES\w*)_UR[LI]$/i;

/** Names of fields, in whatever case they are written, whose value is a secret. */
const SECRET_FIELD = /(?:key|token|secret|password|passwd|passphrase|credential|auth|cookie|dsn)s?$/i;

/** Variables that look like it and are not. */
const NO_SECRETS = new Set(["PWD", "OLDPWD", "SSH_AUTH_SOCK"]);

/** Shorter values of variables are words, numbers and switches. */
const SHORTEST = 8;

/**
 * The secrets that this machine knows: keys in the settings and in the files that they name, passwords in their URLs, and
 * variables whose name says that they are secret. A key helper is not run. Files that cannot be read hold no key that was
 * ever used.
 */
export async function knownSecrets(
  loaded: LoadedSettings | undefined,
  env: { toObject(): Record<string, string> },
): Promise<string[]> {
  const secrets = new Set<string>();
  for (const [name, value] of Object.entries(env.toObject())) {
    if (/^LUMINA_(?:FALLBACK_)?API_KEY$/.test(name)) secrets.add(value.trim());
    if (!SECRET_NAME.test(name) || NO_SECRETS.has(name) || value.length < SHORTEST || isPath(value)) continue;
    secrets.add(value.trim());
  }
  if (loaded === undefined) return [...secrets];
  const { settings } = loaded;
  for (const key of [settings.api_key, settings.fallback_api_key]) if (key !== undefined) secrets.add(key);
  for (const file of [settings.api_key_file, settings.fallback_api_key_file]) {
    if (file === undefined || file === "") continue;
    try {
      secrets.add((await Deno.readTextFile(file)).trim());
    } catch {
      // gone or not to be read: see above
    }
  }
  for (const url of [settings.api_base_url, settings.fallback_api_base_url]) {
    const password = URL.parse(url ?? "")?.password;
    if (password) secrets.add(decodeURIComponent(password));
  }
  addTexts(settings.plugins, secrets);
  return [...secrets].filter((secret) => secret !== "");
}

/** The texts of plugins' sections that stand under a name which says that they are secret. */
function addTexts(value: unknown, secrets: Set<string>, name = ""): void {
  if (typeof value === "string") {
    if (SECRET_FIELD.test(name) && value.length >= SHORTEST) secrets.add(value);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      addTexts(inner, secrets, Array.isArray(value) ? name : key);
    }
  }
}

/** A place, not a secret; keys in base64 may begin with a slash but have no other. */
function isPath(value: string): boolean {
  return /^(?:\/|~|[A-Za-z]:[\\/])[\w.\\/ -]+$/.test(value) && /[\\/].*[\\/]/.test(value);
}
