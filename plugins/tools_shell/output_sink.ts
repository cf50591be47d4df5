import type { RawOutput } from "./render_output.ts";

/** Up to this many bytes stay in memory; a short output never touches the disk. */
const MEMORY_BYTES = 128 * 1024;

/**
 * Keeps what a command writes: in memory while short, then in `path`, which gets every byte from the first on.
 * Appends are written in the order of their calls. Throws what the file system throws.
 */
export class OutputSink {
  readonly path: string | undefined;
  #memory: Uint8Array[] = [];
  #file: Deno.FsFile | undefined;
  #total = 0;
  #tail: Promise<unknown> = Promise.resolve();
  #closed = false;

  /** @param path undefined: all of it stays in memory */
  constructor(path: string | undefined) {
    this.path = path;
  }

  /** Bytes taken so far. */
  get total(): number {
    return this.#total;
  }

  /** True when the bytes are in the file. */
  get in_file(): boolean {
    return this.#file !== undefined;
  }

  /** Takes a chunk; resolves when it is stored. After {@link close} chunks are dropped. */
  append(chunk: Uint8Array): Promise<void> {
    return this.#inOrder(async () => {
      if (this.#closed) return;
      this.#total += chunk.length;
      if (!this.#file) {
        this.#memory.push(chunk);
        if (this.#total > MEMORY_BYTES && this.path !== undefined) await this.#open();
      } else await writeAll(this.#file, chunk);
    });
  }

  /** Moves what is in memory to the file, where all that follows goes too. */
  toFile(): Promise<void> {
    return this.#inOrder(async () => {
      if (!this.#file && !this.#closed && this.path !== undefined) await this.#open();
    });
  }

  /**
   * The bytes from `start` on: whole when they are at most `2 * window`, else the first and the last `window`.
   * Never holds more than that.
   */
  read(start: number, window: number): Promise<RawOutput> {
    return this.#inOrder(async () => {
      const end = this.#total;
      if (end - start <= 2 * window) return { head: await this.#bytes(start, end), left_out: 0 };
      return {
        head: await this.#bytes(start, start + window),
        left_out: end - start - 2 * window,
        tail: await this.#bytes(end - window, end),
      };
    });
  }

  /** Ends writing. With `remove` the file goes too. A second time it does nothing. */
  close(remove: boolean): Promise<void> {
    return this.#inOrder(async () => {
      if (this.#closed) return;
      this.#closed = true;
      this.#file?.close();
      if (remove && this.#file && this.path !== undefined) await Deno.remove(this.path);
    });
  }

  async #open(): Promise<void> {
    const file = await Deno.open(this.path ?? "", { write: true, createNew: true, mode: 0o600 });
    this.#file = file;
    for (const chunk of this.#memory) await writeAll(file, chunk);
    this.#memory = [];
  }

  async #bytes(start: number, end: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(end - start);
    if (!this.#file || this.path === undefined) {
      let at = 0;
      for (const chunk of this.#memory) {
        const part = chunk.subarray(Math.max(0, start - at), Math.max(0, end - at));
        if (part.length > 0) bytes.set(part, Math.max(at, start) - start);
        at += chunk.length;
      }
      return bytes;
    }
    const file = await Deno.open(this.path, { read: true });
    try {
      await file.seek(start, Deno.SeekMode.Start);
      let filled = 0;
      while (filled < bytes.length) {
        const count = await file.read(bytes.subarray(filled));
        if (count === null) break; // somebody cut the file: what is there is shown
        filled += count;
      }
      return bytes.subarray(0, filled);
    } finally {
      file.close();
    }
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(work);
    this.#tail = result.catch(() => {/* told to the caller of this step; the next step stands for itself */});
    return result;
  }
}

async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  let written = 0;
  while (written < bytes.length) written += await file.write(bytes.subarray(written));
}
