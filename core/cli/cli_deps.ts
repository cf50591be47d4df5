import type { World } from "../base/mod.ts";
import type { AppPort } from "./app_port.ts";
import type { CliIo } from "./io.ts";

/** What a command that decides its own exit code gets beside `CliDeps`. */
export type SetExit = (code: number) => void;

/** What the command line is made of. */
export interface CliDeps {
  app: AppPort;
  io: CliIo;
  world: World;
  version: string;
  /** The name it was started under: `lumina`, `lumina-backend` or `allinluna`. */
  name: string;
}
