import { fileURLToPath } from "node:url";
import { join } from "node:path";
import type { ToolRun } from "../../core/agent/mod.ts";
import { findPrograms } from "../../core/app/program_paths.ts";
import { SessionTools } from "../../core/app/session_tools.ts";
import type { ToolScope } from "../../core/app/session_tools.ts";
import { ToolLock } from "../../core/app/lockdown/tool_lock.ts";
import { SessionSandbox } from "../../core/app/sandbox/session_sandbox.ts";
import { SETTING_NAMES } from "../../core/config/mod.ts";
import type { LockdownMode, Settings } from "../../core/config/mod.ts";
import { settingKey } from "../../core/config/setting_keys.ts";
import { buildPolicy, createJudge, denyPatterns } from "../../core/permission/mod.ts";
import type { RuleLayer } from "../../core/permission/mod.ts";
import { InputValidator, readCatalog, WorkerTier } from "../../core/plugin_host/mod.ts";
import type { WorkerCall } from "../../core/plugin_host/worker_tier.ts";
import type { ToolOutcome } from "../../core/plugin_api/mod.ts";
import { PERMISSION_MODES } from "../../core/types/mod.ts";
import type { JsonObject, PermissionMode } from "../../core/types/mod.ts";

/** The five modes, and the three lockdowns, which are tried in the loosest mode. */
export const MIRROR_MODES = [...PERMISSION_MODES, "read-only", "workspace", "offline"] as const;
export type MirrorMode = (typeof MIRROR_MODES)[number];

export const ROOTS = [
  "workspace",
  "added",
  "spill",
  "app_root",
  "home",
  "secrets",
  "etc",
  "tmp",
  "outside",
] as const;
export type Root = (typeof ROOTS)[number];

/** What stands in the way of a call that no kernel has judged. */
export type Held = "possible" | "refused by Deno" | "refused by the plugin" | "refused by the OS sandbox";

/** What one tool can do in one mode: in each root, or with each trick. */
export interface MirrorRow {
  mode: MirrorMode;
  tool: string;
  does: string;
  [where: string]: string;
}

const DEFAULTS = Object.fromEntries(
  SETTING_NAMES.map((name) => [name, settingKey(name).default]),
) as Settings;

const READS = ["Read", "List", "Glob", "Grep"] as const;
const WRITES = ["Write", "Edit", "MultiEdit", "apply_patch"] as const;

/** The disk that the tools are let loose on; removed by `close`. */
export interface MirrorPlace {
  base: string;
  roots: Record<Root, string>;
  close(): Promise<void>;
}

/** Makes a folder for each root with a canary in it. Not below /tmp, which a sandbox has of its own. */
export async function mirrorPlace(): Promise<MirrorPlace> {
  const base = await Deno.realPath(await Deno.makeTempDir({ dir: "/var/tmp", prefix: "lumina_mirror_" }));
  const tmp = await Deno.realPath(await Deno.makeTempDir({ dir: "/tmp", prefix: "lumina_mirror_" }));
  const roots: Record<Root, string> = {
    workspace: join(base, "ws"),
    added: join(base, "added"),
    spill: join(base, "root/data/sessions/one"),
    app_root: join(base, "root"),
    home: join(base, "home"),
    secrets: join(base, "home/.ssh"),
    etc: "/etc",
    tmp,
    outside: join(base, "outside"),
  };
  for (const [name, folder] of Object.entries(roots)) {
    if (name === "etc") continue;
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(join(folder, "canary.txt"), `canary of ${name}\n`);
  }
  return {
    base,
    roots,
    async close() {
      await Deno.remove(base, { recursive: true });
      await Deno.remove(tmp, { recursive: true });
    },
  };
}

