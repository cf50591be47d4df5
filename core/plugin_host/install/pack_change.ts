import { dirname, join } from "node:path";
import { makePrivateDirectory } from "../../app_root/mod.ts";
import { errorMessage, LuminaError, syncDirectory, writeFileAtomic } from "../../base/mod.ts";
import type { World } from "../../base/mod.ts";
import { PackRecords } from "../packs/pack_record.ts";
import type { PackRecord } from "../packs/pack_record.ts";
import { withPackLock } from "./pack_lock.ts";
import { removeEmpty, removeTree } from "./remove_tree.ts";

/** Where the packs of one scope are. */
export interface PackPlace {
  scope: "user" | "project";
  plugins_dir: string;
  record_file: string;
  /** What holds both, which stays when they go. */
  keep: readonly string[];
}

/** A pack that is put in place, or taken away, as one step. */
export interface PackChange {
  id: string;
  place: PackPlace;
  /** What comes: a private folder with the pack in it, and its record, given where its copy lies. Null takes the pack away. */
  next: { directory: string; record(copy: string): PackRecord } | null;
  /** Folders that go with it. */
  remove: readonly string[];
}

/** A change that has been decided, as it is kept until all of it has happened. */
interface DecidedChange {
  id: string;
  place: PackPlace;
  record: PackRecord | null;
  /** Where the new pack lies until it is in place, and the old one until it is removed. */
  incoming: string;
  outgoing: string;
  remove: readonly string[];
}

/**
 * Changes one pack. The new one is first copied beside its place and written to disk, then the decision is kept in a file
 * of `state_dir`; whatever interrupts what follows, `finishPackChange` brings it to its end. So there is the old pack with
 * the old record, or the new one with the new one. When a step fails, what was there is put back and the error thrown.
 */
export function changePack(state_dir: string, world: World, change: PackChange): void {
  withPackLock(state_dir, () => {
    finishLocked(state_dir, world);
    const { plugins_dir } = change.place;
    sweep(plugins_dir);
    const tag = world.uuid();
    const decided: DecidedChange = {
      id: change.id,
      place: change.place,
      record: null,
      incoming: join(plugins_dir, `.install-${tag}`),
      outgoing: join(plugins_dir, `.old-${tag}`),
      remove: change.remove,
    };
    try {
      if (change.next !== null) {
        makePrivateDirectory(plugins_dir);
        copyDurably(change.next.directory, decided.incoming);
        decided.record = change.next.record(decided.incoming);
        world.failpoint?.("plugin.copied");
      }
      writeFileAtomic(fileOf(state_dir), JSON.stringify(decided));
    } catch (error) {
      removeTree(decided.incoming);
      removeEmpty(plugins_dir, change.place.keep);
      throw error;
    }
    world.failpoint?.("plugin.decided");
    try {
      place(decided, world);
    } catch (error) {
      putBack(decided);
      Deno.removeSync(fileOf(state_dir));
      throw error;
    }
    tidy(decided, state_dir, world);
  });
}

/** Brings a change to its end that was cut off; costs one look when there is none. Throws `plugin.change`. */
export function finishPackChange(state_dir: string, world: World): void {
  if (!exists(fileOf(state_dir))) return;
  withPackLock(state_dir, () => finishLocked(state_dir, world));
}

function finishLocked(state_dir: string, world: World): void {
  const file = fileOf(state_dir);
  if (!exists(file)) return;
  try {
    const decided: DecidedChange = JSON.parse(Deno.readTextFileSync(file));
    place(decided, world);
    tidy(decided, state_dir, world);
  } catch (cause) {
    throw new LuminaError(
      "plugin.change",
      `Cannot finish the change of a plugin that was cut off (${file}): ${errorMessage(cause)}`,
      { cause },
    );
  }
}

/** The steps that count. May run again from any point. */
function place({ id, place, record, incoming, outgoing }: DecidedChange, world: World): void {
  const target = join(place.plugins_dir, id);
  if (record === null || exists(incoming)) {
    if (exists(target)) Deno.renameSync(target, outgoing);
    world.failpoint?.("plugin.moved_aside");
    if (record !== null) Deno.renameSync(incoming, target);
    if (exists(place.plugins_dir)) syncDirectory(place.plugins_dir);
  }
  world.failpoint?.("plugin.placed");
  const records = new PackRecords(place.record_file);
  if (record !== null || records.read().packs.has(id)) {
    records.update((packs) => {
      if (record === null) packs.delete(id);
      else packs.set(id, record);
    });
  }
  world.failpoint?.("plugin.recorded");
}

/** Undoes what `place` did before it failed. */
function putBack({ id, place, record, incoming, outgoing }: DecidedChange): void {
  const target = join(place.plugins_dir, id);
  if (record !== null && !exists(incoming) && exists(target)) Deno.renameSync(target, incoming);
  if (exists(outgoing)) Deno.renameSync(outgoing, target);
  removeTree(incoming);
  removeEmpty(place.plugins_dir, place.keep);
}

/** What is no longer needed goes; the file of the decision last. */
function tidy({ place, outgoing, remove }: DecidedChange, state_dir: string, world: World): void {
  removeTree(outgoing);
  for (const folder of remove) {
    removeTree(folder);
    removeEmpty(dirname(folder), place.keep);
  }
  const { packs, problem } = new PackRecords(place.record_file).read();
  if (packs.size === 0 && problem === undefined) {
    for (const file of [place.record_file, `${place.record_file}.lock`]) removeTree(file);
    removeEmpty(dirname(place.record_file), place.keep);
  }
  removeEmpty(place.plugins_dir, place.keep);
  world.failpoint?.("plugin.tidied");
  Deno.removeSync(fileOf(state_dir));
}

/** What a copy that was cut off before its decision has left. Only the holder of the lock makes such folders. */
function sweep(plugins_dir: string): void {
  if (!exists(plugins_dir)) return;
  for (const { name } of Deno.readDirSync(plugins_dir)) {
    if (name.startsWith(".install-") || name.startsWith(".old-")) removeTree(join(plugins_dir, name));
  }
}

/** Copies files and folders, private, and waits until the disk has them. */
function copyDurably(from: string, to: string): void {
  Deno.mkdirSync(to, { mode: 0o700 });
  for (const entry of Deno.readDirSync(from)) {
    const target = join(to, entry.name);
    if (entry.isDirectory) {
      copyDurably(join(from, entry.name), target);
      continue;
    }
    const bytes = Deno.readFileSync(join(from, entry.name));
    using file = Deno.openSync(target, { write: true, createNew: true, mode: 0o600 });
    for (let sent = 0; sent < bytes.length;) sent += file.writeSync(bytes.subarray(sent));
    file.syncSync();
  }
  syncDirectory(to);
}

function fileOf(state_dir: string): string {
  return join(state_dir, "plugin_change.json");
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
