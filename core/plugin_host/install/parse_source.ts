import { resolve } from "node:path";
import { EXIT, LuminaError } from "../../base/mod.ts";
import type { PackSource } from "../packs/pack_record.ts";

const NPM_NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i;
/** A version, a range or a tag, as npm takes it after `@`. */
const NPM_SPEC = /^[0-9A-Za-z.+_~^<>=|*\- ]{1,100}$/;
/** A branch, a tag or a commit; nothing that git would read as an option or an expression. */
const GIT_REF = /^[0-9A-Za-z_](?!.*(?:\.\.|\/\/|@\{))[0-9A-Za-z_./+@-]{0,199}$/;

/** Where a pack is fetched from, taken apart. */
export type FetchSource =
  | { kind: "path"; path: string }
  | { kind: "npm"; name: string; spec: string }
  | { kind: "git"; url: URL; ref?: string };

/**
 * Reads what a person gives to `plugin install`: `npm:NAME[@VERSION]`, `git+https://…[#REF]`, `git+file:///…[#REF]`, or the
 * path of a folder or archive, relative to `cwd`. Throws `plugin.source` (exit 2).
 */
export function parseSource(text: string, cwd: string): FetchSource {
  if (text.trim() === "") throw usage("an empty source", "give a folder, an archive, npm:NAME or git+URL");
  if (text.startsWith("npm:")) return npmSource(text);
  if (text.startsWith("git+")) return gitSource(text);
  if (/^(https?|ssh|git|ftp|file):/i.test(text) || text.startsWith("git@")) {
    const hint = /\.git(#.*)?$/.test(text) ? "a repository is git+https://…" : "download the archive first";
    throw usage(`the URL ${withoutSecret(text)}`, `${hint}; a package of a registry is npm:NAME`);
  }
  return { kind: "path", path: resolve(cwd, text) };
}

/** The source of an installed pack, to fetch it again. Throws `plugin.source`. */
export function recordedSource({ kind, value }: PackSource): FetchSource {
  if (kind === "npm") return npmSource(`npm:${value}`);
  return kind === "git" ? gitSource(`git+${value}`) : { kind: "path", path: value };
}

/** How a source is called in messages and lists; never has a password. */
export function sourceText(source: FetchSource): string {
  if (source.kind === "npm") return `npm:${source.name}${source.spec === "" ? "" : `@${source.spec}`}`;
  if (source.kind === "path") return source.path;
  return `git+${source.url.href}${source.ref === undefined ? "" : `#${source.ref}`}`;
}

function npmSource(text: string): FetchSource {
  const [, name = "", spec = ""] = /^npm:(@?[^@]*)(?:@(.*))?$/s.exec(text) ?? [];
  if (!NPM_NAME.test(name) || name.length > 214) {
    throw usage(text, "the name of a package is npm:NAME or npm:@SCOPE/NAME, with @VERSION after it");
  }
  if (spec !== "" && !NPM_SPEC.test(spec)) {
    throw usage(text, "after @ comes a version, a range such as ^1.2, or a tag such as latest");
  }
  return { kind: "npm", name, spec };
}

function gitSource(text: string): FetchSource {
  const address = text.slice("git+".length);
  if (!URL.canParse(address)) throw usage(withoutSecret(text), "a repository is git+https://HOST/PATH");
  const url = new URL(address);
  if (url.protocol !== "https:" && url.protocol !== "file:") {
    throw usage(withoutSecret(text), "a repository is fetched by git+https:// or git+file:// alone");
  }
  if (url.username !== "" || url.password !== "") {
    throw usage(
      withoutSecret(text),
      "it has a name or password in it, which would be kept: clone the repository yourself and install the folder",
    );
  }
  const ref = decodeURIComponent(url.hash.slice(1));
  url.hash = "";
  if (ref === "") return { kind: "git", url };
  if (!GIT_REF.test(ref)) throw usage(withoutSecret(text), "after # comes a branch, a tag or a commit");
  return { kind: "git", url, ref };
}

function withoutSecret(text: string): string {
  return text.replace(/\/\/[^/@]*@/, "//…@");
}

function usage(what: string, todo: string): LuminaError {
  return new LuminaError("plugin.source", `Cannot install from ${what}: ${todo}`, { exit: EXIT.usage });
}