/** Lets every bundled tool loose in every mode and root, and with every trick, and writes down what holds it. */
export async function mirrorTable(place: MirrorPlace, with_commands: boolean): Promise<MirrorRow[]> {
  const tier = new WorkerTier(new URL("../../core/app/plugin_worker.ts", import.meta.url));
  try {
    const rows: MirrorRow[] = [];
    for (const mode of MIRROR_MODES) {
      const session = await Bypassed.open(place, mode, tier, []);
      for (const tool of READS) rows.push(await fileRow(session, mode, tool, "reads"));
      for (const tool of WRITES) rows.push(await fileRow(session, mode, tool, "writes"));
      if (with_commands) rows.push(...await commandRows(session, mode));
    }
    rows.push(...await trickRows(place, tier));
    if (with_commands) {
      for (const mode of ["ask", "auto"] as const) rows.push(await ruledCommand(place, tier, mode));
    }
    return rows;
  } finally {
    await tier.close();
  }
}

type Judging = (tool: string, input: JsonObject) => Promise<ToolRun["verdict"]>;

/** A session whose kernel says yes to everything: its grants, contexts and workers are the real ones. */
class Bypassed {
  readonly place: MirrorPlace;
  #tools: SessionTools;
  #tier: WorkerTier;
  #captured: WorkerCall | undefined;
  #mode: PermissionMode;
  #judge: Judging;

  private constructor(
    place: MirrorPlace,
    mode: PermissionMode,
    tier: WorkerTier,
    scope: ToolScope,
    judge: Judging,
  ) {
    this.place = place;
    this.#mode = mode;
    this.#tier = tier;
    this.#judge = judge;
    const recorder = {
      warm() {},
      call: (call: WorkerCall): Promise<ToolOutcome> => {
        this.#captured = call;
        return Promise.resolve({ content: "" });
      },
    };
    const catalog = readCatalog(fileURLToPath(new URL("../../plugins", import.meta.url)));
    this.#tools = new SessionTools(catalog, recorder as unknown as WorkerTier, new InputValidator(), scope);
  }

  static async open(
    place: MirrorPlace,
    mode: MirrorMode,
    tier: WorkerTier,
    deny: readonly string[],
  ): Promise<Bypassed> {
    const { roots } = place;
    const lockdown = PERMISSION_MODES.find((name) => name === mode) === undefined
      ? mode as LockdownMode
      : undefined;
    const own_mode = lockdown === undefined ? mode as PermissionMode : "yolo";
    const sandbox = new SessionSandbox({
      workspace: roots.workspace,
      home: roots.home,
      app_root: roots.app_root,
      env: { get: () => undefined },
      settings: () => DEFAULTS,
    });
    const layer: RuleLayer = { source: { origin: "user", base_dir: roots.workspace }, deny };
    const { policy } = buildPolicy({
      mode: own_mode,
      layers: [layer],
      workspace: roots.workspace,
      added_dirs: [roots.added],
      read_dirs: [roots.spill],
      home: roots.home,
      protected_paths: [roots.app_root],
      sandbox: await sandbox.policy(own_mode, () => {}),
    });
    const catalog = readCatalog(fileURLToPath(new URL("../../plugins", import.meta.url)));
    const judge = createJudge();
    return new Bypassed(place, own_mode, tier, {
      host_tools: [],
      reading: {},
      mode: own_mode,
      workspace: roots.workspace,
      added_dirs: [roots.added],
      spill_dir: roots.spill,
      child_env: { PATH: "/usr/bin:/bin", HOME: roots.home },
      programs: findPrograms(["bash", "bwrap", "kill", "ps", "rg"], "/usr/bin:/bin", roots.workspace),
      shell: { cwd: roots.workspace },
      app_root: roots.app_root,
      shell_timeout_ms: 20_000,
      max_result_chars: 100_000,
      deny: denyPatterns(policy),
      closed: denyPatterns(policy),
      hidden: () => false,
      home: roots.home,
      sandbox,
      ...(lockdown === undefined ? {} : {
        lock: new ToolLock({
          carriedOutByHost: () => false,
          modes: [lockdown],
          workspace: roots.workspace,
          bundled: new Set(["tools_fs", "tools_search", "tools_shell"]),
          no_sandbox: undefined,
          keep: () => Promise.resolve("the journal"),
        }),
      }),
    }, (name, input) => judge.judge({ tool: catalog.find(name)!, input }, policy));
  }

