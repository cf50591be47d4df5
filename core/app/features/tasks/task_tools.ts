import { LuminaError } from "../../../base/mod.ts";
import type { HostTool } from "../../../agent/mod.ts";
import type { ToolOutcome } from "../../../plugin_api/mod.ts";
import { TASK_STATUSES } from "../../../session/mod.ts";
import type { JsonObject } from "../../../types/mod.ts";
import type { TaskBoard, TaskChange } from "./task_board.ts";
import { taskData, taskDetail, taskLine, taskLines } from "./task_text.ts";

/** The four tools of the task list. `changed` is told of each change. */
export function taskTools(board: () => TaskBoard, changed: () => void): HostTool[] {
  const tool = (
    name: string,
    call: (board: TaskBoard, input: JsonObject, signal: AbortSignal) => ToolOutcome | Promise<ToolOutcome>,
  ): HostTool => ({
    name,
    async call(input, { signal }) {
      try {
        return await call(board(), input, signal);
      } catch (error) {
        if (!(error instanceof LuminaError) || !error.code.startsWith("task.")) throw error;
        return { content: error.message, is_error: true };
      }
    },
  });
  return [
    tool("TaskCreate", async (tasks, input, signal) => {
      const made = await tasks.create({
        subject: text(input, "subject") ?? "",
        ...given("description", text(input, "description")),
        ...given("active_form", text(input, "activeForm")),
        ...given("owner", text(input, "owner")),
        blocked_by: list(input, "blockedBy"),
      }, signal);
      changed();
      return { content: `Created ${taskLine(made, tasks.list())}`, data: { task: taskData(made) } };
    }),
    tool("TaskUpdate", async (tasks, input, signal) => {
      const status = TASK_STATUSES.find((one) => one === input["status"]);
      const change: TaskChange = {
        ...given("subject", text(input, "subject")),
        ...given("description", text(input, "description")),
        ...given("active_form", text(input, "activeForm")),
        ...given("owner", text(input, "owner")),
        ...given("status", status),
        add_blocks: list(input, "addBlocks"),
        add_blocked_by: list(input, "addBlockedBy"),
      };
      const touched = await tasks.update(text(input, "taskId") ?? "", change, signal);
      changed();
      const all = tasks.list();
      return {
        content: touched.map((task) =>
          task.status === "deleted" ? `Deleted #${task.task_id} ${task.subject}` : taskLine(task, all)
        ).join("\n"),
        data: { tasks: touched.map(taskData) },
      };
    }),
    tool("TaskList", (tasks) => {
      const all = tasks.list();
      return {
        content: all.length === 0 ? "The task list is empty" : taskLines(all).join("\n"),
        data: { tasks: all.map(taskData) },
      };
    }),
    tool("TaskGet", (tasks, input) => {
      const task = tasks.get(text(input, "taskId") ?? "");
      return { content: taskDetail(task, tasks.list()), data: { task: taskData(task) } };
    }),
  ];
}

function text(input: JsonObject, key: string): string | undefined {
  const value = input[key];
  return typeof value === "string" ? value : undefined;
}

function list(input: JsonObject, key: string): string[] {
  const value = input[key];
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function given<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : { [key]: value } as { [P in K]?: V };
}
