import { fileURLToPath } from "node:url";
import { homeDirectory, openAppRoot, resolveAppRoot } from "../app_root/mod.ts";
import type { World } from "../base/mod.ts";
import type { AppPort } from "../cli/mod.ts";
import { lazyAuthorPort } from "./plugins/lazy_author_port.ts";
import { lazyInstallPort } from "./plugins/lazy_install_port.ts";
import { lazyServicesPort } from "./services/lazy_services_port.ts";
import { lazyListPort } from "./plugins/lazy_list_port.ts";
import { peoplePorts } from "./people_ports.ts";
import { sessionPorts } from "./sessions/session_ports.ts";
import { VERSION } from "./version.ts";

/** The application behind the command line. Each part is loaded when a command needs it. */
export function makeApp(root: URL, world: World): AppPort {
  const home = () => homeDirectory(Deno.env);
  const appRoot = () =>
    openAppRoot(resolveAppRoot(Deno.env, home()), {
      version: VERSION,
      embedded: fileURLToPath(new URL("resources", root)),
      world,
    });
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const files = { root, entry: (path: string) => new URL(`${path}.${extension}`, root) };
  const store = async () => new (await import("./sessions/session_store.ts")).SessionStore(appRoot(), world);
  const replays = async () =>
    (await import("./sessions/replay/replay_sessions.ts")).replaySessions(await store());
  const trust = async () => (await import("./plugins/trust_port.ts")).trustPort(appRoot(), world);
  const app: AppPort = {
    async openSession(flags, warn) {
      const app_root = appRoot();
      // starting a worker takes as long as loading the rest: both at once
      const [{ JournalWorker }, { journalFolders }] = await Promise.all([
        import("../journal/mod.ts"),
        import("./sessions/journal_place.ts"),
      ]);
      const worker_url = files.entry("core/journal/worker");
      const journals = new JournalWorker({
        world,
        worker_url,
        data_dir: app_root.sessionsDir,
        other_dirs: Object.values(journalFolders(app_root)),
        warn: ({ message }) => warn(message),
      });
      const [{ openSession }, { SessionStore }] = await Promise.all([
        import("./open_session.ts"),
        import("./sessions/session_store.ts"),
      ]);
      const store = new SessionStore(app_root, world);
      return await openSession({ files, world, app_root, journals, home: home(), flags, store, warn, app });
    },
    ...sessionPorts(appRoot, home, world),
    ...peoplePorts({ appRoot, home, root, entry: files.entry, world }),
    async runProvider(options) {
      const { runScriptedProvider } = await import("../model/scripted/mod.ts");
      await runScriptedProvider(options);
    },
    config: {
      async list(cwd) {
        const { listConfig } = await import("./config_port.ts");
        return await listConfig(appRoot(), home(), cwd);
      },
      async set(key, value) {
        const { setConfig } = await import("./config_port.ts");
        return await setConfig(appRoot(), key, value);
      },
      async docs() {
        const { settingsDocs } = await import("../config/mod.ts");
        return settingsDocs();
      },
      async schema() {
        const { settingsJsonSchema } = await import("../config/mod.ts");
        return `${JSON.stringify(settingsJsonSchema(), null, 2)}\n`;
      },
    },
    search: {
      async search(query, warn) {
        const { searchSessions } = await import("./sessions/search/search_sessions.ts");
        const cache_dir = appRoot().cacheDir;
        return await searchSessions({ store: await store(), cache_dir, world }).search(query, warn);
      },
    },
    session_export: {
      async exportSession(id, request, warn) {
        const [{ exportSessions }, { maskWith, settingsFor }] = await Promise.all([
          import("./sessions/export/export_sessions.ts"),
          import("./sessions/export/mask_with.ts"),
        ]);
        const masks = async (cwd: string) =>
          await maskWith(await settingsFor(appRoot(), home(), cwd), home());
        return await exportSessions(await store(), masks).exportSession(id, request, warn);
      },
    },
    report: {
      async report(id, options) {
        const { reportSessions } = await import("./sessions/report/report_sessions.ts");
        return await reportSessions({ store: await store(), app_root: appRoot(), home: home() }).report(
          id,
          options,
        );
      },
    },
    replay: {
      async play(id, warn) {
        return await (await replays()).play(id, warn);
      },
      async record(id, warn) {
        return await (await replays()).record(id, warn);
      },
    },
    rewind: {
      async rewind(request, decide) {
        const [{ rewindPort }, { loadSettings }] = await Promise.all([
          import("./sessions/rewind.ts"),
          import("../config/mod.ts"),
        ]);
        const app_root = appRoot();
        const settings = async (project_dir: string) =>
          (await loadSettings({ app_root, project_dir, env: Deno.env, home: home() })).settings;
        return await rewindPort({ store: await store(), app_root, world, settings }).rewind(request, decide);
      },
    },
    plugin_author: lazyAuthorPort(async () => {
      const { pluginAuthorPort } = await import("./plugins/author_port.ts");
      return pluginAuthorPort(root, world, () => ({ home: home(), app_root: appRoot().root }));
    }),
    plugin_install: lazyInstallPort(async () => {
      const { pluginInstallPort } = await import("./plugins/install_port.ts");
      return pluginInstallPort({ app_root: appRoot(), home: home(), world, root });
    }),
    plugin_list: lazyListPort(async () => {
      const { pluginListPort } = await import("./plugins/list_port.ts");
      return pluginListPort({ app_root: appRoot(), home: home(), world, root });
    }),
    services: lazyServicesPort(async () => {
      const { SearxngService } = await import("./services/searxng_service.ts");
      const workspace = Deno.cwd();
      return new SearxngService({
        state_dir: appRoot().stateDir,
        world,
        path: Deno.env.get("PATH"),
        workspace,
      });
    }),
    hooks: {
      async list(where) {
        const { listHooks } = await import("./hooks/list_hooks.ts");
        return await listHooks({ app_root: appRoot(), home: home(), root }, where);
      },
    },
    agents: {
      async list(where) {
        const { agentsPort } = await import("./features/agents/agents_port.ts");
        return await agentsPort({ app_root: appRoot(), home: home(), root }).list(where);
      },
      async prune(where) {
        const { agentsPort } = await import("./features/agents/agents_port.ts");
        return await agentsPort({ app_root: appRoot(), home: home(), root }).prune(where);
      },
    },
    skills: {
      async list(where) {
        const { listSkills } = await import("./features/skills/list_skills.ts");
        return await listSkills({ app_root: appRoot(), home: home(), root }, where);
      },
    },
    trust: {
      async look(cwd) {
        return await (await trust()).look(cwd);
      },
      async trust(consent, cwd) {
        return await (await trust()).trust(consent, cwd);
      },
      async revoke(cwd) {
        return await (await trust()).revoke(cwd);
      },
    },
    permission: {
      async list(flags) {
        const { listPermissions } = await import("./list_permissions.ts");
        return await listPermissions(flags, appRoot(), home(), root);
      },
      async explain(call, flags) {
        const { explainCall } = await import("./explain_call.ts");
        return await explainCall(call, flags, appRoot(), home(), root);
      },
      async log(session, cwd) {
        const { decisionLog } = await import("./sessions/decision_log.ts");
        return await decisionLog(await store(), session, cwd);
      },
    },
  };
  return app;
}
