// Child of pack_change_test.ts: changes one pack and ends itself, as a crash would, at a named place.
import { systemWorld } from "../../base/mod.ts";
import { changePack } from "./pack_change.ts";
import type { PackPlace } from "./pack_change.ts";

const { state_dir, place, directory, version, at, remove }: {
  state_dir: string;
  place: PackPlace;
  directory: string | null;
  version: string;
  at: string;
  remove: string[];
} = JSON.parse(Deno.args[0] ?? "");

const world = {
  ...systemWorld,
  failpoint(name: string) {
    if (name === at) Deno.kill(Deno.pid, "SIGKILL");
  },
};
const record = () => ({
  version,
  source: { kind: "path" as const, value: "/somewhere" },
  files: {},
  stamps: {},
  manifest_hash: "",
  granted: [],
  enabled: true,
  installed_at: "2026-01-01T00:00:00.000Z",
  checked_by: "0",
});
const next = directory === null ? null : { directory, record };
changePack(state_dir, world, { id: "sample", place, next, remove });
