import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { EXIT } from "../../base/mod.ts";
import type { PackSource } from "../packs/pack_record.ts";
import { fetchGit, gitEnvironment } from "./fetch_git.ts";
import { fetchNpm } from "./fetch_npm.ts";
import type { Fetch } from "./fetch_npm.ts";
import type { NpmConfig } from "./npm_config.ts";
import { PackProblem } from "./pack_problem.ts";
import type { FetchSource } from "./parse_source.ts";
import { readEntries } from "./read_entries.ts";
import type { ReadEntries } from "./read_entries.ts";

/** How the outside is reached. */
export interface FetchPorts {
  fetch: Fetch;
  npm(): NpmConfig;
  /** Absolute path of git, found outside the workspace; undefined where there is none. */
  git(): string | undefined;
  /** The environment of child processes. */
  env(): Promise<Readonly<Record<string, string>>>;
}

/** A pack that can be read, and what is recorded of where it came from. */
export interface FetchedPack {
  read: ReadEntries;
  source: PackSource;
}

/**
 * Brings what a source names into `staging`, a private folder, so that it stays the same while it is judged and unpacked; a
 * folder is read where it is. Throws `PackProblem`, and what the file system throws.
 */
export async function fetchPack(
  source: FetchSource,
  ports: FetchPorts,
  staging: string,
  signal: AbortSignal,
): Promise<FetchedPack> {
  const file = join(staging, "fetched");
  switch (source.kind) {
    case "path": {
      const isFolder = await folderAt(source.path);
      if (isFolder) {
        return { read: await readEntries(source.path), source: { kind: "path", value: source.path } };
      }
      await readEntries(source.path); // what is no archive is not copied
      await copyFile(source.path, file);
      return { read: await readEntries(file), source: { kind: "archive", value: source.path } };
    }
    case "npm": {
      await fetchNpm(source, { fetch: ports.fetch, npm: ports.npm(), signal }, file);
      const value = source.spec === "" ? source.name : `${source.name}@${source.spec}`;
      return { read: await readEntries(file), source: { kind: "npm", value } };
    }
    case "git": {
      const program = ports.git();
      if (program === undefined) {
        throw new PackProblem(
          "there is no git on the PATH outside the workspace: install git, or give a folder or an archive",
          { code: "plugin.git" },
        );
      }
      const env = gitEnvironment(await ports.env());
      await fetchGit(source, { program, env, signal }, join(staging, "repository"), file);
      const value = `${source.url.href}${source.ref === undefined ? "" : `#${source.ref}`}`;
      return { read: await readEntries(file), source: { kind: "git", value } };
    }
  }
}

async function folderAt(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isDirectory;
  } catch (cause) {
    if (!(cause instanceof Deno.errors.NotFound) && !(cause instanceof Deno.errors.NotADirectory)) {
      throw cause;
    }
    throw new PackProblem(
      "there is no such folder or archive (a package of a registry is npm:NAME, a repository git+URL)",
      { code: "plugin.not_found", exit: EXIT.not_found, cause },
    );
  }
}
