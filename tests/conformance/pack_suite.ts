import assert from "node:assert/strict";
import { systemWorld } from "../../core/base/mod.ts";
import { buildPack, checkPack, stopBundler } from "../../core/plugin_host/author/mod.ts";
import type { CheckRow } from "../../core/plugin_host/author/mod.ts";
import { hookProtocol } from "../../core/app/plugins/author_port.ts";
import { findPrograms } from "../../core/app/program_paths.ts";
import { tempDir } from "../support/temp_dir.ts";

/** The suite that `lumina plugin check` runs, with one bundled tool in the world: `Read` of `tools_fs`. */
export async function runPackSuite(directory: string): Promise<CheckRow[]> {
  return await checkPack({
    directory,
    world: systemWorld,
    toolOwner: (tool) => (tool === "Read" ? "tools_fs" : undefined),
    findPrograms: (names, workspace) => findPrograms(names, Deno.env.get("PATH"), workspace),
    hooks: await hookProtocol(),
    home: "/nonexistent",
    app_root: "/nonexistent/lumina",
  });
}

/** The rows that must be there for a pack of so many tools. */
const PACK_ROWS = ["manifest", "files", "up to date", "loads"];
const TOOL_ROWS = ["input schema", "refuses bad input", "answers", "result size", "can be cancelled"];
const HOOK_ROWS = ["answers", "answer is understood", "can be cancelled"];

/** What every pack must do. `make` writes its sources into a folder. */
export function packSuite(name: string, make: (directory: string) => Promise<void>): void {
  Deno.test(`${name} is a pack: it builds, and every check of its kind holds`, async (t) => {
    await using dir = await tempDir();
    const directory = dir.join("pack");
    await make(directory);
    const { problems, manifest } = await buildPack({ directory });
    assert.deepEqual(problems, []);
    const rows = await runPackSuite(directory);
    await stopBundler();
    for (const { check, tool, ok, detail } of rows) {
      await t.step(tool === undefined ? check : `${tool}: ${check}`, () => assert.ok(ok, detail));
    }
    const tools = manifest.contributes.tools.flatMap(() => TOOL_ROWS);
    const hooks = Object.values(manifest.contributes.hooks ?? {}).flat().flatMap(() => HOOK_ROWS);
    assert.deepEqual(rows.map(({ check }) => check), [...PACK_ROWS, ...tools, ...hooks]);
  });
}
