import assert from "node:assert/strict";
import { join } from "node:path";
import { mountedTwice, parseMounts } from "../../core/permission/path_aliases.ts";
import { EDIT, inPlace, READ } from "./permission_support.ts";
import type { Place, PolicyOptions } from "./permission_support.ts";
import { onlyWhere } from "../support/skip.ts";

type Row = readonly [
  access: "read" | "write",
  path: string,
  rules: PolicyOptions,
  behavior: "allow" | "ask" | "deny",
];

const yolo = (...deny: string[]): PolicyOptions => ({ mode: "yolo", deny });
const plan: PolicyOptions = { mode: "plan" };
const edits: PolicyOptions = { mode: "accept-edits" };

const NFC = "caf\u00e9";
const NFD = "cafe\u0301";

/** What stands on disk for the table. */
async function furnish({ workspace, home, outside }: Place): Promise<void> {
  const ws = (name: string) => join(workspace, name);
  const out = (name: string) => join(outside, name);
  for (
    const folder of [
      ws("src/deep"),
      ws(NFC),
      ws(`nfd-${NFD}`),
      out("vault/in"),
      join(home, ".ssh"),
      ws("app"),
    ]
  ) {
    await Deno.mkdir(folder, { recursive: true });
  }
  for (
    const file of [
      ws("a.txt"),
      ws(".env"),
      ws("src/secret.txt"),
      ws(`${NFC}/x`),
      ws(`nfd-${NFD}/x`),
      out("denied.txt"),
      out("free.txt"),
      out("vault/in/key"),
      ws("app/auth.json"),
      join(home, ".ssh/id_rsa"),
    ]
  ) await Deno.writeTextFile(file, file);
  const links: [string, string][] = [
    [outside, "out"],
    ["out", "hop"],
    ["hop", "hop2"],
    ["src", "in"],
    ["src/deep", "up"],
    ["src/secret.txt", "tosecret"],
    ["tosecret", "tosecret2"],
    [out("not_yet"), "dangling"],
    ["dangling", "dangling2"],
    ["loop2", "loop1"],
    ["loop1", "loop2"],
    ["self", "self"],
    ["../outside/../ws/a.txt", "round"],
    ["/proc/self/cwd", "procwd"],
    ["/", "root"],
    ["a.txt", "c40"],
  ];
  for (let i = 39; i >= 0; i--) links.push([`c${i + 1}`, `c${i}`]);
  for (const [target, name] of links) await Deno.symlink(target, ws(name));
  await Deno.symlink("vault", out("vlink"));
  await Deno.symlink(out("vlink"), out("vlink2"));
  await Deno.link(out("denied.txt"), ws("hard"));
  await Deno.link(out("vault/in/key"), ws("src/hard2"));
  await Deno.link(out("free.txt"), ws("free"));
  await Deno.link(ws("app/auth.json"), ws("hard_auth"));
  await Deno.symlink("hard", ws("to_hard"));
}

