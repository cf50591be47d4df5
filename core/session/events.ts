import * as z from "zod";
import { EventCatalog } from "../journal/mod.ts";
import {
  assistant,
  failure,
  json,
  jsonObject,
  media,
  message,
  status,
  stop,
  task,
  usage,
  worktree,
} from "./event_schemas.ts";

/** Every event that a session writes, with its current version. Families follow `resources/docs/events.md`. */
export const sessionEvents = new EventCatalog()
  /** First event of a session: which one it is and where it works. */
  .define(
    "session.created",
    1,
    () =>
      z.object({
        session_id: z.string(),
        project_id: z.string(),
        cwd: z.string(),
        lumina_version: z.string(),
        origin: z.enum(["headless", "interactive", "import"]),
      }),
  )
  /** The system prompt from here on; written again only when its text changed. */
  .define("session.prompt_set", 1, () => z.object({ system: z.string() }))
  /** A prompt begins a run; nothing has been asked of a model yet. */
  .define(
    "run.started",
    2,
    () =>
      z.object({
        /** What the person wrote. */
        prompt: z.string(),
        /** Facts of the moment that travel before the prompt in the same message. */
        context: z.string(),
        model: z.string(),
        mode: z.string(),
        tools: z.array(z.string()),
        /** Pictures and documents that the person sent with it. */
        media: z.array(media()).exactOptional(),
        /** False for a prompt that came through a pipe alone: the addresses in it were typed by nobody. */
        typed: z.boolean().exactOptional(),
      }),
    (payload) => payload, // what was added may be absent
  )
  /** The name a list shows; `prompt` titles come from the first prompt and need no event. */
  .define("session.titled", 1, () => z.object({ title: z.string(), by: z.enum(["user", "auto"]) }))
  /** Pinned sessions are never cleaned up. */
  .define("session.pinned", 1, () => z.object({ pinned: z.boolean() }))
  /** The events that follow, up to those of this session's own, are copies of the parent's up to `parent_seq`. */
  .define(
    "session.forked",
    1,
    () => z.object({ parent_id: z.string(), parent_seq: z.int(), message: z.int().nullable() }),
  )
  /**
   * Back to a message (`core/session` `cutAt`). With `conversation` and `both` the messages behind it leave the
   * conversation; `snapshot` is the state of the workspace that was restored.
   */
  .define(
    "session.rewound",
    1,
    () =>
      z.object({
        to: z.int(),
        scope: z.enum(["files", "conversation", "both"]),
        snapshot: z.string().nullable(),
        changed: z.int(),
      }),
  )
  /**
   * The model is shown less of the conversation from here on; the conversation itself stays whole. `head` stands in the
   * place of every message before `from`; null: nothing of what was said before is shown as itself.
   */
  .define(
    "session.compacted",
    1,
    () =>
      z.object({
        trigger: z.enum(["auto", "manual", "overflow"]),
        tier: z.enum(["clear", "summary"]),
        /** Texts of the first message: requests, summary, files. */
        head: z.array(z.string()).exactOptional(),
        /** Number of the first message that is still shown as itself. */
        from: z.int().nullable().exactOptional(),
        /** Results that are shown shorter from here on. */
        replaced: z.array(z.object({ call_id: z.string(), content: z.string() })),
        /** About how many tokens the next request would have had, and has. */
        tokens_before: z.int(),
        tokens_after: z.int(),
      }),
  )
  /** One message of a session that another program or an older Lumina kept. */
  .define("session.message_imported", 1, () => z.object({ message: message() }))
  /** Where a session works from now on that was imported from a form which did not say it. */
  .define("session.placed", 1, () => z.object({ project_id: z.string(), cwd: z.string() }))
  /** A person ran a slash command. What may hold a secret is left out of `args`. */
  .define(
    "session.command_run",
    1,
    () =>
      z.object({
        name: z.string(),
        args: z.string(),
        source: z.enum(["builtin", "skill", "user", "project", "pack"]),
        /** What it gave: an answer, a prompt, another session, or what was wrong. */
        outcome: z.enum(["text", "prompt", "session", "error"]),
      }),
  )
  /** A message of the user's role inside a run that no person typed. */
  .define("run.note_added", 1, () => z.object({ text: z.string() }))
  /** A person's message that reached the model while a run went on; `key` makes it happen once. */
  .define(
    "run.steered",
    1,
    () =>
      z.object({
        /** What the person wrote. */
        text: z.string(),
        /** What hooks add; it travels before the text in the same message. */
        context: z.string(),
        media: z.array(media()).exactOptional(),
        key: z.string().exactOptional(),
      }),
  )
  /** Before each request to the model. */
  .define("run.step_started", 1, () => z.object({ index: z.int() }))
  /** The run ended inside this step. */
  .define("run.step_interrupted", 1, () => z.object({ reason: z.string() }))
  /** The run is over, and how it ended. */
  .define(
    "run.finished",
    1,
    () =>
      z.object({
        status: status(),
        error: failure().exactOptional(),
        denials: z.int(),
        duration_ms: z.number(),
      }),
  )
  /** The run was stopped, or its process died and the next opening says so. */
  .define("run.interrupted", 1, () => z.object({ reason: z.string() }))
  /** A whole answer, before anything that it asks for is done. */
  .define(
    "model.answered",
    1,
    () => z.object({ model: z.string(), message_id: z.string(), stop: stop(), message: assistant() }),
  )
  /** An attempt that died; its partial message is kept for people and is never an answer. */
  .define(
    "model.retried",
    1,
    () =>
      z.object({
        attempt: z.int(),
        error: failure(),
        delay_ms: z.number(),
        status: z.int().exactOptional(),
        partial: assistant().nullable(),
      }),
  )
  /** Another model answers from here on, for this request. */
  .define("model.fell_back", 1, () => z.object({ from: z.string(), to: z.string(), reason: z.string() }))
  /** No answer came, whatever was tried. */
  .define("model.failed", 1, () => z.object({ error: failure(), partial: assistant().nullable() }))
  /** What one request used and cost, right behind its answer. */
  .define(
    "usage.recorded",
    1,
    () =>
      z.object({
        model: z.string(),
        /** What asked; `main` when absent. */
        chain: z.enum(["main", "session_memory", "imported", "plugin", "compaction", "subagent"])
          .exactOptional(),
        usage: usage(),
        cost_usd: z.number().nullable(),
        duration_ms: z.number(),
      }),
  )
  /** A call was allowed or refused, before it could start. */
  .define(
    "permission.decided",
    2,
    () =>
      z.object({
        call_id: z.string(),
        tool: z.string(),
        behavior: z.enum(["allow", "deny"]),
        /** Who said the last word. */
        by: z.enum(["policy", "user", "headless", "hook"]),
        source: z.string(),
        reason: z.string(),
        rule: z.string().exactOptional(),
        /** The mode that it was judged in. */
        mode: z.string().exactOptional(),
        /** SHA-256 over tool, canonical input and resolved paths: what the decision is about. */
        shown: z.string().exactOptional(),
        /** How long an answer holds. */
        remember: z.enum(["once", "session", "project", "user"]).exactOptional(),
        /** The rules and folders that were kept with the answer. */
        kept: z.array(z.string()).exactOptional(),
        /** The hook that had the last word. */
        hook: z.string().exactOptional(),
        /** The plugin that asked a service of the host for this, during its call. */
        pack: z.string().exactOptional(),
      }),
    (payload) => payload, // what was added may be absent
  )
  /** Intent: committed before the tool starts. */
  .define(
    "tool.started",
    1,
    () =>
      z.object({
        call_id: z.string(),
        name: z.string(),
        effect: z.enum(["none", "read", "write", "run", "net"]),
        repeat: z.enum(["retry", "ask", "mark"]),
      }),
  )
  /** Outcome. `ran` is false when the call was refused or never valid. */
  .define(
    "tool.finished",
    2,
    () =>
      z.object({
        call_id: z.string(),
        name: z.string(),
        content: z.string(),
        is_error: z.boolean(),
        ran: z.boolean(),
        seen: z.array(z.object({ path: z.string(), sha256: z.string() })),
        data: json().exactOptional(),
        /** What it shows the model beside its text. */
        media: z.array(media()).exactOptional(),
        duration_ms: z.number(),
      }),
    (payload) => payload, // what was added may be absent
  )
  /** The whole of an output that was too long to show, where a locked run may write no file for it. */
  .define("tool.output_kept", 1, () => z.object({ call_id: z.string(), content: z.string() }))
  /** The run ended before an outcome was known. `unknown_outcome`: the tool had started and may have acted. */
  .define(
    "tool.interrupted",
    1,
    () =>
      z.object({ call_id: z.string(), name: z.string(), reason: z.string(), unknown_outcome: z.boolean() }),
  )
  /** A sub-agent begins or goes on; its own events are in the stream `agent/<agent_id>`. */
  .define(
    "subagent.started",
    1,
    () =>
      z.object({
        agent_id: z.string(),
        agent_type: z.string(),
        description: z.string(),
        /** The call that asked for it; absent where a skill or a command did. */
        call_id: z.string().exactOptional(),
        background: z.boolean(),
        model: z.string(),
        tools: z.array(z.string()),
        worktree: worktree().exactOptional(),
      }),
  )
  /** A sub-agent has ended, and how. `worktree` is what it left: absent where nothing is left. */
  .define(
    "subagent.finished",
    1,
    () =>
      z.object({
        agent_id: z.string(),
        status: status(),
        error: failure().exactOptional(),
        turns: z.int(),
        usage: usage(),
        cost_usd: z.number().nullable(),
        duration_ms: z.number(),
        worktree: worktree().exactOptional(),
      }),
  )
  /** The process ended before the sub-agent did. */
  .define(
    "subagent.interrupted",
    1,
    () => z.object({ agent_id: z.string(), reason: z.string(), done: z.string() }),
  )
  /** A command goes on after the call that started it. */
  .define(
    "tool.shell_started",
    1,
    () =>
      z.object({
        shell_id: z.string(),
        call_id: z.string(),
        /** Its beginning, at most 200 characters. */
        command: z.string(),
      }),
  )
  /** It is over. `gone`: it ended with the process that had started it, and a later one tells the model so. */
  .define(
    "tool.shell_ended",
    1,
    () =>
      z.object({
        shell_id: z.string(),
        reason: z.enum(["exited", "killed", "gone"]),
        /** Null when it is not known. */
        exit_code: z.int().nullable(),
      }),
  )
  /** The workspace as it was: `snapshot` names it in the store of `core/rewind`. */
  .define(
    "checkpoint.captured",
    1,
    () =>
      z.object({
        /** Empty when it could not be captured, or was not to be. */
        snapshot: z.string(),
        /** Before a file tool's write, before a command that may write, after the run, or before a rewind. */
        moment: z.enum(["write", "command", "end", "rewind"]),
        call_id: z.string().exactOptional(),
        /** Paths that were too large or could not be read, at most 100. */
        skipped: z.array(z.string()),
      }),
  )
  /** A stretch of the session in words, for the history; events `from` to `to`. */
  .define(
    "memory.summarised",
    1,
    () =>
      z.object({
        from: z.int(),
        to: z.int(),
        title: z.string(),
        summary: z.string(),
        tags: z.array(z.string()),
        model: z.string(),
      }),
  )
  /** No summary of the events `from` to `to` could be made; they go into the next one. */
  .define("memory.failed", 1, () => z.object({ from: z.int(), to: z.int(), reason: z.string() }))
  /** The journal was damaged and made anew: what is lost, one line each, and where the damaged files are kept. */
  .define("session.repaired", 1, () => z.object({ lost: z.array(z.string()), backup: z.string() }))
  /** Stands in the place of an event that a repair could not save. */
  .define(
    "session.event_lost",
    1,
    () => z.object({ type: z.string(), version: z.int(), problem: z.string() }),
  )
  /** What a plugin recorded about its own work, at most 16 KiB. */
  .define(
    "plugin.emitted",
    1,
    () => z.object({ pack: z.string(), name: z.string(), call_id: z.string(), data: jsonObject() }),
  )
  /** A plugin used more of something than it may: what it ran was ended. */
  .define(
    "plugin.quota_tripped",
    1,
    () =>
      z.object({
        pack: z.string(),
        quota: z.string(),
        limit: z.number(),
        /** What was found; the limit had been passed by then. */
        value: z.number(),
        /** The call that was running, when there was one. */
        call_id: z.string().exactOptional(),
      }),
  )
  /** A plugin is not used any more in this session. */
  .define("plugin.disabled", 1, () => z.object({ pack: z.string(), reason: z.string() }))
  /** A hook decided something, went wrong or was slow. Hooks that had nothing to say leave no event. */
  .define(
    "warning.hook",
    1,
    () =>
      z.object({
        event: z.string(),
        /** Its file and command, or its plugin. */
        hook: z.string(),
        source: z.enum(["managed", "user", "repo", "pack"]),
        outcome: z.enum(["allow", "ask", "deny", "block", "stop", "changed", "failed", "slow"]),
        text: z.string(),
        duration_ms: z.number(),
        call_id: z.string().exactOptional(),
      }),
  )
  /** A skill's text reached the model: it is told again when the conversation is compacted. */
  .define(
    "run.skill_used",
    1,
    () =>
      z.object({
        name: z.string(),
        source: z.enum(["project", "user", "pack", "bundled"]),
        /** Who called it. */
        by: z.enum(["person", "model"]),
        /** As the model saw it. */
        text: z.string(),
      }),
  )
  /** Intent: the commands in a skill's text are all permitted and run next, one after the other. */
  .define(
    "session.skill_commands_started",
    1,
    () =>
      z.object({
        skill: z.string(),
        commands: z.array(
          z.object({
            command: z.string(),
            /** Who said the last word. */
            by: z.enum(["policy", "user", "headless", "hook"]),
            source: z.string(),
            reason: z.string(),
            rule: z.string().exactOptional(),
          }),
        ),
      }),
  )
  /** Outcome of them. */
  .define(
    "session.skill_commands_finished",
    1,
    () => z.object({ skill: z.string(), ok: z.boolean(), error: z.string().exactOptional() }),
  )
  /** The mode of the session is another one from here on; `by`: the tool that a person agreed to. */
  .define(
    "permission.mode_changed",
    1,
    () => z.object({ from: z.string(), to: z.string(), by: z.string() }),
  )
  /** A task came to the session's list. */
  .define("task.created", 1, () => task())
  /** A task as it is from here on; a deleted one leaves the list. */
  .define("task.updated", 1, () => task())
  /** Something that people were warned of. */
  .define("warning.raised", 1, () => z.object({ text: z.string() }));

/** A stored event of the catalogue, its payload typed by its type. */
export type SessionEvent = Extract<ReturnType<typeof sessionEvents.decode>, { known: true }>["event"];
