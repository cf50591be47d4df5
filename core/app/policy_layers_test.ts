import assert from "node:assert/strict";
import { tempDir } from "../../tests/support/temp_dir.ts";
import { appRootPaths } from "../app_root/mod.ts";
import type { AppRoot } from "../app_root/mod.ts";
import type { LoadedSettings } from "../config/mod.ts";
import { assertMode, projectRulesFile } from "./policy_layers.ts";

Deno.test("mode yolo is refused while the session runs by each place that takes it away, the project's own file among them", async () => {
  await using dir = await tempDir();
  const app_root = appRootPaths(dir.path) as AppRoot;
  const project = { root: dir.path, id: "p" } as Parameters<typeof projectRulesFile>[1];
  const permissions = { allow: [], ask: [], deny: [], additionalDirectories: [], defaultMode: undefined };
  const off = { ...permissions, disableBypassPermissionsMode: "disable" };
  const loaded = (parts: object) => ({ permission_sources: [], ...parts }) as unknown as LoadedSettings;
  const set = (parts: object = {}) => assertMode("yolo", { loaded: loaded(parts), app_root, project });
  await set();
  await set({ managed: { file: "/m", permissions }, permission_sources: [{ ...permissions, origin: "/s" }] });
  await assert.rejects(set({ managed: { file: "/m", permissions: off } }), /disabled .* in \/m;/);
  const source = (layer: string) => ({ permission_sources: [{ ...off, layer, origin: `/${layer}` }] });
  for (const layer of ["user", "settings_file", "environment", "flag", "project"]) {
    await assert.rejects(set(source(layer)), new RegExp(`disabled .* in /${layer};`));
  }
  const file = projectRulesFile(app_root, project);
  await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
  await Deno.writeTextFile(file, JSON.stringify({ disableBypassPermissionsMode: "disable" }));
  await assert.rejects(set(), /disabled .*permissions\.json/);
  await assertMode("auto", { loaded: loaded({}), app_root, project });
});
