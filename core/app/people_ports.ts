import { fileURLToPath } from "node:url";
import type { AppRoot } from "../app_root/mod.ts";
import type { World } from "../base/mod.ts";
import type { DoctorPort, PermissionImportPort, PermissionTestPort } from "../cli/mod.ts";

/** What the ports for people stand on. */
export interface PeopleOptions {
  appRoot(): AppRoot;
  home(): string;
  /** Where the program's own files lie. */
  root: URL;
  /** A module of the program by its path without ending. */
  entry(path: string): URL;
  world: World;
}

/** Testing and importing rules, and the doctor; each is loaded when a command needs it. */
export function peoplePorts(
  { appRoot, home, root, entry, world }: PeopleOptions,
): { permission_test: PermissionTestPort; permission_import: PermissionImportPort; doctor: DoctorPort } {
  let importing: Promise<PermissionImportPort> | undefined;
  const imports = () =>
    importing ??= (async () => {
      const [{ permissionImport }, { readCatalog }] = await Promise.all([
        import("./permission/import/import_permissions.ts"),
        import("../plugin_host/mod.ts"),
      ]);
      const catalog = readCatalog(fileURLToPath(new URL("plugins", root)));
      return permissionImport({
        app_root: appRoot(),
        home: home(),
        known: (tool) => catalog.find(tool) !== undefined,
      });
    })();
  return {
    permission_test: {
      async lineJudge(flags, bare, warn) {
        const { lineJudge } = await import("./permission/line_judge.ts");
        return await lineJudge({ flags, bare, warn, app_root: appRoot(), home: home(), root });
      },
    },
    permission_import: {
      async read(path, options) {
        return await (await imports()).read(path, options);
      },
      async write(found) {
        await (await imports()).write(found);
      },
    },
    doctor: {
      async *run(request) {
        const { runDoctor } = await import("./doctor/run_doctor.ts");
        yield* runDoctor(request, { appRoot, home, root, entry, world });
      },
    },
  };
}
