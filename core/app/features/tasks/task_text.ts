import { openBlockers } from "../../../session/mod.ts";
import type { Task } from "../../../session/mod.ts";
import type { JsonObject } from "../../../types/mod.ts";

const MOST_SUBJECT = 160;

/** Lines for people and for the model, one a task; at most `most`, what is open first when some are left out. */
export function taskLines(tasks: readonly Task[], most = Infinity): string[] {
  const open = tasks.filter(({ status }) => status !== "completed");
  const shown = tasks.length <= most ? tasks : open.slice(0, most);
  const lines = shown.map((task) => taskLine(task, tasks));
  const left = tasks.length - shown.length;
  if (left > 0) lines.push(`(${left} more; TaskList shows all)`);
  return lines;
}

/** `#2 [pending] Write tests (anna), waits for #1`. */
export function taskLine(task: Task, tasks: readonly Task[]): string {
  const { task_id, status, subject, owner } = task;
  const first = subject.split("\n", 1)[0] ?? "";
  const short = first.length > MOST_SUBJECT ? `${first.slice(0, MOST_SUBJECT).toWellFormed()}…` : first;
  const who = owner === undefined || owner === "" ? "" : ` (${owner})`;
  const blockers = status === "completed" ? [] : openBlockers(tasks, task);
  const waits = blockers.length === 0
    ? ""
    : `, waits for ${blockers.map((one) => `#${one.task_id}`).join(" ")}`;
  return `#${task_id} [${status}] ${short}${who}${waits}`;
}

/** All of a task. */
export function taskDetail(task: Task, tasks: readonly Task[]): string {
  const blocks = tasks.filter(({ blocked_by }) => blocked_by.includes(task.task_id));
  return [
    taskLine(task, tasks),
    ...(task.description === "" ? [] : [task.description]),
    ...(task.blocked_by.length === 0 ? [] : [`blocked by: ${ids(task.blocked_by)}`]),
    ...(blocks.length === 0 ? [] : [`blocks: ${ids(blocks.map(({ task_id }) => task_id))}`]),
  ].join("\n");
}

/** A task as data. */
export function taskData(task: Task): JsonObject {
  return { ...task, blocked_by: [...task.blocked_by] };
}

function ids(of: readonly string[]): string {
  return of.map((id) => `#${id}`).join(" ");
}
