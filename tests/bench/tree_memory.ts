/** Samples the resident memory of a process and all its descendants; Linux alone has the files for it. */
export class TreeMemory {
  #pid: number;
  #highest = 0;
  #timer: ReturnType<typeof setInterval>;
  #sampling: Promise<void> = Promise.resolve();

  constructor(pid: number) {
    this.#pid = pid;
    this.#timer = setInterval(() => {
      this.#sampling = this.#sampling.then(() => this.#sample());
    }, 5);
  }

  /** Stops sampling; the highest sum seen in bytes, NaN where there is no `/proc`. */
  async stop(): Promise<number> {
    clearInterval(this.#timer);
    await this.#sampling;
    return this.#highest === 0 ? NaN : this.#highest;
  }

  async #sample(): Promise<void> {
    this.#highest = Math.max(this.#highest, await residentBytes(this.#pid));
  }
}

async function residentBytes(pid: number): Promise<number> {
  try {
    const status = await Deno.readTextFile(`/proc/${pid}/status`);
    const own = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
    let sum = own;
    for await (const task of Deno.readDir(`/proc/${pid}/task`)) {
      const children = await Deno.readTextFile(`/proc/${pid}/task/${task.name}/children`);
      for (const child of children.split(" ").filter((id) => id !== "")) {
        sum += await residentBytes(Number(child));
      }
    }
    return sum;
  } catch {
    // the process or thread has ended between two reads, or this is no Linux
    return 0;
  }
}