  /**
   * The grant and the context of an innocent call, used for a hostile one. `told_all`: the plugin is told that it may
   * use the whole disk, so that only Deno stands in the way.
   */
  async call(
    tool: string,
    innocent: JsonObject,
    hostile: JsonObject,
    told_all: boolean,
  ): Promise<ToolOutcome> {
    const manifest = this.#tools.tools.find(({ name }) => name === tool) ??
      readCatalog(fileURLToPath(new URL("../../plugins", import.meta.url))).find(tool)!;
    const verdict = await this.#judge(tool, innocent);
    await this.#tools.call(manifest, innocent, {
      call_id: "call-1",
      // a path in the workspace adds nothing to what is granted
      verdict: { ...verdict, behavior: "allow", mode: this.#mode, paths: [] },
      seen: {},
      signal: new AbortController().signal,
      progress() {},
    });
    const call = this.#captured!;
    const context = told_all
      ? { ...call.context, read_roots: ["/"], write_roots: ["/"], deny_read: [], deny_write: [] }
      : call.context;
    try {
      return await this.#tier.call({ ...call, input: hostile, context });
    } catch (error) {
      return { content: String(error), is_error: true };
    }
  }
}

async function fileRow(
  session: Bypassed,
  mode: MirrorMode,
  tool: string,
  does: "reads" | "writes",
): Promise<MirrorRow> {
  const row: MirrorRow = { mode, tool, does };
  for (const root of ROOTS) {
    row[root] = await fileCell(session, tool, session.place.roots[root], root === "etc");
  }
  return row;
}

/** Whether a file tool reaches a folder, and what holds it back. */
async function fileCell(session: Bypassed, tool: string, folder: string, is_etc: boolean): Promise<Held> {
  const [name, shows] = is_etc ? ["passwd", /root:|passwd/] : ["canary.txt", /canary/];
  const made = join(folder, `lumina-mirror-${crypto.randomUUID()}`);
  const inputs: Record<string, [innocent: JsonObject, hostile: JsonObject]> = {
    Read: [{ file_path: "canary.txt" }, { file_path: join(folder, name) }],
    List: [{ path: "." }, { path: folder }],
    Glob: [{ pattern: "*" }, { pattern: name, path: folder }],
    Grep: [{ pattern: "canary" }, { pattern: is_etc ? "root:" : "canary", path: join(folder, name) }],
    Write: [{ file_path: "new", content: "x" }, { file_path: made, content: "x" }],
    Edit: [{ file_path: "new", old_string: "", new_string: "x" }, {
      file_path: made,
      old_string: "",
      new_string: "x",
    }],
    MultiEdit: [{ file_path: "new", edits: [{ old_string: "", new_string: "x" }] }, {
      file_path: made,
      edits: [{ old_string: "", new_string: "x" }],
    }],
    apply_patch: [{ patch: patchOf("Add", "new", "+x") }, { patch: patchOf("Add", made, "+x") }],
  };
  const [innocent, hostile] = inputs[tool]!;
  const happens = async (told_all: boolean) => {
    const outcome = await session.call(tool, innocent, hostile, told_all);
    if (!(WRITES as readonly string[]).includes(tool)) {
      return outcome.is_error !== true && shows.test(outcome.content);
    }
    return await removed(made);
  };
  if (!await happens(true)) return "refused by Deno";
  return await happens(false) ? "possible" : "refused by the plugin";
}

function patchOf(does: "Add" | "Delete", path: string, ...lines: string[]): string {
  return ["*** Begin Patch", `*** ${does} File: ${path}`, ...lines, "*** End Patch"].join("\n");
}

