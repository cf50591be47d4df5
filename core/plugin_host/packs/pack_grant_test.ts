import assert from "node:assert/strict";
import { emptyGrant } from "../../plugin_api/mod.ts";
import type { CapabilityRequest, ToolManifest } from "../../plugin_api/mod.ts";
import { packGrant } from "./pack_grant.ts";
import type { PackGrantScope } from "./pack_grant.ts";
import { parseManifest } from "./parse_manifest.ts";

const SCOPE: PackGrantScope = {
  roots: ["/ws", "/more"],
  app_root: "/home/me/.Lumina",
  home: "/home/me",
  deny: { read: [], write: [] },
  programs: { git: "/usr/bin/git" },
  verdict: { paths: [] },
};

function grantOf(
  capabilities: CapabilityRequest[],
  tool: Partial<ToolManifest>,
  scope: Partial<PackGrantScope> = {},
  granted = capabilities,
) {
  const kinds = capabilities.map((request) => typeof request === "string" ? request : request.kind);
  const manifest = parseManifest(
    JSON.stringify({
      id: "p",
      version: "1.0.0",
      api: 1,
      title: "P",
      kinds: ["tools"],
      entry: "mod.js",
      capabilities,
      contributes: {
        tools: [{
          name: "t",
          description: "t",
          input_schema: { type: "object" },
          effect: "run",
          capabilities: kinds,
          ...tool,
        }],
      },
    }),
    "p",
  );
  const [own] = manifest.contributes.tools;
  return packGrant({ manifest, grant: granted, data_dir: "/data/p" }, own!, { ...SCOPE, ...scope });
}

const only = (part: Partial<ReturnType<typeof emptyGrant>>) => ({ ...emptyGrant(), ...part });

Deno.test("a call gets what its tool needs, of what the pack asks for, of what was granted", () => {
  const all: CapabilityRequest[] = [
    { kind: "fs.read", paths: ["data", "workspace"] },
    { kind: "net", hosts: ["example.com:443"] },
    { kind: "run", programs: ["git", "absent"] },
    { kind: "env", names: ["EDITOR"] },
    { kind: "sys", kinds: ["hostname"] },
    "ask",
  ];
  assert.deepEqual(grantOf(all, {}), {
    read: ["/data/p", "/ws", "/more"],
    write: [],
    net: ["example.com:443"],
    run: ["/usr/bin/git"],
    env: ["EDITOR"],
    sys: ["hostname"],
  });
  assert.deepEqual(grantOf(all, { capabilities: ["net"] }), only({ net: ["example.com:443"] }));
  assert.deepEqual(grantOf(all, {}, {}, ["ask"]), emptyGrant(), "nothing of it was granted");
  const wider: CapabilityRequest[] = [{ kind: "net", hosts: ["example.com:443", "evil.example"] }];
  assert.deepEqual(grantOf(wider, {}, {}, [{ kind: "net", hosts: ["example.com:443"] }]), emptyGrant());
});

Deno.test("a kind alone is the workspace for files, the tool's programs, and no address at all", () => {
  assert.deepEqual(grantOf(["fs.read"], { effect: "read" }), only({ read: ["/ws", "/more"] }));
  assert.deepEqual(grantOf(["run"], { programs: ["git"] }), only({ run: ["/usr/bin/git"] }));
  assert.deepEqual(grantOf(["run"], { programs: ["git"] }, { programs: {} }), emptyGrant());
  assert.deepEqual(grantOf(["net"], { effect: "net" }), emptyGrant());
});

Deno.test("a tool that names its path may write that path alone", () => {
  const verdict: PackGrantScope["verdict"] = {
    paths: [{ given: "a.txt", resolved: "/ws/a.txt", access: "write" }],
  };
  const subject = { kind: "path", param: "file" } as const;
  assert.deepEqual(
    grantOf(["fs.write"], { effect: "write", subject }, { verdict }),
    only({ write: ["/ws/a.txt"] }),
  );
  assert.deepEqual(
    grantOf(["fs.write"], { effect: "write", subject }, { verdict: { ...verdict, mode: "plan" } }),
    emptyGrant(),
  );
  const data: CapabilityRequest[] = [{ kind: "fs.write", paths: ["data"] }];
  assert.deepEqual(grantOf(data, { effect: "none" }), only({ write: ["/data/p"] }));
});

