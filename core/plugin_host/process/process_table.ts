/** One process as the system shows it. */
export interface ProcessRow {
  pid: number;
  parent: number;
  group: number;
  session: number;
  /** When it began, in the system's own unit; with the pid it names a process for good. */
  started: number;
  memory_mib: number;
  /** Processor time, with that of children it has waited for, seconds. */
  cpu_seconds: number;
  /** It has ended and nobody has asked how. */
  ended: boolean;
}

/** Ends each answer; longer than a process's name can be, which may hold line feeds. */
const END = "end-of-the-processes";

/**
 * Answers each line of process ids, or `all`, with the `stat` of each. For a few it starts no other program; for all one
 * `cat` is many times as fast.
 */
const READER = `getconf PAGESIZE 2>/dev/null || echo 4096
while read -r names; do
  if [ "$names" = all ]; then
    cat /proc/[0-9]*/stat 2>/dev/null
  else
    for name in $names; do
      { while read -r line; do printf '%s\n' "$line"; done < /proc/$name/stat; } 2>/dev/null
    done
  fi
  echo ${END}
done`;

/** Ticks of processor time in a second; the same for every Linux that Deno runs on. */
const TICKS = 100;
const MIB = 1024 * 1024;
/** A look that takes longer is given up, milliseconds: somebody has stopped the shell. */
const LOOK_MS = 1_000;

/**
 * Looks at processes of this machine. A program without all permissions may not read `/proc`, so a small shell reads it, for
 * as long as somebody asks; elsewhere `ps` does. Where neither is to be had it shows nothing.
 */
export class ProcessTable {
  #reader: TableReader | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  /** Process id of the shell; undefined while there is none. */
  get shell(): number | undefined {
    return this.#reader?.pid;
  }

  /** The processes with these ids, or all; those that have ended are missing. Undefined where none can be seen. */
  look(pids: readonly number[] | "all"): Promise<ProcessRow[] | undefined> {
    const rows = this.#turn.then(() => this.#look(pids));
    this.#turn = rows.catch(() => {}); // whoever asked hears of it
    return rows;
  }

  /** Ends the shell. */
  async close(): Promise<void> {
    await this.#turn;
    await this.#reader?.close();
    this.#reader = undefined;
  }

  async #look(pids: readonly number[] | "all"): Promise<ProcessRow[] | undefined> {
    if (Deno.build.os === "windows") return undefined;
    if (Deno.build.os !== "linux") return await tableOfPs(pids);
    try {
      return await (this.#reader ??= new TableReader()).look(pids);
    } catch {
      // somebody has ended the shell: the next look starts another one
      await this.#reader?.close();
      this.#reader = undefined;
      return undefined;
    }
  }
}

class TableReader {
  #child: Deno.ChildProcess;
  #input: WritableStreamDefaultWriter<Uint8Array>;
  #output: ReadableStreamDefaultReader<string>;
  #buffer = "";
  #page: Promise<number>;

  constructor() {
    this.#child = new Deno.Command("/bin/sh", {
      args: ["-c", READER],
      clearEnv: true,
      env: { PATH: "/usr/bin:/bin" },
      cwd: "/",
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
      detached: true,
    }).spawn();
    this.#input = this.#child.stdin.getWriter();
    this.#output = this.#child.stdout.pipeThrough(
      new TextDecoderStream() as TransformStream<Uint8Array, string>,
    )
      .getReader();
    this.#page = this.#until("\n").then(Number);
    this.#page.catch(() => {}); // the first look hears of it
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Rejects when the shell has ended or does not answer. */
  async look(pids: readonly number[] | "all"): Promise<ProcessRow[]> {
    const timer = setTimeout(() => this.#kill(), LOOK_MS);
    try {
      return await this.#look(pids);
    } finally {
      clearTimeout(timer);
    }
  }

  async #look(pids: readonly number[] | "all"): Promise<ProcessRow[]> {
    await this.#input.write(new TextEncoder().encode(`${pids === "all" ? pids : pids.join(" ")}\n`));
    const page = await this.#page;
    return parseTable(await this.#until(`${END}\n`), page);
  }

  async close(): Promise<void> {
    this.#kill();
    await this.#input.close().catch(() => {}); // it has ended already
    await this.#output.cancel().catch(() => {});
    await this.#child.status;
  }

  #kill(): void {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // it has ended
    }
  }

  async #until(end: string): Promise<string> {
    for (;;) {
      const at = this.#buffer.indexOf(end);
      if (at >= 0) {
        const text = this.#buffer.slice(0, at);
        this.#buffer = this.#buffer.slice(at + end.length);
        return text;
      }
      const { value, done } = await this.#output.read();
      if (done) throw new Error("The shell that shows processes has ended");
      this.#buffer += value;
    }
  }
}

/** One process: its id, its name in brackets, its state, and more numbers than a name has room for. */
const STAT = /(\d+) \(([^]{0,15}?)\) (\S) (-?\d+(?: -?\d+){21,60})\s*\n/y;

/** The lines of `/proc/<pid>/stat` (proc_pid_stat(5)), one after the other. A name may hold anything, line feeds too. */
export function parseTable(text: string, page_bytes: number): ProcessRow[] {
  const rows: ProcessRow[] = [];
  for (let at = 0; at < text.length;) {
    STAT.lastIndex = at;
    const match = STAT.exec(text);
    if (match === null) {
      // a process that ended while it was read
      const next = text.indexOf("\n", at);
      at = next < 0 ? text.length : next + 1;
      continue;
    }
    at = STAT.lastIndex;
    const numbers = (match[4] ?? "").split(" ").map(Number);
    const field = (index: number) => numbers[index - 4] ?? 0;
    rows.push({
      pid: Number(match[1]),
      parent: field(4),
      group: field(5),
      session: field(6),
      started: field(22),
      memory_mib: field(24) * page_bytes / MIB,
      cpu_seconds: (field(14) + field(15) + field(16) + field(17)) / TICKS,
      ended: match[3] === "Z" || match[3] === "X",
    });
  }
  return rows;
}

/** The same from `ps` (POSIX), which knows neither when a process began nor its session. */
export async function tableOfPs(pids: readonly number[] | "all"): Promise<ProcessRow[] | undefined> {
  let stdout: Uint8Array;
  try {
    ({ stdout } = await new Deno.Command("/bin/ps", {
      args: ["-A", "-o", "pid=", "-o", "ppid=", "-o", "pgid=", "-o", "rss=", "-o", "time=", "-o", "stat="],
      clearEnv: true,
      stdin: "null",
      stderr: "null",
    }).output());
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
  const rows: ProcessRow[] = [];
  for (const line of new TextDecoder().decode(stdout).split("\n")) {
    const [pid = 0, parent = 0, group = 0, rss = 0] = line.trim().split(/\s+/).map(Number);
    const [time = "", stat = ""] = line.trim().split(/\s+/).slice(4);
    if (pid === 0 || (pids !== "all" && !pids.includes(pid))) continue;
    const cpu_seconds = time.split(/[-:]/).reduce((total, part) => total * 60 + Number(part), 0);
    const ended = stat.startsWith("Z");
    rows.push({ pid, parent, group, session: group, started: 0, memory_mib: rss / 1024, cpu_seconds, ended });
  }
  return rows;
}
