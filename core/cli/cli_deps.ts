import type { World } from "../base/mod.ts";
import type { AppPort } from "./app_port.ts";
import type { CliIo } from "./io.ts";

/** What the command line is made of. */
export interface CliDeps {
  app: AppPort;
  io: CliIo;
  world: World;
  version: string;
  /** The name it was started under: `lumina`, `lumina-backend` or `allinluna`. */
  name: string;
}
