import { EXIT, LuminaError } from "../../base/mod.ts";
import type { KeepFor } from "../../cli/mod.ts";
import type { Builtin, BuiltinReply, CommandContext } from "./command.ts";
import { notTyped } from "./line_commands.ts";
import { removeRule } from "./remove_rule.ts";
import { runLine } from "./run_line.ts";

const LISTS = ["allow", "ask", "deny"] as const;
const KEEP: Readonly<Record<string, KeepFor>> = {
  "--session": "session",
  "--project": "project",
  "--user": "user",
};

const USAGE = "/permissions, or /permissions [add] allow|ask|deny RULE [--session|--project|--user], " +
  "or /permissions remove allow|ask|deny RULE";

/** `/permissions`: the rules in force, and rules added or removed. */
export const PERMISSIONS_COMMAND: Builtin = {
  info: {
    name: "permissions",
    aliases: ["allowed-tools"],
    argument_hint: "[add|remove] [allow|ask|deny RULE] [--session|--project|--user]",
    description: "List the permission rules and the mode, or add or remove a rule.",
  },
  async run(context, args) {
    if (args === "" || args === "list") return await list(context);
    if (!context.typed) return notTyped("permissions");
    const match = /^(?:(add|remove)\s+)?(allow|ask|deny)\s+([\s\S]+?)(?:\s+(--\w+))?$/.exec(args);
    const kind = LISTS.find((each) => each === match?.[2]);
    const rule = match?.[3];
    const keep = match?.[4] === undefined ? undefined : KEEP[match[4]];
    if (kind === undefined || rule === undefined || (match?.[4] !== undefined && keep === undefined)) {
      throw new LuminaError("command.usage", `Not understood: ${USAGE}`, { exit: EXIT.usage });
    }
    const { kept } = context.session;
    if (match?.[1] === "remove") {
      const places = await removeRule(context.parts, kept, kind, rule, keep);
      if (places.length > 0) {
        return { kind: "text", text: `Removed from ${places.join(" and ")}: ${kind} ${rule}` };
      }
      throw new LuminaError(
        "command.not_found",
        `No such rule in ${
          keep ?? "this session, the project or your settings"
        }: ${kind} ${rule} (/permissions lists them)`,
        { exit: EXIT.not_found },
      );
    }
    if (kind === "allow" && context.parts.watch.current.managed?.allow_managed_rules_only) {
      throw new LuminaError(
        "permission.managed",
        `Only the rules of ${context.parts.watch.current.managed.file} may allow anything`,
        { exit: EXIT.blocked },
      );
    }
    const place = keep ?? "project";
    const added = await kept.add({ list: kind, rules: [rule], keep: place });
    const where = { session: "this session", project: "this project", user: "all projects" }[place];
    return { kind: "text", text: `Kept for ${where}: ${kind} ${rule}`, data: { kept: added } };
  },
};

async function list(context: CommandContext): Promise<BuiltinReply> {
  const { parts: { flags, located }, session } = context;
  const many = (flag: string, values: readonly string[]) => values.flatMap((value) => [flag, value]);
  const { out, err } = await runLine(context, [
    "--permission-mode",
    await session.mode(),
    ...many("--allowed-tools", flags.allowed_tools),
    ...many("--disallowed-tools", flags.disallowed_tools),
    ...many("--add-dir", flags.add_dirs),
    "permission",
    "list",
    "--cwd",
    located.project.root,
    ...(flags.settings_file === undefined ? [] : ["--settings", flags.settings_file]),
  ]);
  const own = LISTS.flatMap((each) =>
    (session.kept.layer[each] ?? []).map((rule) => `${each.padEnd(6)} ${rule}  (this session)`)
  );
  return { kind: "text", text: [err.trim(), out.trim(), ...own].filter((part) => part !== "").join("\n") };
}
