import assert from "node:assert/strict";
import { join } from "node:path";
import { systemWorld, type World } from "../base/mod.ts";
import { appRootPaths } from "./app_root_paths.ts";
import { projectIdentity, recordProject, startDirectory } from "./project_identity.ts";

function inTemporaryFolder(body: (folder: string) => void): void {
  const folder = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    body(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

function made(...parts: string[]): string {
  const path = join(...parts);
  Deno.mkdirSync(path, { recursive: true });
  return path;
}

function worldAt(now: number): World {
  return { ...systemWorld, now: () => now };
}

Deno.test("projectIdentity() tells /a/b_c, /a/b-c and /a/b.c apart", () => {
  inTemporaryFolder((folder) => {
    const ids = ["b_c", "b-c", "b.c", "B C", "b c"].map((name) => projectIdentity(made(folder, name)).id);
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ids) assert.match(id, /^b[ _.-]c-[0-9a-f]{16}$/);
  });
});

Deno.test("projectIdentity() takes the start directory itself, not a marked parent", () => {
  inTemporaryFolder((folder) => {
    made(folder, ".git");
    const inner = made(folder, "packages", "core");
    const project = projectIdentity(inner);
    assert.equal(project.root, inner);
    assert.equal(project.display_name, "core");
  });
});

Deno.test("projectIdentity() follows links and ignores how the path was written", () => {
  inTemporaryFolder((folder) => {
    const real = made(folder, "real");
    Deno.symlinkSync(real, join(folder, "link"));
    const want = projectIdentity(real);
    assert.deepEqual(projectIdentity(join(folder, "link")), want);
    assert.deepEqual(projectIdentity(`${folder}/x/../real/`.replace("x/../", "")), want);
  });
});

Deno.test("projectIdentity() makes a slug from any name", () => {
  inTemporaryFolder((folder) => {
    const slug = (name: string) => projectIdentity(made(folder, name)).id.replace(/-[0-9a-f]{16}$/, "");
    assert.equal(slug("My App (2)"), "my-app-2");
    assert.equal(slug("研究组"), "研究组");
    assert.equal(slug("((("), "default");
    assert.equal([...slug("x".repeat(90))].length, 48);
  });
});

Deno.test("projectIdentity() says what is wrong with a path that is absent or a file", () => {
  inTemporaryFolder((folder) => {
    const file = join(folder, "file");
    Deno.writeTextFileSync(file, "");
    for (const path of [file, join(folder, "absent")]) {
      assert.throws(() => projectIdentity(path), (error) => {
        assert.ok(error instanceof Error && "code" in error && "exit" in error);
        assert.equal(error.code, "app_root.no_start_directory");
        assert.equal(error.exit, 2);
        assert.ok(error.message.includes(path) && error.message.includes("--cwd"));
        return true;
      });
    }
  });
});

Deno.test("startDirectory() in a deleted directory is one clear error, with --cwd it works", async () => {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  const script = join(folder, "script.ts");
  const door = new URL("./mod.ts", import.meta.url).href;
  await Deno.writeTextFile(
    script,
    `const { startDirectory } = await import(${JSON.stringify(door)});
     const gone = Deno.makeTempDirSync(); Deno.chdir(gone); Deno.removeSync(gone);
     try { startDirectory(undefined); } catch (e) { console.log(e.code, e.exit, e.message.includes("--cwd")); }
     console.log(startDirectory("/"));`,
  );
  try {
    const config = new URL("../../deno.json", import.meta.url).pathname;
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--config", config, script],
    }).output();
    const text = new TextDecoder().decode(stdout);
    assert.equal(text, "app_root.no_start_directory 2 true\n/\n", new TextDecoder().decode(stderr));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("startDirectory() takes --cwd relative to the current directory", () => {
  assert.equal(startDirectory(undefined), Deno.cwd());
  assert.equal(startDirectory("core"), join(Deno.cwd(), "core"));
  assert.throws(() => startDirectory(" "), { code: "app_root.no_start_directory" });
});

Deno.test("recordProject() writes once an hour, keeps first_seen_at and heals a torn file", () => {
  inTemporaryFolder((folder) => {
    const paths = appRootPaths(join(folder, "root"));
    const project = projectIdentity(made(folder, "app"));
    const file = join(paths.projectDir(project.id), "project.json");
    const read = () => JSON.parse(Deno.readTextFileSync(file));
    recordProject(paths, project, worldAt(1_000_000));
    const first = read();
    assert.equal(first.canonical_root, project.root);
    assert.equal((Deno.statSync(file).mode ?? 0) & 0o777, 0o600);
    assert.equal((Deno.statSync(paths.projectDir(project.id)).mode ?? 0) & 0o777, 0o700);
    recordProject(paths, project, worldAt(2_000_000));
    assert.deepEqual(read(), first);
    recordProject(paths, project, worldAt(9_000_000));
    assert.equal(read().first_seen_at, first.first_seen_at);
    assert.equal(read().last_seen_at, new Date(9_000_000).toISOString());
    Deno.writeTextFileSync(file, "{");
    recordProject(paths, project, worldAt(9_000_001));
    assert.equal(read().id, project.id);
  });
});

Deno.test("recordProject() refuses an id that belongs to another path", () => {
  inTemporaryFolder((folder) => {
    const paths = appRootPaths(join(folder, "root"));
    const project = projectIdentity(made(folder, "app"));
    recordProject(paths, project, systemWorld);
    const other = { ...project, root: join(folder, "other") };
    assert.throws(() => recordProject(paths, other, systemWorld), {
      code: "app_root.project_collision",
      exit: 5,
    });
  });
});
