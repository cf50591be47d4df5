import assert from "node:assert/strict";
import { join } from "node:path";
import { LuminaError, systemWorld } from "../base/mod.ts";
import { LAYERS } from "./app_root_paths.ts";
import { openAppRoot } from "./open_app_root.ts";

function inTemporaryFolder(body: (folder: string) => void): void {
  const folder = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    body(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

function embeddedResources(folder: string): string {
  const embedded = join(folder, "embedded");
  Deno.mkdirSync(join(embedded, "skills", "review"), { recursive: true });
  Deno.writeTextFileSync(join(embedded, "skills", "review", "SKILL.md"), "review\n");
  Deno.mkdirSync(join(embedded, "demo"));
  return embedded;
}

function mode(path: string): number {
  return (Deno.statSync(path).mode ?? 0) & 0o777;
}

Deno.test("openAppRoot() makes five private layers, layout.json and the resources", () => {
  inTemporaryFolder((folder) => {
    const embedded = embeddedResources(folder);
    const app_root = openAppRoot(join(folder, "deep", "root"), {
      version: "1.0.0",
      embedded,
      world: systemWorld,
    });
    for (const path of [app_root.root, app_root.sessionsDir, ...LAYERS.map((x) => join(app_root.root, x))]) {
      assert.equal(mode(path), 0o700, path);
    }
    assert.equal(mode(app_root.layoutFile), 0o600);
    const layout = JSON.parse(Deno.readTextFileSync(app_root.layoutFile));
    assert.equal(layout.layout_version, 2);
    assert.equal(layout.installed_version, "1.0.0");
    assert.deepEqual(app_root.warnings, []);
    const skill = join(app_root.resourcesDir, "skills", "review", "SKILL.md");
    assert.equal(app_root.resourcesDir, join(app_root.appDir, "resources"));
    assert.equal(Deno.readTextFileSync(skill), "review\n");
    assert.equal(mode(skill), 0o600);
    assert.deepEqual([...Deno.readDirSync(app_root.appDir)].map((x) => x.name), ["resources"]);
    assert.deepEqual([...Deno.readDirSync(app_root.resourcesDir)].map((x) => x.name), ["skills"]);
  });
});

Deno.test("openAppRoot() of the same version changes nothing but wide modes", () => {
  inTemporaryFolder((folder) => {
    const options = { version: "1.0.0", embedded: embeddedResources(folder), world: systemWorld };
    const root = join(folder, "root");
    const first = openAppRoot(root, options);
    const before = Deno.statSync(first.layoutFile).ino;
    Deno.chmodSync(root, 0o755);
    const second = openAppRoot(root, options);
    assert.equal(Deno.statSync(first.layoutFile).ino, before);
    assert.equal(second.resourcesDir, first.resourcesDir);
    assert.equal(mode(root), 0o700);
  });
});

Deno.test("openAppRoot() of another version renews the resources as a whole", () => {
  inTemporaryFolder((folder) => {
    const embedded = embeddedResources(folder);
    const root = join(folder, "root");
    const first = openAppRoot(root, { version: "1.0.0", embedded, world: systemWorld });
    Deno.renameSync(join(embedded, "skills", "review"), join(embedded, "skills", "judge"));
    openAppRoot(root, { version: "1.1.0", embedded, world: systemWorld });
    assert.deepEqual([...Deno.readDirSync(join(first.resourcesDir, "skills"))].map((x) => x.name), ["judge"]);
    assert.deepEqual([...Deno.readDirSync(first.appDir)].map((x) => x.name), ["resources"]);
  });
});

Deno.test("openAppRoot() starts without layout.json, without layers and with a torn layout.json", () => {
  inTemporaryFolder((folder) => {
    const options = { version: "1.0.0", embedded: embeddedResources(folder), world: systemWorld };
    const root = join(folder, "root");
    const { layoutFile, dataDir, resourcesDir } = openAppRoot(root, options);
    Deno.removeSync(layoutFile);
    openAppRoot(root, options);
    Deno.writeTextFileSync(layoutFile, '{"layout_ver');
    openAppRoot(root, options);
    assert.equal(JSON.parse(Deno.readTextFileSync(layoutFile)).layout_version, 2);
    for (const lost of [dataDir, resourcesDir]) {
      Deno.removeSync(lost, { recursive: true });
      openAppRoot(root, options);
      assert.ok(Deno.statSync(lost).isDirectory);
    }
  });
});

Deno.test("openAppRoot() serves the embedded copy when app/resources cannot be written", () => {
  inTemporaryFolder((folder) => {
    const options = { version: "1.0.0", embedded: join(folder, "file"), world: systemWorld };
    Deno.mkdirSync(options.embedded);
    Deno.writeTextFileSync(join(options.embedded, "skills"), "a file where a folder should be");
    const app_root = openAppRoot(join(folder, "root"), options);
    assert.equal(app_root.resourcesDir, options.embedded);
    assert.match(
      app_root.warnings.join("\n"),
      /Cannot write skills and teams to .*copy inside the program serves/,
    );
    const again = openAppRoot(app_root.root, options);
    assert.equal(again.resourcesDir, options.embedded);
    assert.deepEqual(again.warnings, []);
  });
});

Deno.test("openAppRoot() says in one line that the root cannot be written", () => {
  inTemporaryFolder((folder) => {
    const blocked = join(folder, "blocked");
    Deno.writeTextFileSync(blocked, "a file where the root should be");
    for (const root of [blocked, join(blocked, "root")]) {
      assert.throws(
        () => openAppRoot(root, { version: "1.0.0", embedded: folder, world: systemWorld }),
        (error) =>
          error instanceof LuminaError && error.code === "app_root.unwritable" && error.exit === 2 &&
          error.message.includes(root) && error.message.includes("LUMINA_APP_ROOT") &&
          !error.message.includes("\n"),
      );
    }
  });
});

Deno.test("openAppRoot() refuses a layout that a later Lumina has changed", () => {
  inTemporaryFolder((folder) => {
    const options = { version: "1.0.0", embedded: embeddedResources(folder), world: systemWorld };
    const { root, layoutFile } = openAppRoot(join(folder, "root"), options);
    Deno.writeTextFileSync(layoutFile, '{"layout_version": 3}');
    assert.throws(() => openAppRoot(root, options), { code: "app_root.newer_layout", exit: 2 });
    assert.equal(Deno.readTextFileSync(layoutFile), '{"layout_version": 3}');
  });
});

Deno.test("AppRoot paths keep ids inside their folders", () => {
  inTemporaryFolder((folder) => {
    const app_root = openAppRoot(join(folder, "root"), {
      version: "1",
      embedded: folder,
      world: systemWorld,
    });
    assert.equal(app_root.sessionDir("01J-x_y"), join(app_root.sessionsDir, "01J-x_y"));
    assert.equal(
      app_root.spillDir("研究-0123456789abcdef", "s1"),
      join(app_root.stateDir, "projects", "研究-0123456789abcdef", "tool-results", "s1"),
    );
    for (const id of ["", "..", ".hidden", "a/b", "a\\b", "a\0b", "x".repeat(201)]) {
      assert.throws(() => app_root.sessionDir(id), { code: "app_root.bad_id", exit: 2 });
      assert.throws(() => app_root.spillDir("p", id), { code: "app_root.bad_id" });
    }
  });
});
