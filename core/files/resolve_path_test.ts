import assert from "node:assert/strict";
import { join } from "node:path";
import { LuminaError } from "../base/mod.ts";
import { foldCase, foldsCase } from "./folds_case.ts";
import { isInside, resolvePath } from "./resolve_path.ts";

function inTempDir(test: (dir: string) => void): void {
  const dir = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    test(dir);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

Deno.test("resolvePath() follows every hop and keeps names that do not exist", () => {
  inTempDir((dir) => {
    Deno.mkdirSync(join(dir, "ws"));
    Deno.mkdirSync(join(dir, "outside"));
    Deno.symlinkSync("hop", join(dir, "ws/link"));
    Deno.symlinkSync("../outside", join(dir, "ws/hop"));
    const options = { cwd: join(dir, "ws"), home: join(dir, "home") };
    assert.equal(resolvePath("link/new/file", options), join(dir, "outside/new/file"));
    assert.equal(resolvePath("./a//b/../c", options), join(dir, "ws/a/c"));
    assert.equal(resolvePath("~/x", options), join(dir, "home/x"));
    assert.equal(resolvePath("/", options), "/");
    assert.equal(resolvePath("link/", options), join(dir, "outside"));
  });
});

Deno.test("resolvePath() takes .. after links, as the system does", () => {
  inTempDir((dir) => {
    Deno.mkdirSync(join(dir, "ws"));
    Deno.mkdirSync(join(dir, "a/b"), { recursive: true });
    Deno.symlinkSync("../a/b", join(dir, "ws/link"));
    assert.equal(resolvePath("link/../x", { cwd: join(dir, "ws"), home: dir }), join(dir, "a/x"));
  });
});

Deno.test("resolvePath() follows a dangling link to where a write would land", () => {
  inTempDir((dir) => {
    Deno.mkdirSync(join(dir, "ws"));
    Deno.symlinkSync(join(dir, "outside.txt"), join(dir, "ws/d"));
    Deno.symlinkSync("d", join(dir, "ws/d2"));
    const options = { cwd: join(dir, "ws"), home: dir };
    assert.equal(resolvePath("d2", options), join(dir, "outside.txt"));
    Deno.symlinkSync(join(dir, "new/../../etc"), join(dir, "ws/up"));
    assert.equal(isInside(join(dir, "ws"), resolvePath("up/x", options)), false);
  });
});

Deno.test("resolvePath() names a loop of links, an empty path and a NUL with typed errors", () => {
  inTempDir((dir) => {
    Deno.symlinkSync("b", join(dir, "a"));
    Deno.symlinkSync("a", join(dir, "b"));
    const code = (path: string) => {
      try {
        return resolvePath(path, { cwd: dir, home: dir });
      } catch (error) {
        return error instanceof LuminaError ? error.code : error;
      }
    };
    assert.equal(code("a"), "files.link_loop");
    assert.equal(code("a/x"), "files.link_loop");
    assert.equal(code(""), "files.path");
    assert.equal(code("x\0y"), "files.path");
  });
});

Deno.test("resolvePath() treats what lies under a file as not existing", () => {
  inTempDir((dir) => {
    Deno.writeTextFileSync(join(dir, "file"), "");
    assert.equal(resolvePath("file/x/y", { cwd: dir, home: dir }), join(dir, "file/x/y"));
  });
});

Deno.test("isInside() compares whole names", () => {
  assert.equal(isInside("/a/b", "/a/b"), true);
  assert.equal(isInside("/a/b", "/a/b/c"), true);
  assert.equal(isInside("/a/b", "/a/bc"), false);
  assert.equal(isInside("/", "/x"), true);
});

Deno.test("foldsCase() agrees with what the volume does, also below a missing folder", () => {
  inTempDir((dir) => {
    Deno.writeTextFileSync(join(dir, "Probe"), "");
    let folds = true;
    try {
      Deno.lstatSync(join(dir, "pROBE"));
    } catch {
      folds = false;
    }
    assert.equal(foldsCase(dir), folds);
    assert.equal(foldsCase(join(dir, "not/there")), folds);
  });
});

Deno.test("foldCase() gives one key to all spellings", () => {
  assert.equal(foldCase("~/.SSH/ID_RSA"), foldCase("~/.ssh/id_rsa"));
  assert.equal(foldCase("stra\u017fse"), foldCase("STRASSE"));
  assert.equal(foldCase("e\u0301"), foldCase("\u00c9"));
});

Deno.test("resolvePath() names a link to a name that is no UTF-8 text", async () => {
  if (Deno.build.os === "windows") return;
  const dir = await Deno.realPath(await Deno.makeTempDir());
  try {
    const made = await new Deno.Command("sh", {
      args: ["-c", 'ln -s "$(printf "\\\\303(/x")" odd'],
      cwd: dir,
    }).output();
    assert.equal(made.code, 0);
    assert.throws(
      () => resolvePath("odd/y", { cwd: dir, home: dir }),
      (error) =>
        error instanceof LuminaError && error.code === "files.path" && /no UTF-8 text/.test(error.message),
    );
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
