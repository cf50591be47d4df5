// deno-lint-ignore-file no-sync-fn-in-async-fn -- the synchronous doors are tried too
import { contained, denied } from "./attempt.ts";
import type { Attempt } from "./attempt.ts";

/** What a small grant allows: it must work, or the attempts beyond it would say nothing. */
export const GRANTED: Attempt[] = contained({
  "read the workspace": ({ workspace }) => Deno.readTextFile(`${workspace}/own.txt`),
  "fetch from the one host": async ({ allowed }) =>
    await (await fetch(`http://127.0.0.1:${allowed}/`)).text(),
  "run the one program": async ({ program }) =>
    (await new Deno.Command(program, { args: ["0"] }).output()).code,
});

/** Beyond each part of a grant that reads the workspace, uses one host, runs one program, sees one variable. */
export const BEYOND_GRANT: Attempt[] = [
  ...denied({
    "write in the workspace": async ({ workspace }) => {
      await Deno.writeTextFile(`${workspace}/own.txt`, "x");
      return "written";
    },
    "open for reading and writing": async ({ workspace }) => {
      (await Deno.open(`${workspace}/own.txt`, { read: true, write: true })).close();
      return "opened";
    },
    "change times in the workspace": async ({ workspace }) => {
      using file = await Deno.open(`${workspace}/own.txt`);
      await file.utime(0, 0);
      return "changed";
    },
    "cut an open file": async ({ workspace }) => {
      using file = await Deno.open(`${workspace}/own.txt`);
      await file.truncate(0);
      return "cut";
    },
    "climb out of the workspace": ({ workspace, outside }) =>
      Deno.readTextFile(`${workspace}/../${outside.split("/").at(-1)}/canary.txt`),
    "climb out by a link": ({ workspace }) => Deno.readTextFile(`${workspace}/folder/../canary.txt`),
    "a neighbour whose name begins the same": ({ workspace }) =>
      Deno.readTextFile(`${workspace}-neighbour/canary.txt`),
    "a link of its own in the workspace": async ({ workspace, outside }) => {
      await Deno.symlink(`${outside}/canary.txt`, `${workspace}/made`);
      return Deno.readTextFileSync(`${workspace}/made`);
    },
    "a worker that reads above the workspace": ({ outside }) => {
      const options = { type: "module", deno: { permissions: { read: [outside] } } } as WorkerOptions;
      new Worker("data:text/javascript,", options).terminate();
      return "started";
    },
    "a worker that writes in the workspace": ({ workspace }) => {
      const options = { type: "module", deno: { permissions: { write: [workspace] } } } as WorkerOptions;
      new Worker("data:text/javascript,", options).terminate();
      return "started";
    },
    "a worker that runs another program": () => {
      const options = { type: "module", deno: { permissions: { run: ["/bin/sh"] } } } as WorkerOptions;
      new Worker("data:text/javascript,", options).terminate();
      return "started";
    },
    "ask for the rest": async ({ outside, env_name }) => {
      const asked = [
        { name: "read" },
        { name: "read", path: outside },
        { name: "net" },
        { name: "run" },
        { name: "run", command: "/bin/sh" },
        { name: "env", variable: `${env_name}_OTHER` },
      ] as Deno.PermissionDescriptor[];
      const granted = [];
      for (const one of asked) {
        if ((await Deno.permissions.request(one)).state === "granted") granted.push(one);
      }
      return granted.length > 0 ? granted : undefined;
    },
    "another port of the host": async ({ tcp }) => (await fetch(`http://127.0.0.1:${tcp}/`)).status,
    "the same port by another name": async ({ allowed }) =>
      (await fetch(`http://localhost:${allowed}/`)).status,
    "the same port of every address": async ({ allowed }) =>
      (await fetch(`http://0.0.0.0:${allowed}/`)).status,
    "a redirect to another port": async ({ allowed, tcp }) =>
      (await fetch(`http://127.0.0.1:${allowed}/?to=${encodeURIComponent(`http://127.0.0.1:${tcp}/`)}`))
        .status,
    "a redirect to a file": async ({ allowed, outside }) => {
      const to = encodeURIComponent(`file://${outside}/canary.txt`);
      return await (await fetch(`http://127.0.0.1:${allowed}/?to=${to}`)).text();
    },
    "the one host as a proxy to another": async ({ allowed, tcp }) => {
      const client = Deno.createHttpClient({ proxy: { url: `http://127.0.0.1:${allowed}` } });
      return (await fetch(`http://127.0.0.1:${tcp}/`, { client })).status;
    },
    "another port with node:http": async ({ tcp }) => {
      const { get } = await import("node:http");
      return await new Promise((resolve, reject) =>
        get({ host: "127.0.0.1", port: tcp, path: "/" }, (answer) => resolve(answer.statusCode)).on(
          "error",
          reject,
        )
      );
    },
    "a socket file": async ({ unix }) => {
      (await Deno.connect({ transport: "unix", path: unix })).close();
      return "connected";
    },
    "listen on any port": () => {
      Deno.listen({ hostname: "127.0.0.1", port: 0 }).close();
      return "listened";
    },
    "import from the one host": async ({ allowed }) => await import(`http://127.0.0.1:${allowed}/mod.js`),
    "another program": async ({ mark }) =>
      (await new Deno.Command("/bin/echo", { args: [mark] }).output()).code,
    "a shell": async ({ mark }) =>
      (await new Deno.Command("/bin/sh", { args: ["-c", `: ${mark}`] }).output()).code,
    "a program named through another folder": async ({ mark }) =>
      (await new Deno.Command("/bin/../bin/echo", { args: [mark] }).output()).code,
    "the program with a library of its own": async ({ program, outside }) =>
      (await new Deno.Command(program, { args: ["0"], env: { LD_PRELOAD: `${outside}/canary.node` } })
        .output()).code,
    "another program by its path": async ({ outside }) =>
      (await new Deno.Command("sleep", { args: ["0"], env: { PATH: outside } }).output()).code,
    "a shell of Node around the program": async ({ program, mark }) => {
      const { spawnSync } = await import("node:child_process");
      return spawnSync(`${program} 0; echo ${mark}`, { shell: true, encoding: "utf8" }).stdout || undefined;
    },
    "the program in another folder": async ({ program, outside }) =>
      (await new Deno.Command(program, { args: ["0"], cwd: `${outside}/none` }).output()).code,
    "another variable": ({ env_name }) => Deno.env.get(`${env_name}_OTHER`),
    "every variable": () => Deno.env.toObject(),
    "the host's value of the one variable": ({ env_name }) => Deno.env.get(env_name),
    "signal the host": ({ host_pid }) => {
      Deno.kill(host_pid, "SIGUSR1");
      return "sent";
    },
    "signal the host with Node": async ({ host_pid }) =>
      (await import("node:process")).kill(host_pid, "SIGUSR1"),
    "a database of the workspace that writes": async ({ workspace }) => {
      const { DatabaseSync } = await import("node:sqlite");
      new DatabaseSync(`${workspace}/made.db`).exec("CREATE TABLE made (it)");
      return "written";
    },
    "ATTACH from a database of the workspace": async ({ workspace, outside }) => {
      const { DatabaseSync } = await import("node:sqlite");
      const database = new DatabaseSync(`${workspace}/own.db`, { readOnly: true });
      database.exec(`ATTACH '${outside}/canary.db' AS other`);
      return database.prepare("SELECT secret FROM other.secrets").all();
    },
  }),
  ...contained({
    "the one host by the IPv6 spelling of its address": async ({ allowed }) =>
      (await fetch(`http://[::ffff:127.0.0.1]:${allowed}/`)).status,
    "a detached child": ({ program, mark }) => {
      const child = new Deno.Command(program, {
        args: [mark],
        detached: true,
        stdin: "null",
        stdout: "null",
        stderr: "null",
      }).spawn();
      child.unref();
      return child.pid;
    },
    "a child with the pack's output": async ({ program }) =>
      (await new Deno.Command(program, { args: ["none"], stdout: "inherit", stderr: "null" }).output()).code,
  }),
];