function table({ workspace: ws, home, outside: out }: Place): Row[] {
  const long = `${"d/".repeat(2100)}x`;
  return [
    // links: chains, loops, dangling ones, `..` behind them
    ["read", "a.txt", plan, "allow"],
    ["read", "in/secret.txt", plan, "allow"],
    ["read", "round", plan, "allow"],
    ["read", "out/free.txt", plan, "deny"],
    ["read", "hop/free.txt", plan, "deny"],
    ["read", "hop2/free.txt", {}, "ask"],
    ["read", "hop2/new/deeper", {}, "ask"],
    ["read", "root/etc/hostname", {}, "ask"],
    ["read", `root${ws}/a.txt`, plan, "allow"],
    ["write", "dangling", edits, "ask"],
    ["write", "dangling2", edits, "ask"],
    ["write", "dangling/x", edits, "ask"],
    ["read", "loop1", { mode: "yolo" }, "deny"],
    ["read", "loop1/x", { mode: "yolo" }, "deny"],
    ["read", "self", { mode: "yolo" }, "deny"],
    ["read", "c1", plan, "allow"],
    ["read", "c0", { mode: "yolo" }, "deny"],
    ["read", "up/../secret.txt", yolo("Read(src/secret.txt)"), "deny"],
    ["read", "up/../../a.txt", plan, "allow"],
    ["read", "up/../../../outside/free.txt", plan, "deny"],
    ["read", "hop/../ws/a.txt", plan, "allow"],
    ["read", "missing/../a.txt", plan, "allow"],
    ["read", "missing/../../outside/free.txt", plan, "deny"],
    // a refusal holds for the link, each hop and the target
    ["read", "tosecret2", yolo("Read(./src/secret.txt)"), "deny"],
    ["read", "tosecret2", yolo("Read(./tosecret)"), "deny"],
    ["read", "tosecret2", yolo("Read(tosecret2)"), "deny"],
    ["read", "tosecret2", yolo("Read(**/tosecret)"), "deny"],
    ["read", "tosecret2", { mode: "yolo", ask: ["Read(./tosecret)"] }, "ask"],
    ["read", "hop2/free.txt", yolo("Read(./hop/**)"), "deny"],
    ["read", "hop2/free.txt", yolo("Read(./out/)"), "deny"],
    ["read", "tosecret", yolo("Read(./other)"), "allow"],
    ["read", "out/free.txt", { allow: ["Read(./out/**)"] }, "ask"],
    ["read", "out/free.txt", { allow: ["Read(./out/**)", `Read(/${out}/**)`] }, "ask"],
    ["write", "in/x", { mode: "ask", allow: ["Edit(./src/**)"] }, "ask"],
    // a rule that is itself written through a link
    ["read", `${out}/vault/in/key`, yolo(`Read(/${out}/vlink/**)`), "deny"],
    ["read", `${out}/vault/in/key`, yolo(`Read(/${out}/vlink2/in/key)`), "deny"],
    ["read", `${out}/vault/in/new`, yolo(`Read(/${out}/vlink/in/new)`), "deny"],
    ["read", `${out}/vault`, yolo(`Read(/${out}/vlink)`), "deny"],
    ["read", `${out}/vaulted`, yolo(`Read(/${out}/vlink)`), "allow"],
    ["write", `${out}/vault/x`, yolo(`Edit(/${out}/vlink2/**)`), "deny"],
    // hard links: one file with two names
    ["read", "hard", yolo(`Read(/${out}/denied.txt)`), "deny"],
    ["read", "to_hard", yolo(`Read(/${out}/denied.txt)`), "deny"],
    ["write", "hard", yolo(`Edit(/${out}/denied.txt)`), "deny"],
    ["read", "src/hard2", yolo(`Read(/${out}/vault/**)`), "deny"],
    ["read", "src/hard2", yolo(`Read(/${out}/vlink/**)`), "deny"],
    ["read", "src/hard2", { mode: "ask", ask: [`Read(/${out}/vault/in/*)`] }, "ask"],
    ["read", "free", yolo(`Read(/${out}/denied.txt)`), "allow"],
    ["read", "hard", yolo(`Read(/${out}/free.txt)`), "allow"],
    ["write", "hard_auth", { mode: "yolo", protected_paths: [`${ws}/app`] }, "deny"],
    ["read", "hard_auth", { mode: "plan", protected_paths: [`${ws}/app`] }, "deny"],
    ["read", "hard_auth", { mode: "ask", protected_paths: [`${ws}/app`] }, "ask"],
    // letters and volumes that fold case
    ["read", "~/.SSH/id_rsa", { ...yolo("Read(~/.ssh/**)"), folds_case: true }, "deny"],
    ["read", "~/.SSH/id_rsa", { ...yolo("Read(~/.ssh/**)"), folds_case: false }, "allow"],
    ["read", "~/.ssh/id_rsa", { ...yolo("Read(~/.SSH/**)"), folds_case: true }, "deny"],
    ["read", ".ENV", { ...yolo("Read(.env)"), folds_case: true }, "deny"],
    ["read", "SRC/New", { ...yolo("Read(src/new)"), folds_case: true }, "deny"],
    ["read", "stra\u00dfe", { ...yolo("Read(STRASSE)"), folds_case: true }, "deny"],
    ["read", ".ENV", { mode: "yolo", ask: ["Read(.env)"], folds_case: true }, "ask"],
    ["write", "A.TXT", { mode: "ask", allow: ["Edit(a.txt)"], folds_case: true }, "ask"],
    ["write", ".GIT/config", edits, "ask"],
    // Unicode forms
    ["read", `${NFC}/x`, yolo(`Read(./${NFC}/**)`), "deny"],
    ["read", `${NFC}/x`, yolo(`Read(./${NFD}/**)`), "deny"],
    ["read", `${NFD}/x`, yolo(`Read(./${NFC}/**)`), "deny"],
    ["read", `nfd-${NFD}/x`, yolo(`Read(./nfd-${NFC}/x)`), "deny"],
    ["read", `nfd-${NFC}/x`, yolo(`Read(./nfd-${NFD}/x)`), "deny"],
    ["read", `${NFD}.key`, yolo(`Read(${NFC}.key)`), "deny"],
    ["read", `${NFD}`, yolo("Read(caf?)"), "deny"],
    ["read", `${NFC}.KEY`, { ...yolo(`Read(${NFD}.key)`), folds_case: true }, "deny"],
    ["write", `${NFD}.md`, { mode: "ask", allow: [`Edit(./${NFC}.md)`] }, "ask"],
    ["read", "cafe", yolo(`Read(${NFC})`), "allow"],
    ["read", "\u212b", yolo("Read(\u00c5)"), "deny"],
    // slashes, dots, home, roots
    ["read", "src//secret.txt", yolo("Read(./src/secret.txt)"), "deny"],
    ["read", "./src/./secret.txt", yolo("Read(./src/secret.txt)"), "deny"],
    ["read", "src/secret.txt/", yolo("Read(./src/secret.txt)"), "deny"],
    ["read", "src/secret.txt/.", yolo("Read(./src/secret.txt)"), "deny"],
    ["read", `/${ws}/src/secret.txt`, yolo("Read(./src/secret.txt)"), "deny"],
    ["read", `///${ws.slice(1)}//src/deep/../secret.txt`, yolo("Read(./src/secret.txt)"), "deny"],
    ["read", "src/", yolo("Read(./src)"), "deny"],
    ["read", "src", yolo("Read(./src/)"), "deny"],
    ["read", "src/deep/..", yolo("Read(./src/**)"), "deny"],
    ["read", "~", yolo("Read(~/.ssh/**)"), "allow"],
    ["read", "~/.ssh", yolo("Read(~/.ssh/**)"), "deny"],
    ["read", "~/.ssh/", yolo("Read(~/.ssh/)"), "deny"],
    ["read", `${home}/x/../.ssh/id_rsa`, yolo("Read(~/.ssh/**)"), "deny"],
    ["read", "..", plan, "deny"],
    ["read", "/", plan, "deny"],
    ["read", "", { mode: "yolo" }, "deny"],
    ["read", "a\0b", { mode: "yolo" }, "deny"],
    ["read", "a.txt\0.png", { mode: "yolo" }, "deny"],
    ["read", "n".repeat(300), { mode: "yolo" }, "deny"],
    ["read", long, plan, "allow"],
    ["read", `${"../".repeat(200)}etc/hostname`, plan, "deny"],
    ["read", "a.txt.", yolo("Read(a.txt)"), "allow"],
    ["read", "a.txt ", yolo("Read(a.txt)"), "allow"],
    ["read", "*.txt", yolo("Read(a.txt)"), "allow"],
    // the kernel's own ways through the disk
    ["read", `/proc/self/root${ws}/src/secret.txt`, yolo("Read(./src/secret.txt)"), "deny"],
    ["read", `/proc/${Deno.pid}/root${ws}/src/secret.txt`, yolo("Read(./src/secret.txt)"), "deny"],
    ["read", "/proc/self/root/etc/hostname", {}, "ask"],
    ["read", `/proc/self/root${ws}/a.txt`, plan, "allow"],
    ["read", `/proc/thread-self/root${ws}/a.txt`, plan, "allow"],
    ["read", `/proc/${Deno.pid}/cwd/deno.json`, plan, "deny"],
    ["read", "procwd/deno.json", plan, "deny"],
    ["read", "/dev/fd/0", plan, "deny"],
    ["read", "/proc/self/environ", {}, "ask"],
    ["write", "/dev/fd/1", edits, "ask"],
    ["read", `/proc/self/root${home}/.ssh/id_rsa`, yolo("Read(~/.ssh/**)"), "deny"],
  ];
}

