import assert from "node:assert/strict";
import { LuminaError } from "../base/mod.ts";
import { KeptRules } from "./kept_rules.ts";

Deno.test("what is kept is what was given: for the session in memory, for the project and the user in their files", async () => {
  const dir = await Deno.realPath(await Deno.makeTempDir({ prefix: "lumina-kept-" }));
  try {
    for (const name of ["ws", "app", "home/.ssh", "data/x"]) {
      await Deno.mkdir(`${dir}/${name}`, { recursive: true });
    }
    const places = {
      project_file: `${dir}/app/permissions.json`,
      settings_file: `${dir}/app/settings.json`,
      workspace: `${dir}/ws`,
      home: `${dir}/home`,
      app_root: `${dir}/app`,
    };
    const kept = new KeptRules(places);
    const allow = { list: "allow", keep: "session" } as const;
    assert.deepEqual(await kept.add({ ...allow, rules: [" Bash(ls *) "] }), ["Bash(ls *)"]);
    assert.deepEqual(await kept.add({ list: "deny", rules: ["WebFetch"], keep: "project" }), [
      "deny WebFetch",
    ]);
    await kept.add({ ...allow, rules: ["Edit(./a.ts)", "Read(//srv/x)", "Bash(make)"], keep: "user" });
    assert.deepEqual(await kept.add({ directories: [`${dir}/data/x`], keep: "session" }), [
      `directory ${dir}/data/x`,
    ]);
    assert.deepEqual(kept.layer, {
      source: { origin: "session", base_dir: `${dir}/ws` },
      allow: ["Bash(ls *)"],
      ask: [],
      deny: [],
      additionalDirectories: [`${dir}/data/x`],
    });
    assert.equal(kept.version, 4);
    const read = async (file: string) => JSON.parse(await Deno.readTextFile(file));
    assert.deepEqual(await read(places.project_file), { deny: ["WebFetch"] });
    // a path of this project must not mean the same path of every other one
    assert.deepEqual(await read(places.settings_file), {
      permissions: { allow: [`Edit(/${dir}/ws/a.ts)`, "Read(//srv/x)", "Bash(make)"] },
    });
    for (
      const [directory, why] of [
        ["/", /too much at once/],
        [`${dir}/home`, /holds the home folder/],
        [dir, /holds the home folder/],
        [`${dir}/home/.ssh`, /holds secrets/],
        [`${dir}/app`, /belongs to Lumina itself/],
        [`${dir}/none`, /no directory that exists/],
        ["/etc/ssl", /belongs to the system|no directory/],
      ] as const
    ) {
      await assert.rejects(kept.add({ directories: [directory], keep: "session" }), (error: unknown) => {
        assert.ok(error instanceof LuminaError && error.code === "permission.folder");
        assert.match(error.message, why);
        return true;
      });
    }
    await assert.rejects(
      kept.add({ ...allow, rules: ["Bash(ls"] }),
      /has no closing bracket.*write Bash\(ls\)/,
    );
    assert.equal(kept.version, 4);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
