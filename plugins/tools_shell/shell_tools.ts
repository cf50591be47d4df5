import { isJsonObject } from "../../core/plugin_api/mod.ts";
import type { Json, JsonObject, ToolContext, ToolOutcome } from "../../core/plugin_api/mod.ts";
import { endTree } from "./end_tree.ts";
import { exitMeaning } from "./exit_meaning.ts";
import { renderOutput, WINDOW_BYTES, withoutPartialChar } from "./render_output.ts";
import { durationText, endingLine, outputNotes, resultText } from "./result_text.ts";
import { isLive, type ShellEntry } from "./shell_entry.ts";
import { finish, type ShellRegistry } from "./shell_registry.ts";

const OUTPUT_CHARS = 30_000;
const KILL_GRACE_MS = 1_500;
/** Longer lines are not offered to a filter whole. */
const FILTER_LINE_CHARS = 2_000;

/** Runs BashOutput: what a shell has written since the last look, and how it stands. */
export async function readShell(
  registry: ShellRegistry,
  input: JsonObject,
  context: ToolContext,
): Promise<ToolOutcome> {
  const session = registry.session(context.spill_dir);
  await registry.refresh(session, registry.signals(context));
  if (input["shell_id"] === undefined) return listShells(context.config["shells"]);
  const entry = findEntry(registry, input, context);
  if (typeof entry === "string") return { content: entry, is_error: true };
  const filter = readFilter(input["filter"]);
  if (typeof filter === "string") return { content: filter, is_error: true };
  return await report(registry, entry, context, filter);
}

/** Runs KillShell: ends a shell with everything it started, and tells what it had written. */
export async function killShell(
  registry: ShellRegistry,
  input: JsonObject,
  context: ToolContext,
): Promise<ToolOutcome> {
  const shell = registry.signals(context);
  await registry.refresh(registry.session(context.spill_dir), shell);
  const entry = findEntry(registry, input, context);
  if (typeof entry === "string") return { content: entry, is_error: true };
  if (isLive(entry)) {
    const running = entry.end === undefined;
    entry.ended_by ??= "Killed";
    const alive = await endTree(shell, {
      groups: running ? [entry.process.pid] : [],
      marker: entry.marker,
      known: entry.left,
      grace_ms: KILL_GRACE_MS,
      ended: entry.process.ended,
    });
    entry.left = new Map(alive.map((row) => [row.pid, row.start]));
    entry.end = await entry.process.ended;
    entry.ended_at ??= performance.now();
    if (alive.length === 0) {
      await finish(entry);
      registry.seen(entry);
      registry.tellEnd(entry, "");
    }
  }
  return await report(registry, entry, context, undefined);
}

async function report(
  registry: ShellRegistry,
  entry: ShellEntry,
  context: ToolContext,
  filter: RegExp | undefined,
): Promise<ToolOutcome> {
  const live = isLive(entry);
  const raw = await entry.sink.read(entry.shown, WINDOW_BYTES);
  const last = raw.tail ?? raw.head;
  const whole = live ? withoutPartialChar(last) : last;
  const held_back = last.length - whole.length;
  const shown = raw.head.length + raw.left_out + (raw.tail?.length ?? 0) - held_back;
  const rendered = renderOutput(
    raw.tail ? { ...raw, tail: whole } : { ...raw, head: whole },
    context.child_env,
    OUTPUT_CHARS,
  );
  const text = filter
    ? rendered.text.split("\n").filter((line) => filter.test(line.slice(0, FILTER_LINE_CHARS))).join("\n")
    : rendered.text;
  entry.shown += shown;
  if (!live) registry.seen(entry);
  const notes = outputNotes(rendered, entry.sink.total, entry.sink.path);
  return {
    content: resultText(statusLine(entry), text === "" ? "(no new output)" : text, notes),
    data: {
      shell_id: entry.id,
      running: live,
      exit_code: entry.end?.code ?? null,
      signal: entry.end?.signal ?? null,
      left_running: [...entry.left.keys()],
      output_bytes: entry.sink.total,
      ...(entry.sink.path === undefined ? {} : { output_file: entry.sink.path }),
    },
  };
}

/** Every shell of the session, whichever worker holds it: the host tells which there are. */
function listShells(shells: Json | undefined): ToolOutcome {
  const list = Array.isArray(shells) ? shells.filter(isJsonObject) : [];
  const lines = list.map(({ shell_id, command, status, output_file }) =>
    `${shell_id}: ${status}: ${String(command)}${
      typeof output_file === "string" ? ` [output: ${output_file}]` : ""
    }`
  );
  return {
    content: lines.length === 0 ? "There are no background shells" : lines.join("\n"),
    data: { shells: list },
  };
}

function statusLine(entry: ShellEntry): string {
  const ms = (entry.ended_at ?? performance.now()) - entry.process.started;
  const time = durationText(ms);
  if (entry.failure !== undefined) return `${entry.id} failed after ${time}: ${entry.failure}`;
  if (entry.end === undefined) return `${entry.id} is running, ${time} so far`;
  const { code } = entry.end;
  const line = endingLine({ code, meaning: exitMeaning(entry.command, code), ended_by: entry.ended_by });
  const left = entry.left.size > 0 ? `; still running: ${[...entry.left.keys()].join(", ")}` : "";
  return `${entry.id} ended after ${time}: ${line || "Exit code 0"}${left}`;
}

function findEntry(registry: ShellRegistry, input: JsonObject, context: ToolContext): ShellEntry | string {
  const { entries } = registry.session(context.spill_dir);
  const id = input["shell_id"];
  const entry = typeof id === "string" ? entries.get(id) : undefined;
  const known = [...entries.keys()].join(", ");
  return entry ??
    `There is no shell ${JSON.stringify(id ?? null)}; ${known ? `known are ${known}` : "none was started"}`;
}

function readFilter(value: unknown): RegExp | string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string") return "filter must be a regular expression";
  try {
    return new RegExp(value);
  } catch (error) {
    return `filter is not a regular expression: ${error instanceof Error ? error.message : String(error)}`;
  }
}