Deno.test("paths: each spelling and each way to a file is judged as the file that it reaches", async () => {
  await inPlace(async (place) => {
    await furnish(place);
    const rows = table(place);
    assert.ok(rows.length >= 80, String(rows.length));
    const wrong: unknown[] = [];
    for (const [access, path, rules, behavior] of rows) {
      const verdict = await place.call(access === "read" ? READ : EDIT, { path }, rules);
      if (verdict.behavior !== behavior) wrong.push([access, path.slice(0, 120), rules, behavior, verdict]);
    }
    assert.deepEqual(wrong, []);
  });
});

Deno.test("commands see the same names: a hard link and a rule written through a link refuse them too", async () => {
  await inPlace(async (place) => {
    await furnish(place);
    const { bash, outside } = place;
    for (const line of ["cat hard", "cat < hard", "cp hard x", "head -1 to_hard", "grep x src/hard2"]) {
      const deny = [`Read(/${outside}/denied.txt)`, `Read(/${outside}/vlink/**)`];
      assert.equal((await bash(line, { mode: "yolo", deny })).behavior, "deny", line);
    }
  });
});

Deno.test("a folder that is mounted a second time is the same folder", () => {
  const mounts = parseMounts([
    "27 1 254:0 / / rw - ext4 /dev/vda rw",
    "40 27 254:0 /home/me/.ssh /ws/keys rw - ext4 /dev/vda rw",
    "41 27 254:0 /home /mnt/a\\040b rw - ext4 /dev/vda rw",
    "42 27 0:30 / /tmp rw - tmpfs tmpfs rw",
  ].join("\n"));
  assert.equal(mountedTwice("/ws/keys/id_rsa", "/home/me/.ssh", mounts), "/id_rsa");
  assert.equal(mountedTwice("/ws/keys", "/home/me/.ssh", mounts), "");
  assert.equal(mountedTwice("/ws/keys/id_rsa", "/home/me/.ssh/id_rsa", mounts), "");
  assert.equal(mountedTwice("/mnt/a b/me/.ssh/id_rsa", "/home/me/.ssh", mounts), "/id_rsa");
  assert.equal(mountedTwice("/mnt/a b/me/x", "/home/me/.ssh", mounts), undefined);
  assert.equal(mountedTwice("/ws/keys2/x", "/home/me/.ssh", mounts), undefined);
  assert.equal(mountedTwice("/home/me/.ssh/x", "/home/me/.ssh", mounts), undefined);
  assert.equal(mountedTwice("/tmp/home/me/.ssh", "/home/me/.ssh", mounts), undefined);
  assert.equal(mountedTwice("/ws/keys/x", "/", mounts), undefined);
});

