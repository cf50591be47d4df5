// deno-lint-ignore-file no-sync-fn-in-async-fn -- the synchronous doors are tried too
import { contained, denied } from "./attempt.ts";
import type { Attempt } from "./attempt.ts";

/** Files outside the grant: read, changed, made, looked at, by every door that Deno and its Node side have. */
export const FILE_ATTEMPTS: Attempt[] = [
  ...denied({
    "read a file": ({ outside }) => Deno.readTextFile(`${outside}/canary.txt`),
    "read a file, at once": ({ outside }) => Deno.readTextFileSync(`${outside}/canary.txt`),
    "read bytes by URL": async ({ outside }) =>
      new TextDecoder().decode(await Deno.readFile(new URL(`file://${outside}/%63anary.txt`))),
    "open a file": async ({ outside }) => {
      using file = await Deno.open(`${outside}/canary.txt`);
      return await new Response(file.readable).text();
    },
    "read with node:fs": async ({ outside }) =>
      (await import("node:fs")).readFileSync(`${outside}/canary.txt`, "utf8"),
    "read with node:fs/promises": async ({ outside }) =>
      await (await import("node:fs/promises")).readFile(`${outside}/canary.txt`, "utf8"),
    "stream with node:fs": async ({ outside }) => {
      let text = "";
      for await (const part of (await import("node:fs")).createReadStream(`${outside}/canary.txt`)) {
        text += part;
      }
      return text;
    },
    "read through process.getBuiltinModule": async ({ outside }) => {
      const { default: process } = await import("node:process");
      return process.getBuiltinModule("fs").readFileSync(`${outside}/canary.txt`, "utf8");
    },
    "read as a Node blob": async ({ outside }) =>
      await (await (await import("node:fs")).openAsBlob(`${outside}/canary.txt`)).text(),
    "copy a file to a place of the pack": async ({ outside, data_dir }) => {
      await Deno.copyFile(`${outside}/canary.txt`, `${data_dir}/copied`);
      return "copied";
    },
    "read /proc/self/environ": () => Deno.readTextFile("/proc/self/environ"),
    "read the host's environment in /proc": ({ host_pid }) => Deno.readTextFile(`/proc/${host_pid}/environ`),
    "read the host's memory": async ({ host_pid }) => {
      using file = await Deno.open(`/proc/${host_pid}/mem`);
      return file.isTerminal();
    },
    "open its own memory for writing": async () => {
      using file = await Deno.open("/proc/self/mem", { read: true, write: true });
      return file.isTerminal();
    },
    "read through /proc/self/root": ({ outside }) =>
      Deno.readTextFile(`/proc/self/root${outside}/canary.txt`),
    "read through the host's root": ({ outside, host_pid }) =>
      Deno.readTextFile(`/proc/${host_pid}/root${outside}/canary.txt`),
    "read through the host's folder": ({ host_pid }) => Deno.readTextFile(`/proc/${host_pid}/cwd/deno.json`),
    "list the host's open files": async ({ host_pid }) => {
      const names = [];
      for await (const { name } of Deno.readDir(`/proc/${host_pid}/fd`)) names.push(name);
      return names;
    },
    "read the host's arguments": ({ host_pid }) => Deno.readTextFile(`/proc/${host_pid}/cmdline`),
    "read /dev/stdin": () => Deno.readTextFile("/proc/self/fd/0"),
    "climb with ..": ({ outside, data_dir }) =>
      Deno.readTextFile(`${data_dir}/../../../../../../..${outside}/canary.txt`),
    "a path with a NUL": ({ outside }) => Deno.readTextFile(`${outside}/canary.txt\0.md`),
    "another folder, then a relative path": ({ outside }) => {
      Deno.chdir(outside);
      return Deno.readTextFileSync("canary.txt");
    },
    "the folder of Node": async ({ outside }) => {
      (await import("node:process")).chdir(outside);
      return (await import("node:fs")).readFileSync("canary.txt", "utf8");
    },
    "fetch file:": async ({ outside }) => await (await fetch(`file://${outside}/canary.txt`)).text(),
    "list a folder": ({ outside }) => [...Deno.readDirSync(outside)].map(({ name }) => name),
    "list a folder with node:fs": async ({ outside }) => (await import("node:fs")).readdirSync(outside),
    "glob with node:fs": async ({ outside }) => {
      const found = (await import("node:fs")).globSync(`${outside}/*.txt`);
      return found.length > 0 ? found : undefined;
    },
    "ask whether a file is there": async ({ outside }) =>
      (await import("node:fs")).existsSync(`${outside}/canary.txt`) || undefined,
    "stat a file": async ({ outside }) => (await Deno.stat(`${outside}/canary.txt`)).size,
    "lstat a file": async ({ outside }) => (await Deno.lstat(`${outside}/canary.txt`)).size,
    "stat with node:fs": async ({ outside }) =>
      (await import("node:fs")).statSync(`${outside}/canary.txt`).size,
    "resolve a path": ({ outside }) => Deno.realPath(`${outside}/canary.txt`),
    "watch a folder": ({ outside }) => {
      Deno.watchFs(outside).close();
      return "watched";
    },
    "watch with node:fs": async ({ outside }) => {
      const { watch } = await import("node:fs");
      return await new Promise((resolve, reject) => {
        const watcher = watch(outside).on("error", reject).on("change", () => resolve("watched"));
        setTimeout(() => {
          watcher.close();
          reject(new Error("nothing was seen"));
        }, 100);
      });
    },
    "write a new file": async ({ outside }) => {
      await Deno.writeTextFile(`${outside}/written`, "x");
      return "written";
    },
    "write over a file": async ({ outside }) => {
      await Deno.writeTextFile(`${outside}/canary.txt`, "x");
      return "written";
    },
    "append with node:fs": async ({ outside }) => {
      (await import("node:fs")).appendFileSync(`${outside}/canary.txt`, "x");
      return "written";
    },
    "stream into a file": async ({ outside }) => {
      const { createWriteStream } = await import("node:fs");
      return await new Promise((resolve, reject) =>
        createWriteStream(`${outside}/written`).on("error", reject).end("x").on(
          "finish",
          () => resolve("written"),
        )
      );
    },
    "write in the pack's own folder": async ({ data_dir }) => {
      await Deno.writeTextFile(`${data_dir}/written`, "x");
      return "written";
    },
    "cut a file": async ({ outside }) => {
      await Deno.truncate(`${outside}/canary.txt`, 0);
      return "cut";
    },
    "remove a file": async ({ outside }) => {
      await Deno.remove(`${outside}/canary.txt`);
      return "removed";
    },
    "remove a folder with node:fs": async ({ outside }) => {
      (await import("node:fs")).rmSync(outside, { recursive: true });
      return "removed";
    },
    "move a file": async ({ outside, data_dir }) => {
      await Deno.rename(`${outside}/canary.txt`, `${data_dir}/moved`);
      return "moved";
    },
    "make a folder": async ({ outside }) => {
      await Deno.mkdir(`${outside}/made`);
      return "made";
    },
    "change modes": async ({ outside }) => {
      await Deno.chmod(`${outside}/canary.txt`, 0o777);
      return "changed";
    },
    "change owners": async ({ outside }) => {
      await Deno.chown(`${outside}/canary.txt`, 1, 1);
      return "changed";
    },
    "change times": async ({ outside }) => {
      await Deno.utime(`${outside}/canary.txt`, 0, 0);
      return "changed";
    },
    "make a link to a file": async ({ outside, data_dir }) => {
      await Deno.symlink(`${outside}/canary.txt`, `${data_dir}/made-link`);
      return Deno.readTextFileSync(`${data_dir}/made-link`);
    },
    "make a hard link": async ({ outside, data_dir }) => {
      await Deno.link(`${outside}/canary.txt`, `${data_dir}/hard`);
      return "linked";
    },
    "read where a link leads": ({ workspace }) => Deno.readLink(`${workspace}/link`),
    "make a temporary file": () => Deno.makeTempFile(),
    "make a temporary folder": ({ outside }) => Deno.makeTempDir({ dir: outside }),
    "make a temporary folder with node:fs": async () => (await import("node:fs")).mkdtempSync("/tmp/escape-"),
    "chdir into a folder": ({ outside }) => {
      Deno.chdir(outside);
      return Deno.cwd();
    },
    "open a database": async ({ outside }) => {
      const { DatabaseSync } = await import("node:sqlite");
      return new DatabaseSync(`${outside}/canary.db`).prepare("SELECT secret FROM secrets").all();
    },
    "open a database by its URI": async ({ outside }) => {
      const { DatabaseSync } = await import("node:sqlite");
      return new DatabaseSync(`file:${outside}/canary.db?immutable=1`).prepare("SELECT secret FROM secrets")
        .all();
    },
    "ATTACH a database": async ({ outside }) => {
      const database = new (await import("node:sqlite")).DatabaseSync(":memory:");
      database.exec(`ATTACH '${outside}/canary.db' AS other`);
      return database.prepare("SELECT secret FROM other.secrets").all();
    },
    "ATTACH with more allowed": async ({ outside }) => {
      const database = new (await import("node:sqlite")).DatabaseSync(":memory:") as unknown as {
        limits?: { attach: number };
        exec(sql: string): void;
        prepare(sql: string): { all(): unknown };
      };
      if (database.limits !== undefined) database.limits.attach = 10;
      database.exec(`ATTACH '${outside}/canary.db' AS other`);
      return database.prepare("SELECT secret FROM other.secrets").all();
    },
    "VACUUM INTO a file": async ({ outside }) => {
      new (await import("node:sqlite")).DatabaseSync(":memory:").exec(`VACUUM INTO '${outside}/vacuumed.db'`);
      return "vacuumed";
    },
    "back a database up": async ({ outside }) => {
      const { backup, DatabaseSync } = await import("node:sqlite");
      await backup(new DatabaseSync(":memory:"), `${outside}/backup.db`);
      return "backed up";
    },
    "load an SQLite extension": async ({ library }) => {
      const { DatabaseSync } = await import("node:sqlite");
      new DatabaseSync(":memory:", { allowExtension: true }).loadExtension(library);
      return "loaded";
    },
    "load an SQLite extension by SQL": async ({ library }) => {
      const { DatabaseSync } = await import("node:sqlite");
      return new DatabaseSync(":memory:").prepare(`SELECT load_extension('${library}')`).all();
    },
    "read a file by SQL": async ({ outside }) => {
      const { DatabaseSync } = await import("node:sqlite");
      return new DatabaseSync(":memory:").prepare(`SELECT readfile('${outside}/canary.txt') AS it`).all();
    },
    "open a key-value store": ({ outside }) => {
      const open = (Deno as unknown as { openKv(path: string): Promise<unknown> }).openKv;
      return open(`${outside}/kv`);
    },
    "write a heap snapshot": async ({ outside }) => {
      const { writeHeapSnapshot } = await import("node:v8");
      return writeHeapSnapshot(`${outside}/heap`);
    },
    "write a report": async ({ outside }) => {
      const { default: process } = await import("node:process");
      return process.report?.writeReport?.(`${outside}/report`) || undefined;
    },
  }),
  ...contained({
    "a database in memory": async () =>
      new (await import("node:sqlite")).DatabaseSync(":memory:").prepare("SELECT 1 AS one").all(),
    "the cache": async ({ canary }) => {
      const cache = await caches.open("escape");
      const hit = await cache.match("http://escape.example/");
      await caches.delete("escape");
      return hit === undefined ? "empty" : canary;
    },
    "local storage": () => String(typeof localStorage === "undefined" ? "none" : localStorage.length),
    "a key-value store of its own": async () => {
      const kv = await (Deno as unknown as { openKv(): Promise<{ close(): void }> }).openKv();
      kv.close();
      return "opened";
    },
    "where the program is": () => Deno.execPath(),
    "which folder it is in": () => Deno.cwd(),
    "file descriptors by number": async () => {
      const { fstatSync } = await import("node:fs");
      const open = [];
      for (let fd = 0; fd < 64; fd++) {
        try {
          fstatSync(fd);
          open.push(fd);
        } catch {
          // not open, or not for it
        }
      }
      return open;
    },
    "read file descriptors by number": async ({ canary }) => {
      const { readSync } = await import("node:fs");
      let text = "";
      for (let fd = 3; fd < 64; fd++) {
        const bytes = new Uint8Array(4_096);
        try {
          text += new TextDecoder().decode(bytes.subarray(0, readSync(fd, bytes, 0, 4_096, 0)));
        } catch {
          // not open, or not for it
        }
      }
      return text.includes(canary) ? canary : `${text.length} characters`;
    },
  }),
];

/** What was there before leads out of a folder that the granted pack may read: the grant leaves those links out. */
export const LINK_ATTEMPTS: Attempt[] = [
  ...denied({
    "read through a link to a file": ({ workspace }) => Deno.readTextFile(`${workspace}/link`),
    "read through a link to a folder": ({ workspace }) => Deno.readTextFile(`${workspace}/folder/canary.txt`),
    "read through a link with node:fs": async ({ workspace }) =>
      (await import("node:fs")).readFileSync(`${workspace}/folder/canary.txt`, "utf8"),
    "list through a link": ({ workspace }) =>
      [...Deno.readDirSync(`${workspace}/folder`)].map(({ name }) => name),
    "write through a link to a file": async ({ workspace }) => {
      await Deno.writeTextFile(`${workspace}/link`, "x");
      return "written";
    },
    "write through a link to a folder": async ({ workspace }) => {
      await Deno.writeTextFile(`${workspace}/folder/written`, "x");
      return "written";
    },
    "read /proc through a link": ({ workspace }) => Deno.readTextFile(`${workspace}/proc/environ`),
  }),
];
