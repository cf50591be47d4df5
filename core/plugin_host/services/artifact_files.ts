import { lstatSync, mkdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeFileAtomic } from "../../base/mod.ts";
import { readChecked } from "../../files/mod.ts";
import { byteLength } from "../../plugin_api/mod.ts";
import { serviceFailure } from "./service_failure.ts";

/** Bytes of one artifact, and of all of a pack in one session; how many there may be. */
export const MOST_ARTIFACT_BYTES = 4 * 1024 * 1024;
const MOST_PACK_BYTES = 64 * 1024 * 1024;
const MOST_ARTIFACTS = 1_000;

/** No folders, no hidden files, no names that a file system folds or reserves. */
const PLAIN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/**
 * The artifacts of one pack in one session: plain files in a folder of their own, private to the user. Links are neither
 * followed nor kept. Throws `ServiceError`.
 */
export class ArtifactFiles {
  readonly #folder: string;

  /** @param folder absolute; made at the first write */
  constructor(artifacts_dir: string, pack_id: string) {
    this.#folder = join(artifacts_dir, pack_id);
  }

  put(name: string, content: string): { name: string; bytes: number } {
    const path = this.#path(name);
    const bytes = byteLength(content);
    if (bytes > MOST_ARTIFACT_BYTES) {
      throw serviceFailure(
        "quota",
        `An artifact has at most ${MOST_ARTIFACT_BYTES} bytes; "${name}" has ${bytes}`,
      );
    }
    const others = this.list().filter((artifact) => artifact.name !== name);
    if (others.length >= MOST_ARTIFACTS) {
      throw serviceFailure("quota", `A plugin keeps at most ${MOST_ARTIFACTS} artifacts in a session`);
    }
    if (others.reduce((sum, artifact) => sum + artifact.bytes, bytes) > MOST_PACK_BYTES) {
      throw serviceFailure(
        "quota",
        `The artifacts of a plugin have at most ${MOST_PACK_BYTES} bytes in a session`,
      );
    }
    for (const folder of [dirname(this.#folder), this.#folder]) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    }
    this.#requireFolder();
    writeFileAtomic(path, content); // the rename takes the place of whatever stands there, a link too
    return { name, bytes };
  }

  async get(name: string): Promise<string> {
    const path = this.#path(name);
    if (!this.list().some((artifact) => artifact.name === name)) {
      throw serviceFailure("failed", `There is no artifact "${name}"`);
    }
    return new TextDecoder().decode((await readChecked(path, MOST_ARTIFACT_BYTES)).bytes);
  }

  list(): { name: string; bytes: number }[] {
    if (!this.#exists()) return [];
    this.#requireFolder();
    return [...Deno.readDirSync(this.#folder)]
      .filter((entry) => entry.isFile && PLAIN_NAME.test(entry.name))
      .map(({ name }) => ({ name, bytes: lstatSync(join(this.#folder, name)).size }))
      .sort((a, b) => a.name < b.name ? -1 : 1);
  }

  #path(name: string): string {
    if (PLAIN_NAME.test(name)) return join(this.#folder, name);
    throw serviceFailure(
      "invalid",
      `Not an artifact's name: ${
        JSON.stringify(name.slice(0, 80))
      } (letters, digits, ".", "_" and "-", at most 100)`,
    );
  }

  #exists(): boolean {
    return lstatSync(this.#folder, { throwIfNoEntry: false }) !== undefined;
  }

  /** Who can put a link there could lead the host anywhere: then nothing is read or written. */
  #requireFolder(): void {
    if (lstatSync(this.#folder).isDirectory() && realpathSync(this.#folder) === this.#folder) return;
    throw serviceFailure("failed", "The artifacts of the session are not in their folder any more");
  }
}
