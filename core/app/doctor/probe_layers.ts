import { fileURLToPath } from "node:url";
import type { SandboxProbe } from "../../../plugins/tools_shell/mod.ts";
import { errorMessage, LuminaError } from "../../base/mod.ts";
import type { DoctorCheck } from "../../cli/mod.ts";
import { childEnvironment, loadSettings } from "../../config/mod.ts";
import type { Settings } from "../../config/mod.ts";
import { checkModes, checkNamespaces, namespaceFacts } from "../../doctor/mod.ts";
import { InputValidator, readCatalog, WorkerTier } from "../../plugin_host/mod.ts";
import { findPrograms } from "../program_paths.ts";
import type { Programs } from "../program_paths.ts";
import { SessionSandbox } from "../sandbox/session_sandbox.ts";
import { guardProbe, sandboxProbe } from "../sandbox_available.ts";
import { SessionTools } from "../session_tools.ts";
import type { ToolScope } from "../session_tools.ts";
import type { DoctorParts } from "./doctor_parts.ts";
import { probeClosed, probeGuarded, probeProxy } from "./probe_commands.ts";
import type { ToolsIn } from "./probe_commands.ts";
import { probePlace } from "./probe_place.ts";
import type { ProbePlace } from "./probe_place.ts";
import { probeProcess } from "./probe_process.ts";
import { probeWorkers } from "./probe_workers.ts";

/** Tries out, layer by layer, what must not be possible. */
export async function* probeLayers(parts: DoctorParts): AsyncIterable<DoctorCheck> {
  const { app_root, project, root, entry, world } = parts;
  yield await checkModes(app_root);
  const settings = await settingsOrDefaults(parts);
  const catalog = readCatalog(fileURLToPath(new URL("plugins", root)));
  const names = new Set([...catalog.tools.flatMap((tool) => tool.programs), "bwrap", "sandbox-exec"]);
  const programs = findPrograms([...names], Deno.env.get("PATH"), project.root);
  await using place = await probePlace(world);
  const sandbox = (of: Settings) =>
    new SessionSandbox({
      workspace: place.workspace,
      home: place.home,
      app_root: place.app_root,
      env: Deno.env,
      settings: () => of,
    });
  const scope = (of: Settings): ToolScope => ({
    host_tools: [],
    mode: "ask",
    workspace: place.workspace,
    added_dirs: [],
    spill_dir: place.spill_dir,
    child_env: { ...childEnvironment(Deno.env, of), HOME: place.home },
    programs,
    shell: { cwd: place.workspace },
    app_root: place.app_root,
    shell_timeout_ms: 60_000,
    reading: {},
    max_result_chars: of.max_tool_result_chars,
    deny: { read: [], write: [] },
    closed: { read: [], write: [] },
    hidden: () => false,
    home: place.home,
    sandbox: sandbox(of),
  });
  yield* probeWorkers(place, catalog, scope(settings), entry("core/app/plugin_worker"));
  yield* probeProcess(place);

  const tier = new WorkerTier(entry("core/app/plugin_worker"));
  try {
    const tools = (of: Settings) => (mode: ToolScope["mode"]) =>
      new SessionTools(catalog, tier, new InputValidator(), { ...scope(of), mode });
    const closed = await sandboxProbe(place.workspace);
    const guarded = await guardProbe(place.workspace);
    yield* await sandboxFacts(programs, settings, closed, guarded);
    if (closed.works) yield* probeClosed(place, tools(settings));
    if (guarded.works) yield* probeGuarded(place, tools(settings));
    yield* proxyProbes(place, settings, closed.works, tools);
  } catch (error) {
    yield { layer: "sandbox", what: "probe", status: "failed", found: errorMessage(error) };
  } finally {
    await tier.close();
  }
}

/** The sandbox's settings as they are; those of a broken file are looked at by `lumina doctor` alone. */
async function settingsOrDefaults({ app_root, home, project }: DoctorParts): Promise<Settings> {
  try {
    const place = { app_root, project_dir: project.root, env: Deno.env, home: home() };
    return (await loadSettings(place)).settings;
  } catch (error) {
    if (!(error instanceof LuminaError)) throw error;
    const place = { app_root: { settingsFile: "/dev/null" }, env: { get: () => undefined }, home: home() };
    return (await loadSettings(place)).settings;
  }
}

/** What there is to make a sandbox of, and whether one starts. */
async function sandboxFacts(
  programs: Programs,
  settings: Settings,
  closed: SandboxProbe,
  guarded: SandboxProbe,
): Promise<DoctorCheck[]> {
  const layer = "sandbox";
  const missing = (what: string, found: string, fix: string): DoctorCheck => ({
    layer,
    what,
    status: settings.sandbox.fail_if_unavailable ? "failed" : "note",
    found: settings.sandbox.fail_if_unavailable
      ? `${found}: commands are refused in every mode (sandbox.fail_if_unavailable)`
      : `${found}: mode auto asks before commands, and nothing hides secrets from those that are allowed`,
    fix,
  });
  if (Deno.build.os === "darwin") {
    const path = programs["sandbox-exec"];
    const what = "sandbox-exec";
    return [
      path === undefined
        ? missing(what, "not found", "it belongs to macOS: look at /usr/bin/sandbox-exec")
        : { layer, what, status: "ok", found: path },
      ...(closed.works
        ? []
        : [missing("start one", closed.reason, "run Lumina where bubblewrap is, as in a container")]),
    ];
  }
  if (Deno.build.os !== "linux") return [missing("program", "there is none on this system", "use WSL 2")];
  const { bwrap } = programs;
  if (bwrap === undefined) {
    return [missing("bwrap", "not found", "install bubblewrap with your system's packages")];
  }
  const checks: DoctorCheck[] = [
    { layer, what: "bwrap", status: "ok", found: `${bwrap} (${await versionOf(bwrap)})` },
    checkNamespaces(namespaceFacts(), closed.works || guarded.works),
  ];
  for (const [name, probe] of [["closed", closed], ["guarded", guarded]] as const) {
    if (probe.works) continue;
    checks.push({
      layer,
      what: `start the ${name} one`,
      status: "failed",
      found: probe.reason,
      fix:
        "see user namespaces above; in a container, allow it to make them (--security-opt seccomp=unconfined)",
    });
  }
  return checks;
}

async function versionOf(program: string): Promise<string> {
  try {
    const { stdout } = await new Deno.Command(program, { args: ["--version"], stdin: "null" }).output();
    return new TextDecoder().decode(stdout).trim().slice(0, 80);
  } catch (error) {
    return errorMessage(error);
  }
}

async function* proxyProbes(
  place: ProbePlace,
  settings: Settings,
  works: boolean,
  tools: (of: Settings) => ToolsIn,
): AsyncIterable<DoctorCheck> {
  const { allowed_domains } = settings.sandbox;
  if (!works || allowed_domains.length === 0) {
    const found = works
      ? "sandbox.allowed_domains names no domain: commands have no network"
      : "there is no sandbox";
    return yield { layer: "sandbox proxy", what: "reach domains", status: "skipped", found };
  }
  const listed = { ...settings.sandbox, allowed_domains: [...allowed_domains, `127.0.0.1:${place.port}`] };
  yield* probeProxy(place, tools({ ...settings, sandbox: listed }));
}
