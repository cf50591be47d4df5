/** A file to look into: where it is, as `rg` will be told. */
interface Candidate {
  real: string;
}

/**
 * Which of some files contain a text, found by ripgrep. It is told the files that the walk has judged, and only reads
 * them: what is ignored, shown, counted or clipped stays decided here, so results do not depend on it.
 */
export class RgPrefilter {
  readonly #program: string;
  readonly #literal: string;
  readonly #ignoreCase: boolean;
  readonly #root: string;
  readonly #signal: AbortSignal;

  constructor(
    program: string,
    literal: string,
    options: { ignore_case: boolean; root: string; signal: AbortSignal },
  ) {
    this.#program = program;
    this.#literal = literal;
    this.#ignoreCase = options.ignore_case;
    this.#root = options.root.endsWith("/") ? options.root : `${options.root}/`;
    this.#signal = options.signal;
  }

  /**
   * The `real` paths of `files` that contain the text; undefined when ripgrep could not tell for all of them
   * (not startable, a file it could not read): then the caller looks itself.
   */
  async find(files: readonly Candidate[]): Promise<Set<string> | undefined> {
    const names = files.map(({ real }) =>
      real.startsWith(this.#root) ? `./${real.slice(this.#root.length)}` : real
    );
    // -a: whether a file is binary is judged here; --no-config: the user's settings must not change results
    const args = ["--no-config", "-l", "-0", "-F", "-a", "--no-mmap", "--color", "never", "-j", "2"];
    if (this.#ignoreCase) args.push("-i");
    args.push("-e", this.#literal, "--", ...names);
    let output: Deno.CommandOutput;
    try {
      output = await new Deno.Command(this.#program, {
        args,
        cwd: this.#root,
        clearEnv: true,
        stdin: "null",
        stdout: "piped",
        stderr: "null",
        signal: this.#signal,
      }).output();
    } catch {
      this.#signal.throwIfAborted();
      return undefined; // gone or not permitted any more: the built-in search gives the same results
    }
    this.#signal.throwIfAborted();
    if (output.code > 1 || output.signal !== null) return undefined;
    const found = new Set<string>();
    for (const name of new TextDecoder().decode(output.stdout).split("\0")) {
      if (name !== "") found.add(name.startsWith("./") ? this.#root + name.slice(2) : name);
    }
    return found;
  }
}

/** Files and bytes of names for one start of ripgrep: far below the argument limits of Linux and macOS. */
const GROUP_FILES = 8192;
const GROUP_BYTES = Deno.build.os === "windows" ? 16 * 1024 : 256 * 1024;

/** Gathers files until one start of ripgrep is worth it. */
export class FileGroup<T extends Candidate> {
  readonly files: T[] = [];
  #bytes = 0;

  add(file: T): void {
    this.files.push(file);
    this.#bytes += file.real.length + 8;
  }

  get full(): boolean {
    return this.files.length >= GROUP_FILES || this.#bytes >= GROUP_BYTES;
  }
}
