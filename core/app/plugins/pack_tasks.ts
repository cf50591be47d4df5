import type { HookPort } from "../../agent/mod.ts";
import type { LoadedSettings } from "../../config/mod.ts";
import { LuminaError } from "../../base/mod.ts";
import { ServiceError } from "../../plugin_api/mod.ts";
import type { TaskPort } from "../../plugin_host/services/mod.ts";
import { TASK_STATUSES } from "../../session/mod.ts";
import type { Session } from "../../session/mod.ts";
import type { Json, JsonObject } from "../../types/mod.ts";
import { TaskBoard } from "../features/tasks/task_board.ts";
import { taskData } from "../features/tasks/task_text.ts";

/**
 * The session's tasks for plugins: `{ subject, description?, owner?, blocked_by? }` makes one, `{ status?, subject?,
 * description?, owner?, add_blocks?, add_blocked_by? }` changes one. Rejects with `invalid` and the words of the list.
 */
export function packTasks(
  { session, loaded, hooks }: {
    session: Session;
    loaded: LoadedSettings;
    hooks?: HookPort | undefined;
  },
): TaskPort {
  const board = new TaskBoard({ session, hooks, most: loaded.settings.max_tasks });
  return {
    list: () => Promise.resolve(board.list().map(taskData)),
    create: (task, signal) =>
      told(async () =>
        taskData(
          await board.create({
            ...texts(task, "subject", "description", "active_form", "owner"),
            subject: text(task, "subject") ?? "",
            blocked_by: list(task["blocked_by"]),
          }, signal),
        )
      ),
    update: (id, change, signal) =>
      told(async () => {
        const status = TASK_STATUSES.find((one) => one === change["status"]);
        if (status === undefined && change["status"] !== undefined) {
          throw new LuminaError("task.invalid", `The status must be one of ${TASK_STATUSES.join(", ")}`);
        }
        const [changed] = await board.update(id, {
          ...texts(change, "subject", "description", "active_form", "owner"),
          ...(status === undefined ? {} : { status }),
          add_blocks: list(change["add_blocks"]),
          add_blocked_by: list(change["add_blocked_by"]),
        }, signal);
        return changed === undefined ? {} : taskData(changed);
      }),
  };
}

/** What the list refuses is the plugin's mistake. */
async function told(act: () => Promise<JsonObject>): Promise<JsonObject> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof LuminaError) || !error.code.startsWith("task.")) throw error;
    throw new ServiceError("invalid", error.message);
  }
}

function text(from: JsonObject, key: string): string | undefined {
  const value = from[key];
  return typeof value === "string" ? value : undefined;
}

function texts<K extends string>(from: JsonObject, ...keys: K[]): { [P in K]?: string } {
  const found = keys.flatMap((key) => text(from, key) === undefined ? [] : [[key, text(from, key)]]);
  return Object.fromEntries(found) as { [P in K]?: string };
}

function list(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
