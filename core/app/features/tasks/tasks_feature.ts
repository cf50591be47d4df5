import { tasksOf } from "../../../session/mod.ts";
import type { FeatureScope, SessionFeature } from "../session_feature.ts";
import { TaskBoard } from "./task_board.ts";
import { taskLines } from "./task_text.ts";
import { taskTools } from "./task_tools.ts";

/** Tasks that a reminder or a compaction names. */
const MOST_LINES = 20;

/**
 * The task list: its tools, what is kept of it when the conversation is compacted, and a short reminder when it has not changed
 * for many steps while something is open.
 */
export function tasksFeature(scope: FeatureScope): SessionFeature {
  const { parts, depth } = scope;
  const { session } = parts;
  let quiet = 0;
  const settings = () => parts.watch.current.settings;
  const board = () =>
    new TaskBoard({ session, hooks: scope.session.ground?.hooks, most: settings().max_tasks });
  const open = () => {
    const tasks = tasksOf(session.state);
    return tasks.some(({ status }) => status !== "completed") ? taskLines(tasks, MOST_LINES) : [];
  };
  const tools = taskTools(board, () => quiet = 0);
  // sub-agents work on the session's list; whoever it belongs to is reminded
  if (depth > 0) return { tools };
  return {
    tools,
    participant: {
      name: "tasks",
      at: {
        context({ notes, step }) {
          const after = settings().task_reminder_steps;
          if (step === 0 || after === 0 || ++quiet < after) return;
          quiet = 0;
          const lines = open();
          if (lines.length === 0) return;
          notes.push(
            `<task_reminder>\nThe task list has not changed for ${after} steps. Keep it true to what is done:\n${
              lines.join("\n")
            }\n</task_reminder>`,
          );
        },
        after_compaction({ notes }) {
          const lines = open();
          if (lines.length > 0) notes.push(`<tasks>\n${lines.join("\n")}\n</tasks>`);
        },
      },
    },
  };
}
