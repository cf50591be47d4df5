import { createHash } from "node:crypto";
import { tgz } from "./pack_archives.ts";

/** A registry on loopback: the documents and tarballs of what was published to it. */
export class NpmRegistry implements AsyncDisposable {
  readonly url: string;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #packages = new Map<string, Map<string, Uint8Array<ArrayBuffer>>>();

  constructor() {
    this.#server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
      const [name = "", file] = decodeURIComponent(new URL(request.url).pathname).slice(1).split("/-/");
      const versions = this.#packages.get(name);
      if (versions === undefined) return new Response("{}", { status: 404 });
      if (file === undefined) return Response.json(this.#document(name, versions));
      const tarball = versions.get(file.replace(/\.tgz$/, ""));
      return tarball === undefined ? new Response(null, { status: 404 }) : new Response(tarball);
    });
    this.url = `http://127.0.0.1:${this.#server.addr.port}/`;
  }

  /** Publishes the files of a folder under the version of its `package.json`, as `npm publish` packs them. */
  async publish(name: string, folder: string): Promise<void> {
    const { version } = JSON.parse(await Deno.readTextFile(`${folder}/package.json`)) as { version: string };
    const names = await Array.fromAsync(Deno.readDir(folder), (entry) => entry.name);
    const entries = names.sort().map((file) => ({
      path: `package/${file}`,
      body: Deno.readTextFileSync(`${folder}/${file}`),
    }));
    const versions = this.#packages.get(name) ?? new Map<string, Uint8Array<ArrayBuffer>>();
    versions.set(version, new Uint8Array(tgz(entries)));
    this.#packages.set(name, versions);
  }

  #document(name: string, versions: ReadonlyMap<string, Uint8Array>) {
    return {
      name,
      "dist-tags": { latest: [...versions.keys()].at(-1) },
      versions: Object.fromEntries(
        [...versions].map(([version, tarball]) => [version, {
          name,
          version,
          dist: {
            tarball: `${this.url}${name}/-/${version}.tgz`,
            integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}`,
          },
        }]),
      ),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}