Deno.test("a folder with a denied place or Lumina's own in it is not granted as a whole", () => {
  const read = (scope: Partial<PackGrantScope>) => grantOf(["fs.read"], { effect: "read" }, scope).read;
  const deny = (pattern: string) => ({ deny: { read: [pattern], write: [] } });
  assert.deepEqual(read(deny("/ws/**/.env")), ["/more"]);
  assert.deepEqual(read(deny("/ws/secret.txt")), ["/more"]);
  assert.deepEqual(read(deny("/**/*.pem")), []);
  assert.deepEqual(read(deny("/elsewhere/**")), ["/ws", "/more"]);
  assert.deepEqual(read({ app_root: "/ws/.Lumina" }), ["/more"]);
  const paths: PackGrantScope["verdict"]["paths"] = [{ given: "a", resolved: "/ws/a", access: "read" }];
  assert.deepEqual(read({ ...deny("/ws/**/.env"), verdict: { paths } }), ["/more", "/ws/a"]);
});

Deno.test("a path of the manifest counts where it really lies", () => {
  const home = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    Deno.mkdirSync(`${home}/notes`);
    Deno.mkdirSync(`${home}/.Lumina`);
    Deno.symlinkSync(`${home}/.Lumina`, `${home}/link`);
    const read = (path: string) =>
      grantOf([{ kind: "fs.read", paths: [path] }], { effect: "read" }, { home, app_root: `${home}/.Lumina` })
        .read;
    assert.deepEqual(read("~/notes"), [`${home}/notes`]);
    assert.deepEqual(read("~/absent"), []);
    assert.deepEqual(read("~/link"), []);
    assert.deepEqual(read(home), []);
  } finally {
    Deno.removeSync(home, { recursive: true });
  }
});

Deno.test("a tool that names no path may change what lies in the workspace, but nothing that runs code or grants rights", async () => {
  const dir = await Deno.realPath(await Deno.makeTempDir());
  const path = (name: string) => `${dir}/${name}`;
  try {
    for (const folder of [".git/hooks", ".Lumina", ".claude", "src/deep", "packages/one/.vscode"]) {
      await Deno.mkdir(path(folder), { recursive: true });
    }
    for (
      const file of ["a.txt", ".envrc", ".git/config", "src/a.ts", "packages/one/a.ts", "packages/two.ts"]
    ) {
      await Deno.writeTextFile(path(file), "");
    }
    const { write } = grantOf(["fs.write"], { effect: "write" }, { roots: [dir] });
    assert.deepEqual(
      write.toSorted(),
      ["a.txt", "packages/one/a.ts", "packages/two.ts", "src"].map(path),
    );
    assert.deepEqual(grantOf(["fs.write"], { effect: "run" }, { roots: [dir] }).write, write);
    const plan = { roots: [dir], verdict: { paths: [], mode: "plan" as const } };
    assert.deepEqual(grantOf(["fs.write"], { effect: "write" }, plan).write, []);

    // what Deno makes of it
    const tries = [
      ".git/hooks/pre-commit",
      ".git/config",
      ".Lumina/x",
      ".claude/settings.json",
      ".envrc",
      ".mcp.json",
      "new.txt",
      "packages/one/.vscode/tasks.json",
      "a.txt",
      "src/new.ts",
      "src/deep/new.ts",
    ];
    const code = `for (const path of ${JSON.stringify(tries.map(path))}) {
      try { Deno.writeTextFileSync(path, "x"); self.postMessage("written"); } catch (error) { self.postMessage(error.name); }
    }`;
    const worker = new Worker(`data:application/javascript,${encodeURIComponent(code)}`, {
      type: "module",
      deno: { permissions: { ...emptyGrant(), write, ffi: [], import: [] } },
    } as WorkerOptions);
    const told: string[] = [];
    await new Promise<void>((resolve) => {
      worker.onmessage = ({ data }) => {
        if (told.push(data) === tries.length) resolve();
      };
    });
    worker.terminate();
    assert.deepEqual(tries.filter((_, index) => told[index] === "written"), [
      "a.txt",
      "src/new.ts",
      "src/deep/new.ts",
    ]);
    assert.ok(told.every((name) => name === "written" || name === "NotCapable"), told.join());
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
