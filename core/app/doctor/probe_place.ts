import { join } from "node:path";
import { makePrivateDirectory } from "../../app_root/mod.ts";
import type { World } from "../../base/mod.ts";

/** Throw-away folders and listeners that probes try to reach. Disposing takes all of it away. */
export interface ProbePlace extends AsyncDisposable {
  /** A repository that may be written. */
  workspace: string;
  /** A folder beside it that may not. */
  outside: string;
  /** A home folder with a key in it. */
  home: string;
  /** An app root with a settings file in it. */
  app_root: string;
  /** Where tools may spill output. */
  spill_dir: string;
  /** Files that must stay unread, and the words in each. */
  key_file: string;
  settings_file: string;
  secret: string;
  /** Somebody listens there, and answers a request with the secret. */
  port: number;
  socket: string;
  /** What tells these probes from others. */
  mark: string;
}

/** Makes them, not below /tmp where that can be: a sandbox has a /tmp of its own. */
export async function probePlace(world: World): Promise<ProbePlace> {
  const mark = world.uuid().replaceAll("-", "");
  const made = await Deno.makeTempDir({ dir: "/var/tmp", prefix: "lumina-doctor-" }).catch(() =>
    Deno.makeTempDir({ prefix: "lumina-doctor-" })
  );
  const base = await Deno.realPath(made);
  const folder = (name: string) => {
    makePrivateDirectory(join(base, name));
    return join(base, name);
  };
  const place = {
    workspace: folder("work"),
    outside: folder("outside"),
    home: folder("home"),
    app_root: folder("root"),
    spill_dir: folder("spill"),
    key_file: join(folder("home/.ssh"), "id_probe"),
    settings_file: join(folder("root/config"), "settings.json"),
    secret: `secret-${mark}`,
    socket: join(base, "outside", "listener.sock"),
    mark,
  };
  folder("work/.git/hooks");
  for (const file of [place.key_file, place.settings_file]) {
    await Deno.writeTextFile(file, `"${place.secret}"\n`, { mode: 0o600 });
  }
  const tcp = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const listeners: Deno.Listener[] = [tcp];
  if (Deno.build.os !== "windows") listeners.push(Deno.listen({ transport: "unix", path: place.socket }));
  const serving = Promise.all(listeners.map((listener) => serve(listener, place.secret)));
  return {
    ...place,
    port: tcp.addr.port,
    async [Symbol.asyncDispose]() {
      for (const listener of listeners) listener.close();
      await serving;
      await Deno.remove(base, { recursive: true });
    },
  };
}

/** Answers whatever comes with the secret, as a web server would. */
async function serve(listener: Deno.Listener, secret: string): Promise<void> {
  const answer = new TextEncoder().encode(
    `HTTP/1.1 200 OK\r\nContent-Length: ${secret.length}\r\nConnection: close\r\n\r\n${secret}`,
  );
  for await (const connection of listener) {
    try {
      await connection.read(new Uint8Array(4096));
      await connection.write(answer);
    } catch {
      // a prober that has gone needs no answer
    }
    connection.close();
  }
}
