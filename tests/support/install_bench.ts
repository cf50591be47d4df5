// What the tests of the installer share: packs on disk, an AppRoot of their own, a registry on loopback.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { tempDir } from "./temp_dir.ts";
import type { TempDir } from "./temp_dir.ts";
import { appRootPaths } from "../../core/app_root/mod.ts";
import type { AppRootPaths } from "../../core/app_root/mod.ts";
import { LuminaError, systemWorld } from "../../core/base/mod.ts";
import type { CapabilityRequest } from "../../core/plugin_api/mod.ts";
import type { JsonObject } from "../../core/types/mod.ts";
import { readNpmConfig } from "../../core/plugin_host/install/npm_config.ts";
import { PackInstaller } from "../../core/plugin_host/install/pack_installer.ts";
import type {
  Consent,
  InstallQuestion,
  PackInstallerOptions,
} from "../../core/plugin_host/install/pack_installer.ts";

/** A manifest; `more` replaces fields. */
export function manifestOf(more: Record<string, unknown> = {}): string {
  return JSON.stringify({
    id: "sample",
    version: "1.0.0",
    api: 1,
    title: "Sample",
    kinds: ["tools"],
    entry: "mod.js",
    contributes: {
      tools: [{ name: "Sample", description: "A sample", input_schema: { type: "object" }, effect: "none" }],
    },
    ...more,
  });
}

/** The files of a small pack. */
export function packFiles(more: Record<string, unknown> = {}): Record<string, string> {
  return {
    "manifest.json": manifestOf(more),
    "mod.js": `// ${more["version"] ?? "1.0.0"}\nexport default { tools: {} };\n`,
  };
}

/** Says yes and keeps what it was asked. */
export class Asked {
  readonly questions: InstallQuestion[] = [];
  answer = true;

  readonly consent: Consent = (question) => {
    this.questions.push(question);
    return Promise.resolve(this.answer);
  };

  /** What the last question asked for beyond what was granted. */
  get asks(): CapabilityRequest[] {
    return this.questions.at(-1)?.asks ?? [];
  }
}

/** An AppRoot, a place for sources and an installer. */
export class InstallBench implements AsyncDisposable {
  readonly dir: TempDir;
  readonly app_root: AppRootPaths;
  readonly asked = new Asked();
  readonly #servers: Deno.HttpServer[] = [];
  env: Record<string, string> = {};
  git: string | undefined = "/usr/bin/git";

  private constructor(dir: TempDir) {
    this.dir = dir;
    this.app_root = appRootPaths(dir.join("root"));
  }

  static async open(): Promise<InstallBench> {
    const bench = new InstallBench(await tempDir());
    for (const layer of ["app", "config", "data/sessions/active", "state", "cache"]) {
      await Deno.mkdir(join(bench.app_root.root, layer), { recursive: true });
    }
    return bench;
  }

  installer(more: Partial<PackInstallerOptions> = {}): PackInstaller {
    const { app_root } = this;
    return new PackInstaller({
      app_root,
      world: systemWorld,
      version: "0.0.0",
      place: {
        scope: "user",
        plugins_dir: app_root.userPluginsDir,
        record_file: join(app_root.configDir, "plugins.json"),
        keep: [app_root.root, app_root.configDir, app_root.dataDir],
      },
      dataDir: (id) => join(app_root.dataDir, "plugins", id, "data"),
      ports: {
        fetch: (url, init) => fetch(url, init),
        npm: () => readNpmConfig({ get: (name) => this.env[name] }, this.dir.join("home")),
        git: () => this.git,
        env: () => Promise.resolve({ PATH: Deno.env.get("PATH") ?? "", HOME: this.dir.path }),
      },
      conflict: () => undefined,
      ...more,
    });
  }

  install(source: string, more: Partial<PackInstallerOptions> = {}) {
    return this.installer(more).install(source, this.dir.path, this.asked.consent);
  }

  update(id = "sample") {
    return this.installer().update(id, this.asked.consent);
  }

  /** Writes files below a folder of the bench; gives its path. */
  async files(folder: string, files: Record<string, string | Uint8Array>): Promise<string> {
    await Deno.mkdir(this.dir.join(folder), { recursive: true });
    for (const [path, content] of Object.entries(files)) await this.dir.write(`${folder}/${path}`, content);
    return this.dir.join(folder);
  }

  record(): JsonObject {
    const text = Deno.readTextFileSync(join(this.app_root.configDir, "plugins.json"));
    return (JSON.parse(text).packs as Record<string, JsonObject>)["sample"] ?? {};
  }

  /** Every path below the AppRoot. */
  tree(below = ""): string[] {
    const root = join(this.app_root.root, below);
    return [...Deno.readDirSync(root)].flatMap(({ name, isDirectory }) => {
      const path = join(below, name);
      return isDirectory ? [path, ...this.tree(path)] : [path];
    }).sort();
  }

  /** Serves on loopback until the bench is gone; gives the address with `/` at its end. */
  serve(handler: (request: Request, url: URL) => Response | Promise<Response>): string {
    const server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      (request) => handler(request, new URL(request.url)),
    );
    this.#servers.push(server);
    return `http://127.0.0.1:${server.addr.port}/`;
  }

  /** What an installation is refused for: one line that names the pack, with nothing changed. */
  async refusal(run: () => Promise<unknown>, exit = 1): Promise<string> {
    const before = this.tree();
    let error: unknown;
    try {
      await run();
    } catch (thrown) {
      error = thrown;
    }
    assert.ok(error instanceof LuminaError, `${error}`);
    assert.equal(error.exit, exit, error.message);
    assert.ok(!error.message.includes("\n"), error.message);
    assert.deepEqual(this.tree(), before, error.message);
    return error.message;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) await server.shutdown();
    await this.dir[Symbol.asyncDispose]();
  }
}

/** A registry's document on one package, and its tarballs; `versions` in the order of their making. */
export function registryDocument(
  name: string,
  base: string,
  versions: Record<string, Uint8Array>,
  tags: Record<string, string> = {},
): JsonObject {
  return {
    name,
    "dist-tags": { latest: Object.keys(versions).at(-1) ?? "", ...tags },
    versions: Object.fromEntries(
      Object.entries(versions).map(([version, tarball]) => [version, {
        name,
        version,
        dist: {
          tarball: `${base}-/${version}.tgz`,
          integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}`,
        },
      }]),
    ),
  };
}
