/** What may be said of a task; a deleted one is gone from the list. */
export const TASK_STATUSES = ["pending", "in_progress", "completed", "deleted"] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** One task of the session's list. */
export interface Task {
  task_id: string;
  subject: string;
  description: string;
  /** What is shown while it is worked on: `Running tests`. */
  active_form?: string;
  status: TaskStatus;
  owner?: string;
  /** The tasks that must be completed before it. */
  blocked_by: string[];
}

/** A task as an event left it. */
export interface TaskVersion extends Task {
  seq: number;
}

/** The list as it now is, in the order in which tasks were created; without those that were deleted. */
export function tasksOf({ tasks }: { readonly tasks: readonly TaskVersion[] }): Task[] {
  const latest = new Map<string, Task>();
  for (const { seq: _seq, ...task } of tasks) latest.set(task.task_id, task);
  return [...latest.values()].filter(({ status }) => status !== "deleted");
}

/** The id of the next task: ids are never given twice. */
export function nextTaskId({ tasks }: { readonly tasks: readonly TaskVersion[] }): string {
  return String(1 + tasks.reduce((most, { task_id }) => Math.max(most, Number(task_id) || 0), 0));
}

/** The tasks that still stand in the way of one. */
export function openBlockers(tasks: readonly Task[], { blocked_by }: Pick<Task, "blocked_by">): Task[] {
  return tasks.filter(({ task_id, status }) => blocked_by.includes(task_id) && status !== "completed");
}

/** A way from a task over what blocks it back to itself, as ids; undefined where there is none. */
export function taskCycle(tasks: readonly Task[]): string[] | undefined {
  const by_id = new Map(tasks.map((task) => [task.task_id, task]));
  const done = new Set<string>();
  const visit = (id: string, way: string[]): string[] | undefined => {
    const at = way.indexOf(id);
    if (at >= 0) return [...way.slice(at), id];
    if (done.has(id)) return undefined;
    for (const next of by_id.get(id)?.blocked_by ?? []) {
      const cycle = visit(next, [...way, id]);
      if (cycle !== undefined) return cycle;
    }
    done.add(id);
    return undefined;
  };
  for (const { task_id } of tasks) {
    const cycle = visit(task_id, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
