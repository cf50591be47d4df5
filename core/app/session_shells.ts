import type { Inbox, InboxNotice } from "../agent/mod.ts";
import type { World } from "../base/mod.ts";
import type { Grant } from "../plugin_api/mod.ts";
import type { WorkerTier } from "../plugin_host/mod.ts";
import type { Session, SessionCommand } from "../session/mod.ts";
import type { Json, JsonObject } from "../types/mod.ts";

/** A command that was left running after its call. */
export interface ShellInfo {
  /** `sh_<n>`, counted in the session's whole life. */
  shell_id: string;
  command: string;
  pid: number;
  /** `running`, or how it ended. */
  status: string;
  running: boolean;
  exit_code: number | null;
  /** Milliseconds it has run. */
  duration_ms: number;
  /** Holds all that it has written; absent where nothing is written. */
  output_file?: string;
}

interface Shell extends Omit<ShellInfo, "duration_ms"> {
  started: number;
  duration_ms?: number;
  /** Of the worker that holds it. */
  grant: Grant;
  /** Waits to be told to the model. */
  notice?: InboxNotice;
}

export interface ShellParts {
  session: Session;
  tier: WorkerTier;
  world: World;
  warn(text: string): void;
}

const PLUGIN = "tools_shell";
const COMMAND_CHARS = 200;

/**
 * The background shells of a session: which run, in which worker, and how each ended. The model is told of an end at its next
 * step, and after a resume of those that went with the earlier process.
 */
export class SessionShells {
  readonly #parts: ShellParts;
  readonly #inbox: Inbox;
  readonly #shells = new Map<string, Shell>();
  /** Ids of calls that go on and may not use them. */
  readonly #offered = new Set<number>();
  #last: number;

  constructor(parts: ShellParts, inbox: Inbox) {
    this.#parts = parts;
    this.#inbox = inbox;
    const { shells, shell_count } = parts.session.state;
    this.#last = shell_count;
    if (shells.length > 0) inbox.push(goneNotice(shells));
    parts.tier.onNotice = (plugin, data, grant) => {
      if (plugin === PLUGIN) this.#hear(data, grant);
    };
  }

  /** All of this process, oldest first. */
  list(): ShellInfo[] {
    const now = this.#parts.world.mono();
    return [...this.#shells.values()].map(({ started, grant: _grant, notice: _notice, ...info }) => ({
      ...info,
      duration_ms: info.duration_ms ?? Math.round(now - started),
    }));
  }

  /** An id for what a call may leave running; `release` when the call has ended. */
  offer(): { shell_id: string; release(): void } {
    const taken = [this.#last, ...this.#offered];
    const number = Math.max(...taken) + 1;
    this.#offered.add(number);
    return { shell_id: `sh_${number}`, release: () => void this.#offered.delete(number) };
  }

  /** The grant of the worker that holds a shell: a call about it goes there. */
  grantOf(shell_id: Json | undefined): Grant | undefined {
    return typeof shell_id === "string" ? this.#shells.get(shell_id)?.grant : undefined;
  }

  /** Says which end with the session; ending them is the worker's part. */
  close(): void {
    const running = [...this.#shells.values()].filter((shell) => shell.running);
    this.#parts.tier.onNotice = undefined;
    if (running.length === 0) return;
    const names = running.map(({ shell_id, command }) => `${shell_id} (${oneLine(command, 80)})`);
    this.#parts.warn(`Ended with the session: ${names.join(", ")}`);
  }

  #hear(data: JsonObject, grant: Grant): void {
    const shell_id = String(data["shell_id"]);
    const shell = this.#shells.get(shell_id);
    switch (data["type"]) {
      case "started": {
        const { command, pid, output_file, call_id } = data;
        this.#last = Math.max(this.#last, Number(shell_id.slice("sh_".length)));
        const text = String(command);
        this.#shells.set(shell_id, {
          shell_id,
          command: text,
          pid: Number(pid),
          status: "running",
          running: true,
          exit_code: null,
          started: this.#parts.world.mono(),
          ...(typeof output_file === "string" ? { output_file } : {}),
          grant,
        });
        this.#record({
          type: "note_shell_start",
          shell_id,
          call_id: String(call_id),
          command: oneLine(text, COMMAND_CHARS),
        });
        break;
      }
      case "ended":
        if (shell !== undefined) this.#ended(shell, data);
        break;
      case "seen":
        // the model has read it: the notice would only repeat that
        if (shell?.notice !== undefined) {
          this.#inbox.drop(shell.notice);
          this.#record(...shell.notice.commands ?? []);
          delete shell.notice;
        }
        break;
    }
  }

  #ended(shell: Shell, { exit_code, reason, duration_ms, told, last }: JsonObject): void {
    const code = typeof exit_code === "number" ? exit_code : null;
    shell.running = false;
    shell.exit_code = code;
    shell.duration_ms = Number(duration_ms);
    shell.status = typeof reason === "string" ? `ended: ${reason}` : `ended: exit code ${code ?? "unknown"}`;
    const { shell_id, command } = shell;
    const end: SessionCommand = {
      type: "note_shell_end",
      shell_id,
      reason: told === true ? "killed" : "exited",
      exit_code: code,
    };
    if (told === true) return this.#record(end);
    const words = String(last);
    const text = `Background shell ${shell_id} has ended (${shell.status.slice("ended: ".length)}): ${
      oneLine(command, COMMAND_CHARS)
    }${words === "" ? "" : `\nIt wrote last:\n${words}`}`;
    shell.notice = { kind: "notice", text, commands: [end] };
    this.#inbox.push(shell.notice);
  }

  /** Beside whatever goes on; what cannot be recorded is told. */
  #record(...commands: SessionCommand[]): void {
    this.#parts.session.execute(...commands).catch((error) => {
      this.#parts.warn(`A background shell could not be recorded: ${error.message}`);
    });
  }
}

/** What ran when the earlier process ended runs no more. */
function goneNotice(shells: readonly { shell_id: string; command: string }[]): InboxNotice {
  const names = shells.map(({ shell_id, command }) => `${shell_id} (${command})`);
  return {
    kind: "notice",
    text: `Background shells of this session ended with the process that had started them: ${
      names.join(", ")
    }`,
    commands: shells.map(({ shell_id }) => ({
      type: "note_shell_end",
      shell_id,
      reason: "gone",
      exit_code: null,
    })),
  };
}

function oneLine(text: string, length: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`;
}
