import { fileURLToPath } from "node:url";
import type { DoctorPort, PermissionImportPort, PermissionTestPort } from "../cli/mod.ts";
import type { PeopleOptions } from "./doctor/doctor_parts.ts";

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
      async lineJudge(place, bare, warn) {
        const { lineJudge } = await import("./permission/line_judge.ts");
        return await lineJudge({ place, bare, warn, app_root: appRoot(), home: home(), root });
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
