import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { writeFileAtomic } from "../base/mod.ts";
import { SettingsWatch } from "./settings_watch.ts";

async function withWatch(body: (watch: SettingsWatch, user: string, project: string) => Promise<void>) {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  const user = join(folder, "settings.json");
  const project = join(folder, "project", ".Lumina", "CONFIG", "defaults.json");
  try {
    await Deno.mkdir(dirname(project), { recursive: true });
    await Deno.writeTextFile(user, '{ "api_model": "first" }');
    const watch = await SettingsWatch.open({
      app_root: { settingsFile: user },
      project_dir: join(folder, "project"),
      env: { get: () => undefined },
      home: folder,
      flags: { effort: "low" },
    });
    await body(watch, user, project);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("reload() gives the same object while no file has changed", async () => {
  await withWatch(async (watch) => {
    const before = watch.current;
    assert.deepEqual(await watch.reload(), { changed: false, warnings: [] });
    assert.equal(watch.current, before);
  });
});

Deno.test("reload() sees a changed, a new and a removed file; flags stay", async () => {
  await withWatch(async (watch, user, project) => {
    writeFileAtomic(user, '{ "api_model": "other" }');
    assert.deepEqual(await watch.reload(), { changed: true, warnings: [] });
    assert.equal(watch.current.settings.api_model, "other");
    writeFileAtomic(project, '{ "max_parent_turns": 3, "effort": "max", "api_model": "evil" }');
    const { changed, warnings } = await watch.reload();
    assert.equal(changed, true);
    assert.deepEqual(warnings, [`${project}:1: "api_model" is ignored: a project's file cannot set it`]);
    assert.equal(watch.current.settings.max_parent_turns, 3);
    assert.equal(watch.current.settings.effort, "low");
    assert.equal(watch.current.settings.api_model, "other");
    await Deno.remove(user);
    assert.deepEqual(await watch.reload(), { changed: true, warnings: [] });
    assert.equal(watch.current.settings.api_model, undefined);
  });
});

Deno.test("reload() of a broken file keeps the last good settings and says so once", async () => {
  await withWatch(async (watch, user) => {
    const before = watch.current;
    writeFileAtomic(user, '{\n  "api_model": "other",\n  "max_parent_turns": x }');
    const { changed, warnings } = await watch.reload();
    assert.equal(changed, false);
    assert.equal(warnings.length, 1);
    assert.ok(
      warnings[0]!.startsWith(`${user}:3:23: `) && warnings[0]!.includes("last good settings"),
      warnings[0],
    );
    assert.equal(watch.current, before);
    assert.deepEqual(await watch.reload(), { changed: false, warnings: [] });
    writeFileAtomic(user, '{ "api_model": "mended" }');
    assert.deepEqual(await watch.reload(), { changed: true, warnings: [] });
    assert.equal(watch.current.settings.api_model, "mended");
  });
});
