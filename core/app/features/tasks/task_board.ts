import type { HookPort } from "../../../agent/mod.ts";
import { LuminaError } from "../../../base/mod.ts";
import { nextTaskId, openBlockers, taskCycle, tasksOf } from "../../../session/mod.ts";
import type { Session, Task, TaskStatus } from "../../../session/mod.ts";

/** What a task may be made from. */
export interface NewTask {
  subject: string;
  description?: string;
  active_form?: string;
  owner?: string;
  blocked_by?: readonly string[];
}

/** What of a task changes; ids in `add_blocks` and `add_blocked_by` come to those that are there. */
export interface TaskChange {
  subject?: string;
  description?: string;
  active_form?: string;
  owner?: string;
  status?: TaskStatus;
  add_blocks?: readonly string[];
  add_blocked_by?: readonly string[];
}

export interface TaskBoardParts {
  session: Session;
  /** Absent: no hook waits. */
  hooks?: HookPort | undefined;
  /** Tasks that the list may hold. */
  most: number;
}

const MOST_CHARS = 20_000;

/** The one list of tasks of a session: what the model, plugins and people see and change. All errors are `task.*`. */
export class TaskBoard {
  readonly #parts: TaskBoardParts;

  constructor(parts: TaskBoardParts) {
    this.#parts = parts;
  }

  list(): Task[] {
    return tasksOf(this.#parts.session.state);
  }

  /** Throws `task.unknown`. */
  get(id: string): Task {
    const tasks = this.list();
    const wanted = id.replace(/^#/, "");
    const found = tasks.find(({ task_id }) => task_id === wanted);
    if (found !== undefined) return found;
    const known = tasks.length === 0
      ? "the list is empty"
      : `there are ${tasks.map((task) => task.task_id).join(", ")}`;
    throw new LuminaError("task.unknown", `There is no task ${id}: ${known}`);
  }

  /** Throws `task.invalid`, `task.too_many`, and `task.blocked` when a hook does not let it be. */
  async create(task: NewTask, signal: AbortSignal): Promise<Task> {
    const { session, most } = this.#parts;
    const tasks = this.list();
    if (tasks.length >= most) {
      throw new LuminaError("task.too_many", `The list has ${most} tasks: delete some, or raise max_tasks`);
    }
    const made: Task = {
      task_id: nextTaskId(session.state),
      subject: words("subject", task.subject),
      description: words("description", task.description ?? "", true),
      ...(task.active_form === undefined ? {} : { active_form: words("activeForm", task.active_form, true) }),
      status: "pending",
      ...(task.owner === undefined ? {} : { owner: words("owner", task.owner, true) }),
      blocked_by: [...new Set((task.blocked_by ?? []).map((id) => this.get(id).task_id))],
    };
    await this.#ask("TaskCreated", made, signal);
    await session.execute({ type: "create_task", task: made });
    return made;
  }

  /** Gives the task and every other one that changed with it. Throws `task.*`, `task.blocked` when a hook objects. */
  async update(id: string, change: TaskChange, signal: AbortSignal): Promise<Task[]> {
    const before = this.get(id);
    const { subject, description, active_form, owner, status } = change;
    const task: Task = {
      ...before,
      ...(subject === undefined ? {} : { subject: words("subject", subject) }),
      ...(description === undefined ? {} : { description: words("description", description, true) }),
      ...(active_form === undefined ? {} : { active_form: words("activeForm", active_form, true) }),
      ...(owner === undefined ? {} : { owner: words("owner", owner, true) }),
      ...(status === undefined ? {} : { status }),
      blocked_by: added(before.blocked_by, (change.add_blocked_by ?? []).map((one) => this.get(one).task_id)),
    };
    const others = (change.add_blocks ?? []).map((one): Task => {
      const other = this.get(one);
      return { ...other, blocked_by: added(other.blocked_by, [task.task_id]) };
    });
    // what is gone stands in nobody's way
    if (status === "deleted") {
      for (const other of this.list()) {
        if (!other.blocked_by.includes(task.task_id)) continue;
        others.push({ ...other, blocked_by: other.blocked_by.filter((one) => one !== task.task_id) });
      }
    }
    if (others.some(({ task_id }) => task_id === task.task_id)) throw circle([task.task_id, task.task_id]);
    const changed = [task, ...others];
    const after = this.list().map((one) => changed.find(({ task_id }) => task_id === one.task_id) ?? one);
    const cycle = taskCycle(after);
    if (cycle !== undefined) throw circle(cycle);
    const begins = (task.status === "in_progress" || task.status === "completed") &&
      task.status !== before.status;
    const blockers = begins ? openBlockers(after, task) : [];
    if (blockers.length > 0) {
      const names = blockers.map((one) => `#${one.task_id} ${one.subject}`).join(", ");
      throw new LuminaError("task.waits", `Task ${task.task_id} waits for ${names}`);
    }
    if (task.status === "completed" && before.status !== "completed") {
      await this.#ask("TaskCompleted", task, signal);
    }
    await this.#parts.session.execute(...changed.map((one) => ({ type: "update_task", task: one }) as const));
    return changed;
  }

  async #ask(event: "TaskCreated" | "TaskCompleted", task: Task, signal: AbortSignal): Promise<void> {
    const { hooks } = this.#parts;
    if (hooks === undefined || !hooks.waits(event)) return;
    const fields = {
      task_id: task.task_id,
      task_subject: task.subject,
      task_description: task.description,
      ...(task.owner === undefined ? {} : { teammate_name: task.owner }),
    };
    const { block, stop } = await hooks.run({ event, subject: [], fields }, signal);
    const refusal = block ?? stop;
    if (refusal === undefined) return;
    const what = event === "TaskCreated" ? "created" : "completed";
    throw new LuminaError(
      "task.blocked",
      `A hook does not let the task be ${what}: ${refusal.reason} (${refusal.hook})`,
    );
  }
}

function circle(ids: readonly string[]): LuminaError {
  return new LuminaError("task.cycle", `Tasks may not wait for each other in a circle: ${ids.join(" -> ")}`);
}

function added(ids: readonly string[], more: readonly string[]): string[] {
  return [...new Set([...ids, ...more])];
}

function words(name: string, text: string, may_be_empty = false): string {
  const trimmed = text.trim().toWellFormed();
  if (trimmed === "" && !may_be_empty) {
    throw new LuminaError("task.invalid", `The ${name} of a task is empty`);
  }
  if (trimmed.length > MOST_CHARS) {
    throw new LuminaError("task.invalid", `The ${name} of a task has more than ${MOST_CHARS} characters`);
  }
  return trimmed;
}
