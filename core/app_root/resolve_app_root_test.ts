import assert from "node:assert/strict";
import { LuminaError } from "../base/mod.ts";
import { homeDirectory, resolveAppRoot } from "./resolve_app_root.ts";

function variables(values: Record<string, string>) {
  return { get: (name: string) => values[name] };
}

function refuses(values: Record<string, string>, home: string, os = "linux") {
  assert.throws(
    () => resolveAppRoot(variables(values), home, os),
    (error) => error instanceof LuminaError && error.code === "app_root.invalid" && error.exit === 2,
  );
}

Deno.test("resolveAppRoot() gives <home>/.lumina when nothing is set", () => {
  assert.equal(resolveAppRoot(variables({}), "/home/ada", "linux"), "/home/ada/.lumina");
  assert.equal(
    resolveAppRoot(variables({ LUMINA_APP_ROOT: "  " }), "/home/ada", "linux"),
    "/home/ada/.lumina",
  );
});

Deno.test("resolveAppRoot() expands ~ and cleans the path of LUMINA_APP_ROOT", () => {
  for (
    const [given, want] of [
      ["~", "/home/ada"],
      ["~/x", "/home/ada/x"],
      ["/srv/a/../lumina/", "/srv/lumina"],
      [" /srv/lumina ", "/srv/lumina"],
    ]
  ) {
    assert.equal(resolveAppRoot(variables({ LUMINA_APP_ROOT: given! }), "/home/ada", "linux"), want);
  }
});

Deno.test("resolveAppRoot() on Windows knows LOCALAPPDATA, ~\\x and drives", () => {
  const local = { LOCALAPPDATA: "C:\\Users\\ada\\AppData\\Local" };
  assert.equal(
    resolveAppRoot(variables(local), "C:\\Users\\ada", "windows"),
    "C:\\Users\\ada\\AppData\\Local\\LuminaCode",
  );
  assert.equal(
    resolveAppRoot(variables({ LUMINA_APP_ROOT: "~\\x" }), "C:\\Users\\ada", "windows"),
    "C:\\Users\\ada\\x",
  );
  for (const top of ["C:\\", "C:\\x\\..", "\\\\server\\share", "\\\\server\\share\\"]) {
    refuses({ LUMINA_APP_ROOT: top }, "C:\\Users\\ada", "windows");
  }
});

Deno.test("resolveAppRoot() refuses relative paths, the top of the disk and an unknown home", () => {
  refuses({ LUMINA_APP_ROOT: "lumina" }, "/home/ada");
  refuses({ LUMINA_APP_ROOT: "~ada/x" }, "/home/ada");
  refuses({ LUMINA_APP_ROOT: "/" }, "/home/ada");
  refuses({ LUMINA_APP_ROOT: "/x/.." }, "/home/ada");
  refuses({ LUMINA_APP_ROOT: "~/x" }, "");
  refuses({}, "");
  refuses({}, "ada");
});

Deno.test("homeDirectory() reads HOME and asks the system when it is blank", () => {
  assert.equal(homeDirectory(variables({ HOME: "/home/ada" }), "linux"), "/home/ada");
  assert.notEqual(homeDirectory(variables({ HOME: "" }), "linux"), "");
});