const MAY_MOUNT = Deno.build.os === "linux" && await mayMount();

Deno.test({
  ...onlyWhere(
    "a bind mount of a refused folder, of one file and of Lumina's own folder is refused under its second name",
    MAY_MOUNT,
    "this user may not mount",
  ),
  async fn() {
    await inPlace(async (place) => {
      await furnish(place);
      const { workspace, outside } = place;
      await Deno.mkdir(join(workspace, "m"));
      await Deno.mkdir(join(workspace, "own"));
      await Deno.writeTextFile(join(workspace, "f"), "");
      const support = new URL("./permission_support.ts", import.meta.url).href;
      const program = `
        const { READ } = await import(${JSON.stringify(support)});
        const { buildPolicy, createJudge, NO_SANDBOX } = await import(${
        JSON.stringify(new URL("../../core/permission/mod.ts", import.meta.url).href)
      });
        const [workspace, outside] = Deno.args;
        const { policy } = buildPolicy({ mode: "yolo", workspace, home: "/nowhere", sandbox: NO_SANDBOX, protected_paths: [outside + "/vault"],
          layers: [{ source: { origin: "user", base_dir: workspace }, deny: ["Read(/" + outside + "/denied.txt)", "Read(/" + outside + "/vlink/in/**)"] }] });
        const told = [];
        for (const path of ["m/free.txt", "m/denied.txt", "m/vault/in/key", "m/vault/in/new", "f", "own/in", "a.txt"]) {
          told.push((await createJudge().judge({ tool: READ, input: { path } }, policy)).behavior);
        }
        console.log(told.join(" "));`;
      const file = join(place.dir, "judge.ts");
      await Deno.writeTextFile(file, program);
      const script =
        'mount --bind "$2" "$1/m" && mount --bind "$2/denied.txt" "$1/f" && mount --bind "$2/vault" "$1/own" && ' +
        'exec "$3" run -A --no-check --no-lock --config "$4" "$5" "$1" "$2"';
      const config = new URL("../../deno.json", import.meta.url).pathname;
      const { stdout, stderr } = await new Deno.Command("unshare", {
        args: ["-m", "sh", "-c", script, "sh", workspace, outside, Deno.execPath(), config, file],
      }).output();
      const text = new TextDecoder();
      assert.equal(text.decode(stdout).trim(), "allow deny deny deny deny deny allow", text.decode(stderr));
    });
  },
});

/** True when this user may make a name space of mounts and mount in it. */
async function mayMount(): Promise<boolean> {
  try {
    const { success } = await new Deno.Command("unshare", {
      args: ["-m", "mount", "--bind", "/tmp", "/tmp"],
      stdout: "null",
      stderr: "null",
    }).output();
    return success;
  } catch {
    return false; // no such program
  }
}
