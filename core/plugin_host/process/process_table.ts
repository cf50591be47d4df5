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

/**
 * Answers lines of patterns with the `stat` of each process that they name, one a line, and a line `.` after the last. A
 * process may have a line feed in its name, so what is read is put together again. It starts no other program, so a machine
 * that is full of processes still answers.
 */
const READER = `getconf PAGESIZE 2>/dev/null || echo 4096
while read -r names; do
  for name in $names; do
    for file in /proc/$name/stat; do
      { all=; while read -r line || [ -n "$line" ]; do all="$all$line "; line=; done < "$file"; } 2>/dev/null &&
        printf '%s\\n' "$all"
    done
  done
  echo .
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
    this.#page = this.#line().then(Number);
    this.#page.catch(() => {}); // the first look hears of it
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
    const names = pids === "all" ? "[0-9]*" : pids.join(" ");
    await this.#input.write(new TextEncoder().encode(`${names}\n`));
    const page = await this.#page;
    const rows: ProcessRow[] = [];
    for (let line = await this.#line(); line !== "."; line = await this.#line()) {
      const row = parseStat(line, page);
      if (row !== undefined) rows.push(row);
    }
    return rows;
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

  async #line(): Promise<string> {
    for (;;) {
      const end = this.#buffer.indexOf("\n");
      if (end >= 0) {
        const line = this.#buffer.slice(0, end);
        this.#buffer = this.#buffer.slice(end + 1);
        return line;
      }
      const { value, done } = await this.#output.read();
      if (done) throw new Error("The shell that shows processes has ended");
      this.#buffer += value;
    }
  }
}

/** A line of `/proc/<pid>/stat` (proc_pid_stat(5)). The name in it may hold anything, brackets too. */
export function parseStat(line: string, page_bytes: number): ProcessRow | undefined {
  const fields = line.slice(line.lastIndexOf(")") + 1).trim().split(" ");
  const field = (index: number) => Number(fields[index - 3]);
  const row: ProcessRow = {
    pid: Number.parseInt(line, 10),
    parent: field(4),
    group: field(5),
    session: field(6),
    started: field(22),
    memory_mib: field(24) * page_bytes / MIB,
    cpu_seconds: (field(14) + field(15) + field(16) + field(17)) / TICKS,
    ended: fields[0] === "Z" || fields[0] === "X",
  };
  return Object.values(row).some((value) => Number.isNaN(value)) ? undefined : row;
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
