import { createSocket } from "node:dgram";
import { DatabaseSync } from "node:sqlite";
import { tempDir } from "../../support/temp_dir.ts";
import type { EscapeInput } from "./attempt.ts";

const ALLOWED_ANSWER = "allowed answer";

/** Everything outside a pack that it may try to reach, and what says whether it was reached. */
export interface Outside extends AsyncDisposable {
  input: EscapeInput;
  /** What has changed or was reached since this was last asked; empty when nothing was. */
  changes(): Promise<string[]>;
  /** What the one allowed address was asked for. */
  allowed_requests: string[];
}

/** Puts secrets into files, links, a database, a variable of this process; opens listeners; listens to signals. */
export async function openOutside(): Promise<Outside> {
  const dir = await tempDir("lumina-escape-");
  const unique = crypto.randomUUID().slice(0, 8);
  const canary = `canary-${unique}`;
  const env_name = `ESCAPE_${unique.toUpperCase()}`;
  const reached: string[] = [];
  const allowed_requests: string[] = [];

  for (const [name, text] of Object.entries(filesOf(canary, env_name))) {
    await dir.write(`outside/${name}`, text);
  }
  const outside = dir.join("outside");
  const database = new DatabaseSync(`${outside}/canary.db`);
  database.exec("CREATE TABLE secrets (secret TEXT)");
  database.prepare("INSERT INTO secrets VALUES (?)").run(`${canary}-db`);
  database.close();
  await dir.write("workspace/own.txt", "own words");
  await Deno.symlink(`${outside}/canary.txt`, dir.join("workspace/link"));
  await Deno.symlink(outside, dir.join("workspace/folder"));
  await Deno.symlink("/proc/self", dir.join("workspace/proc"));
  await Deno.mkdir(dir.join("sockets"));
  const unix = dir.join("sockets/host.sock");

  const tcp = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const socket_file = Deno.listen({ transport: "unix", path: unix });
  const accepting = [accept(tcp, "TCP", reached), accept(socket_file, "the socket file", reached)];
  const allowed = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname, searchParams } = new URL(request.url);
    allowed_requests.push(pathname);
    const to = searchParams.get("to");
    return to === null ? new Response(ALLOWED_ANSWER) : Response.redirect(to, 302);
  });
  const udp = createSocket("udp4");
  udp.on("message", () => reached.push("a datagram has come"));
  await new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", resolve));
  const channel = new BroadcastChannel(`escape-${unique}`);
  channel.onmessage = () => reached.push("a message has come by the channel");
  const signals = (["SIGUSR1", "SIGWINCH"] as const).map((name) => {
    const heard = () => void reached.push(`${name} has come`);
    Deno.addSignalListener(name, heard);
    return () => Deno.removeSignalListener(name, heard);
  });
  Deno.env.set(env_name, `${canary}-env`);

  const input: EscapeInput = {
    canary,
    mark: `600.${Number.parseInt(unique, 16)}`,
    outside,
    workspace: dir.join("workspace"),
    data_dir: dir.join("data"),
    env_name,
    host_pid: Deno.pid,
    tcp: (tcp.addr as Deno.NetAddr).port,
    udp: udp.address().port,
    allowed: allowed.addr.port,
    unix,
    channel: channel.name,
    exec_path: Deno.execPath(),
    library: "libc.so.6",
    program: "/bin/sleep",
  };
  const before = await contents(dir.path);
  return {
    input,
    allowed_requests,
    async changes() {
      await new Promise((resolve) => setTimeout(resolve, 20)); // what was sent has its turn to arrive
      const changes = reached.splice(0);
      const now = await contents(dir.path);
      for (const path of new Set([...before.keys(), ...now.keys()])) {
        if (before.get(path) !== now.get(path)) changes.push(`${path} has changed`);
      }
      for (const line of await commandLines()) {
        if (line.includes(input.mark)) changes.push(`left running: ${line}`);
      }
      if (Deno.env.get(env_name) !== `${canary}-env`) changes.push("a variable has changed");
      if (Object.keys(Object.prototype).length > 0) changes.push("what every object inherits has changed");
      return changes;
    },
    async [Symbol.asyncDispose]() {
      Deno.env.delete(env_name);
      for (const stop of signals) stop();
      channel.close();
      tcp.close();
      socket_file.close();
      await Promise.all(accepting);
      await allowed.shutdown();
      await new Promise<void>((resolve) => udp.close(() => resolve()));
      await dir[Symbol.asyncDispose]();
    },
  };
}

function filesOf(canary: string, env_name: string): Record<string, string> {
  return {
    "canary.txt": `${canary}-text`,
    "canary.json": `{"secret":"${canary}-json"}`,
    "canary.mjs":
      `const it = "${canary}-module"; globalThis.postMessage?.(it); console.log(it); export default it;`,
    "canary.node": `${canary}-node`,
    ".env": `${env_name}_FILE=${canary}-dotenv\n`,
    "package.json": `{"name":"${canary}-package"}`,
  };
}

async function accept(listener: Deno.Listener, what: string, reached: string[]): Promise<void> {
  for await (const connection of listener) {
    reached.push(`somebody has connected to ${what}`);
    connection.close();
  }
}

/** What each path below a folder is: its text, or where its link leads, with its mode. */
async function contents(folder: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const { name, isDirectory, isSymlink, isFile } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    const { mode, uid } = await Deno.lstat(path);
    const what = isSymlink ? await Deno.readLink(path) : isFile ? await Deno.readTextFile(path) : "";
    found.set(path, `${mode} ${uid} ${what}`);
    if (isDirectory) { for (const [inner, text] of await contents(path)) found.set(inner, text); }
  }
  return found;
}

/** The arguments of every process of the machine. */
async function commandLines(): Promise<string[]> {
  const lines: string[] = [];
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      lines.push((await Deno.readTextFile(`/proc/${name}/cmdline`)).replaceAll("\0", " "));
    } catch {
      // it has ended
    }
  }
  return lines;
}
