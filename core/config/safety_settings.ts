import * as z from "zod";
import { key } from "./setting_definition.ts";
import {
  DEFAULT_SANDBOX,
  hookLists,
  isOwnKeyVariable,
  LOCKDOWN_MODES,
  NO_PERMISSIONS,
  permissionsSchema,
  sandboxSchema,
} from "./setting_schemas.ts";

export const SAFETY_SETTINGS = {
  permissions: key({
    schema: permissionsSchema,
    default: NO_PERMISSIONS,
    kind: "permissions",
    must: "an object with allow, ask, deny, defaultMode, additionalDirectories, disableBypassPermissionsMode",
    description:
      'Permission rules `Tool(specifier)`, the mode and further directories; `disableBypassPermissionsMode: "disable"` takes mode `yolo` away. Lists of all sources add up. A project\'s file may only add `deny` and `ask` and take `yolo` away.',
    project: "add",
    env: ["LUMINA_PERMISSION_MODE", "YOLO_MODE"],
    flag: "--permission-mode",
  }),
  lockdown: key({
    schema: () => z.array(z.enum(LOCKDOWN_MODES)),
    default: [],
    kind: "list",
    must: `a list of ${LOCKDOWN_MODES.join(", ")}`,
    description:
      "What every run gives up for good before its first request: `read-only` (nothing is written but the journal), `workspace` (writes in the workspace alone), `offline` (nothing is reached but the model). Values of the file, the variable and the flag add up.",
    project: "no",
    adds: true,
    flag: "--lockdown",
  }),
  sandbox: key({
    schema: sandboxSchema,
    default: DEFAULT_SANDBOX,
    kind: "object",
    must: `an object with ${Object.keys(DEFAULT_SANDBOX).join(", ")}`,
    description:
      "The operating system's sandbox around commands: `allowed_domains` that mode `auto` reaches through a proxy (a name alone is ports 80 and 443, `host:8080` another one), paths that commands may read (`allow_read`, secrets too), write (`allow_write`) or not read (`deny_read`), `excluded_commands` that run outside, whether a call may ask to leave it (`allow_escalation`), and whether commands are refused where there is none (`fail_if_unavailable`).",
    project: "no",
  }),
  hooks: key({
    schema: hookLists,
    default: {},
    kind: "object",
    must: "an object with one list of {matcher, hooks} for each event",
    description:
      "Commands and addresses that are called at events of a session, in the published form (`lumina help hooks`). Those of all the user's sources add up. A project brings its own in `.Lumina/CONFIG/hooks.json`.",
    project: "no",
  }),
  disable_all_hooks: key({
    schema: () => z.boolean(),
    default: false,
    kind: "boolean",
    must: "true or false",
    description: "Run no hook but those of the managed settings.",
    project: "no",
  }),
  child_env_allow: key({
    schema: () =>
      z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/).refine((name) => !isOwnKeyVariable(name))),
    default: [],
    kind: "list",
    must: "a list of variable names, without Lumina's own key variables",
    description:
      "Further environment variables that shell commands and other child processes get. Pagers and git's questions are off (`PAGER`, `GIT_PAGER`, `GIT_OPTIONAL_LOCKS`, `GIT_TERMINAL_PROMPT`) unless named here.",
    project: "no",
  }),
};