/** True when the file was there; it is not any more. */
async function removed(path: string): Promise<boolean> {
  try {
    await Deno.remove(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return false;
    throw error;
  }
}

/** One command tries all roots: what it could read and where it could write. */
async function commandRows(session: Bypassed, mode: MirrorMode): Promise<MirrorRow[]> {
  const { roots } = session.place;
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const accepting = accepted(listener);
  const lines = ROOTS.flatMap((root) => {
    const [file, made] = root === "etc"
      // opened and not changed
      ? ["/etc/passwd", "/etc/passwd"]
      : [`${roots[root]}/canary.txt`, `${roots[root]}/made by a command`];
    return [
      `{ cat '${file}' | grep -Eq 'canary|root:'; } 2>/dev/null && echo 'read ${root}'`,
      `{ : >> '${made}'; } 2>/dev/null && echo 'write ${root}'`,
    ];
  });
  lines.push(`{ : > /dev/tcp/127.0.0.1/${port}; } 2>/dev/null && echo 'network'`, "true");
  const outcome = await session.call("Bash", { command: "true" }, { command: lines.join("\n") }, false);
  listener.close();
  const connected = await accepting;
  const told = new Set(outcome.content.split("\n"));
  const reads: MirrorRow = { mode, tool: "Bash", does: "reads" };
  const writes: MirrorRow = { mode, tool: "Bash", does: "writes" };
  for (const root of ROOTS) {
    reads[root] = told.has(`read ${root}`) ? "possible" : "refused by the OS sandbox";
    // what arrived counts, not what the command believes: its /tmp may be another one
    const there = root === "etc"
      // where every other folder is open, what holds an ordinary user off is the system's own business
      ? told.has("write etc") || (Deno.uid() !== 0 && writes["home"] === "possible")
      : await removed(join(roots[root], "made by a command"));
    writes[root] = there ? "possible" : "refused by the OS sandbox";
  }
  reads["network"] = connected || told.has("network") ? "possible" : "refused by the OS sandbox";
  return [reads, writes];
}

async function accepted(listener: Deno.Listener): Promise<boolean> {
  try {
    (await listener.accept()).close();
    return true;
  } catch {
    return false; // closed without a connection
  }
}

/** Links and rules, which no permission of Deno's can express, in the loosest mode: the plugin's own look holds them. */
async function trickRows(place: MirrorPlace, tier: WorkerTier): Promise<MirrorRow[]> {
  const { roots } = place;
  const ws = (name: string) => join(roots.workspace, name);
  const secret = join(roots.outside, "canary.txt");
  await Deno.symlink(secret, ws("file_link"));
  await Deno.symlink("file_link", ws("second_hop"));
  await Deno.symlink(roots.outside, ws("folder_link"));
  await Deno.symlink(join(roots.outside, "not_yet"), ws("dangling"));
  await Deno.mkdir(ws("denied"));
  await Deno.writeTextFile(ws("denied/canary.txt"), "canary\n");
  await Deno.symlink("denied", ws("to_denied"));
  await Deno.writeTextFile(ws("swapped.txt"), "harmless\n");
  await Deno.mkdir(ws("swapped"));
  const rules = ["Read(./denied/**)", "Edit(./denied/**)"];
  const session = await Bypassed.open(place, "yolo", tier, rules);
  const tricks: Record<string, [file: string, folder: string]> = {
    "link to a file": ["file_link", "file_link"],
    "second link": ["second_hop", "second_hop"],
    "link to a folder": ["folder_link/canary.txt", "folder_link"],
    "dangling link": ["dangling", "dangling"],
    "denied folder": ["denied/canary.txt", "denied"],
    "link to a denied folder": ["to_denied/canary.txt", "to_denied"],
    "swapped after the judgement": ["swapped.txt", "swapped"],
  };
  const rows: MirrorRow[] = [];
  for (const tool of [...READS, ...WRITES]) {
    const row: MirrorRow = { mode: "yolo", tool, does: "follows" };
    for (const [trick, [file, folder]] of Object.entries(tricks)) {
      row[trick] = await trickCell(session, tool, trick, ws(file), ws(folder), place);
    }
    rows.push(row);
  }
  return rows;
}

/** What rules on paths refuse, the sandbox hides from a command; the closed one also locks where only changes are refused. */
async function ruledCommand(
  place: MirrorPlace,
  tier: WorkerTier,
  mode: "ask" | "auto",
): Promise<MirrorRow> {
  const { workspace } = place.roots;
  await Deno.mkdir(join(workspace, "locked"), { recursive: true });
  const rules = ["Read(./denied/**)", "Edit(./denied/**)", "Edit(./locked/**)"];
  const session = await Bypassed.open(place, mode, tier, rules);
  const lines = [
    "cat denied/canary.txt 2>/dev/null && echo 'read denied folder'",
    "cat to_denied/canary.txt 2>/dev/null && echo 'read link to a denied folder'",
    "{ : > denied/made; } 2>/dev/null",
    "{ : > locked/made; } 2>/dev/null",
    "true",
  ];
  const outcome = await session.call("Bash", { command: "true" }, { command: lines.join("\n") }, false);
  const told = new Set(outcome.content.split("\n"));
  const held = (possible: boolean): Held => possible ? "possible" : "refused by the OS sandbox";
  return {
    mode,
    tool: "Bash",
    does: "follows",
    "denied folder": held(told.has("read denied folder") || await removed(join(workspace, "denied/made"))),
    "link to a denied folder": held(told.has("read link to a denied folder")),
    "folder that may only be read": held(await removed(join(workspace, "locked/made"))),
  };
}

async function trickCell(
  session: Bypassed,
  tool: string,
  trick: string,
  file: string,
  folder: string,
  place: MirrorPlace,
): Promise<Held> {
  const swap = trick.startsWith("swapped");
  const inputs: Record<string, JsonObject> = {
    Read: { file_path: file },
    List: { path: folder },
    Glob: { pattern: "**/canary*", path: folder, follow: true },
    Grep: { pattern: "canary", path: folder, follow: true },
    Write: { file_path: file, content: "changed" },
    Edit: { file_path: file, old_string: "canary", new_string: "changed" },
    MultiEdit: { file_path: file, edits: [{ old_string: "canary", new_string: "changed" }] },
    apply_patch: { patch: patchOf("Delete", file) },
  };
  const input = inputs[tool]!;
  const watched = [join(place.roots.outside, "canary.txt"), join(place.roots.workspace, "denied/canary.txt")];
  const before = await Promise.all(watched.map((path) => Deno.readTextFile(path)));
  if (swap) await swapForLinks(place);
  const outcome = await session.call(tool, input, input, false);
  if (swap) await swapBack(place);
  const after = await Promise.all(watched.map((path) => Deno.readTextFile(path)));
  const made = await removed(join(place.roots.outside, "not_yet"));
  for (const [index, path] of watched.entries()) await Deno.writeTextFile(path, before[index]!);
  const changed = made || before.some((text, index) => text !== after[index]);
  const shown = outcome.is_error !== true && /canary(?: of|\.txt|$)/m.test(outcome.content);
  if (changed || (!(WRITES as readonly string[]).includes(tool) && shown)) return "possible";
  return /NotCapable|Requires (read|write) access/.test(outcome.content)
    ? "refused by Deno"
    : "refused by the plugin";
}

/** What was judged as a file and a folder of the workspace leads out of it when the tool comes. */
async function swapForLinks({ roots }: MirrorPlace): Promise<void> {
  await Deno.remove(join(roots.workspace, "swapped.txt"));
  await Deno.remove(join(roots.workspace, "swapped"));
  await Deno.symlink(join(roots.outside, "canary.txt"), join(roots.workspace, "swapped.txt"));
  await Deno.symlink(roots.outside, join(roots.workspace, "swapped"));
}

async function swapBack({ roots }: MirrorPlace): Promise<void> {
  await Deno.remove(join(roots.workspace, "swapped.txt"));
  await Deno.remove(join(roots.workspace, "swapped"));
  await Deno.writeTextFile(join(roots.workspace, "swapped.txt"), "harmless\n");
  await Deno.mkdir(join(roots.workspace, "swapped"));
}
