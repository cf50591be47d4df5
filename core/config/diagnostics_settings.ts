import * as z from "zod";
import { key } from "./setting_definition.ts";
import { wholeFrom } from "./setting_schemas.ts";

/** A language server: how it is started and which files are its own. */
const server = () =>
  z.strictObject({
    command: z.string().trim().min(1),
    args: z.array(z.string()).default([]),
    extensions: z.array(z.string().regex(/^\.[^/\s]+$/)).min(1),
    languages: z.record(z.string().regex(/^\.[^/\s]+$/), z.string().min(1)).default({}),
    initialization_options: z.json().optional(),
    env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string()).default({}),
  });

/** As the settings have it. */
export type LanguageServerSettings = z.output<ReturnType<typeof server>>;

export const DIAGNOSTICS_SETTINGS = {
  lsp_servers: key({
    schema: () => z.record(z.string().regex(/^[\w-]{1,64}$/), server()),
    default: {},
    kind: "object",
    must: "an object of {command, args, extensions, languages, initialization_options, env} by name",
    description:
      'Language servers that say what is wrong with a file after an edit, such as `{"ts": {"command": "typescript-language-server", "args": ["--stdio"], "extensions": [".ts", ".tsx"]}}`. `command` is a name on the PATH or an absolute path, outside the workspace; it starts with the first edit of such a file, outside the sandbox, and may itself run what the project brings. Not in locked runs.',
    project: "no",
  }),
  lsp_timeout_ms: key({
    schema: () => wholeFrom(1),
    default: 5_000,
    kind: "number",
    must: "a whole number above 0",
    description: "How long an edit waits for a language server, milliseconds.",
    project: "no",
  }),
};
