import { projectIdentity, startDirectory } from "../../app_root/mod.ts";
import { errorMessage, LuminaError } from "../../base/mod.ts";
import type { DoctorCheck, DoctorRequest, RunFlags } from "../../cli/mod.ts";
import { checkAppRoot, checkPrograms, checkSettings } from "../../doctor/mod.ts";
import { placeFlags } from "../permission/place_flags.ts";
import { findPrograms } from "../program_paths.ts";
import type { DoctorParts, PeopleOptions } from "./doctor_parts.ts";

/** Looks over the installation, or with `sandbox` tries out what each layer holds back. Never throws for what it finds. */
export async function* runDoctor(request: DoctorRequest, options: PeopleOptions): AsyncIterable<DoctorCheck> {
  let parts: DoctorParts;
  try {
    parts = {
      ...options,
      app_root: options.appRoot(),
      project: projectIdentity(startDirectory(request.place.cwd)),
    };
  } catch (error) {
    if (!(error instanceof LuminaError)) throw error;
    const fix = "LUMINA_APP_ROOT names where Lumina keeps its files, --cwd the workspace";
    yield { layer: "start", what: "app root and workspace", status: "failed", found: error.message, fix };
    return;
  }
  if (request.sandbox) {
    const { probeLayers } = await import("./probe_layers.ts");
    yield* probeLayers(parts);
  } else yield* lookOver(parts, placeFlags(request.place));
}

async function* lookOver(parts: DoctorParts, flags: RunFlags): AsyncIterable<DoctorCheck> {
  const { app_root, project, home } = parts;
  yield* await checkAppRoot(app_root);
  for (const found of app_root.warnings) yield { layer: "app root", what: "warning", status: "note", found };
  yield* await checkSettings({ app_root, project_dir: project.root, env: Deno.env, home: home() });
  const names = ["bash", "git", "rg", "bwrap", "sandbox-exec"];
  yield* checkPrograms(findPrograms(names, Deno.env.get("PATH"), project.root), Deno.build.os);
  yield await checkSessions(parts);
  yield* await guarded("plugins", () => checkPlugins(parts));
  yield* await guarded("files", async () => (await import("./check_files.ts")).checkFiles(parts));
  yield* await guarded("rules", () => checkRules(parts, flags));
}

/** What a broken part throws is a finding. */
async function guarded(layer: string, check: () => Promise<DoctorCheck[]>): Promise<DoctorCheck[]> {
  try {
    return await check();
  } catch (error) {
    const fix = "the line says what is wrong; lumina doctor again once it is mended";
    return [{ layer, what: "can be read", status: "failed", found: errorMessage(error), fix }];
  }
}

async function checkSessions({ app_root, world }: DoctorParts): Promise<DoctorCheck> {
  const [{ SessionStore }, { sessionList }] = await Promise.all([
    import("../sessions/session_store.ts"),
    import("../sessions/session_list.ts"),
  ]);
  const check = { layer: "sessions", what: "can be listed" };
  const warnings: string[] = [];
  try {
    const list = sessionList(new SessionStore(app_root, world));
    const { rows } = await list.list({ all: true, archived: false }, (text) => warnings.push(text));
    const [first] = warnings;
    if (first === undefined) return { ...check, status: "ok", found: `${rows.length} sessions` };
    const more = warnings.length === 1 ? "" : ` (and ${warnings.length - 1} more)`;
    return {
      ...check,
      status: "failed",
      found: `${first}${more}`,
      fix: "lumina session verify says what is damaged, lumina session repair ID saves what can be saved",
    };
  } catch (error) {
    return { ...check, status: "failed", found: errorMessage(error), fix: `look at ${app_root.sessionsDir}` };
  }
}

async function checkPlugins({ app_root, home, world, root, project }: DoctorParts): Promise<DoctorCheck[]> {
  const { pluginListPort } = await import("../plugins/list_port.ts");
  const { plugins, problems } = await pluginListPort({ app_root, home: home(), world, root }).list(
    project.root,
  );
  const wrong = [...plugins.flatMap((row) => row.problems), ...problems];
  if (wrong.length === 0) {
    return [{ layer: "plugins", what: "can be used", status: "ok", found: `${plugins.length} plugins` }];
  }
  const fix = "lumina plugin list shows them; lumina plugin trust ID, or remove ID";
  return wrong.map((found) => ({ layer: "plugins", what: "problem", status: "failed", found, fix }));
}

async function checkRules({ app_root, home, root }: DoctorParts, flags: RunFlags): Promise<DoctorCheck[]> {
  const { listPermissions } = await import("../list_permissions.ts");
  const listing = await listPermissions(flags, app_root, home(), root);
  const broken = listing.rules.filter(({ problem }) => problem !== undefined);
  const found: DoctorCheck[] = broken.map(({ rule, file, line, problem }) => ({
    layer: "rules",
    what: rule,
    status: "failed",
    found: `${file === undefined ? "" : `${file}${line === undefined ? "" : `:${line}`}: `}${problem}`,
    fix: "correct the rule; lumina permission list shows all of them",
  }));
  for (const text of listing.problems) {
    found.push({ layer: "rules", what: "warning", status: "note", found: text });
  }
  if (broken.length > 0) return found;
  return [
    {
      layer: "rules",
      what: "can be read",
      status: "ok",
      found: `${listing.rules.length} rules, mode ${listing.mode}`,
    },
    ...found,
  ];
}
