/** What a hook's process is started with. */
export interface ProgramStart {
  program: string;
  args: readonly string[];
  cwd: string;
  /** All of its environment. */
  env: Readonly<Record<string, string>>;
  stdin: string;
}

export interface ProgramEnd {
  /** Null when a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
  /** More was printed than is kept. */
  overflow: boolean;
}

/** Bytes that are kept of each stream; the rest is read and thrown away. */
const MOST_BYTES = 1024 * 1024;
/** How long what was started by it may hold its output after it has ended, milliseconds. */
const HELD_MS = 300;

/**
 * Runs a program in a process group of its own. An abort kills the whole group and throws the signal's reason; a program
 * that ends leaves what it has started, and nobody waits for that. Throws when it cannot be started.
 */
export async function runProgram(start: ProgramStart, signal: AbortSignal): Promise<ProgramEnd> {
  signal.throwIfAborted();
  const child = new Deno.Command(start.program, {
    args: [...start.args],
    cwd: start.cwd,
    clearEnv: true,
    env: { ...start.env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    detached: true,
  }).spawn();
  const kill = () => killGroup(child);
  signal.addEventListener("abort", kill, { once: true });
  const outputs = [new KeptOutput(child.stdout), new KeptOutput(child.stderr)] as const;
  const input = new FedInput(child.stdin, start.stdin);
  try {
    const status = await child.status;
    await within(HELD_MS, Promise.all(outputs.map(({ ended }) => ended)));
    signal.throwIfAborted();
    const [stdout, stderr] = outputs;
    return {
      code: status.signal === null ? status.code : null,
      stdout: stdout.text,
      stderr: stderr.text,
      overflow: stdout.overflow,
    };
  } finally {
    signal.removeEventListener("abort", kill);
    await Promise.all([...outputs, input].map((stream) => stream.stop()));
  }
}

function killGroup(child: Deno.ChildProcess): void {
  try {
    if (Deno.build.os === "windows") child.kill("SIGKILL");
    else Deno.kill(-child.pid, "SIGKILL");
  } catch (error) {
    // it has ended already
    if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
  }
}

class FedInput {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;

  constructor(stdin: WritableStream<Uint8Array>, text: string) {
    this.#writer = stdin.getWriter();
    this.#feed(text);
  }

  /** Takes the pipe away. What the program has left behind may hold it unread: for that nobody waits. */
  async stop(): Promise<void> {
    const closed = this.#writer.abort().catch(() => {}); // closed already
    await within(HELD_MS, closed);
  }

  async #feed(text: string): Promise<void> {
    try {
      await this.#writer.write(new TextEncoder().encode(text));
      await this.#writer.close();
    } catch {
      // a hook need not read its input
    }
  }
}

/** Waits for what ends, and no longer than it may take, milliseconds. */
async function within(most: number, ends: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => timer = setTimeout(resolve, most));
  await Promise.race([ends, over]);
  clearTimeout(timer);
}

class KeptOutput {
  readonly ended: Promise<void>;
  overflow = false;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
    this.ended = this.#read();
  }

  get text(): string {
    const all = new Uint8Array(this.#bytes);
    let offset = 0;
    for (const chunk of this.#chunks) {
      all.set(chunk, offset);
      offset += chunk.length;
    }
    return new TextDecoder().decode(all);
  }

  async stop(): Promise<void> {
    await this.#reader.cancel().catch(() => {}); // ended by itself
    await this.ended;
  }

  async #read(): Promise<void> {
    try {
      while (true) {
        const { value, done } = await this.#reader.read();
        if (done) return;
        const room = MOST_BYTES - this.#bytes;
        if (value.length > room) this.overflow = true;
        const kept = value.length > room ? value.slice(0, room) : value;
        if (kept.length > 0) this.#chunks.push(kept);
        this.#bytes += kept.length;
      }
    } catch {
      // the pipe broke: what came before counts
    }
  }
}
