/**
 * A line between two threads for one short text at a time, in shared memory: a message between workers costs two
 * trips through both event loops, a commit by ten writers waits for both. One side asks, the other answers; whatever
 * does not fit goes by message. Control words: the number of the question, the number of the answer, the length of
 * the text in bytes.
 */
export class SharedLine {
  /** What the other thread needs to join. */
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array<SharedArrayBuffer>;
  readonly #bytes: Uint8Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(WORDS_SIZE + CAPACITY)) {
    this.memory = memory;
    this.#words = new Int32Array(memory, 0, WORDS_SIZE / 4);
    this.#bytes = new Uint8Array(memory, WORDS_SIZE);
  }

  /** Puts a text on the line. False when it is too long. It must be well-formed Unicode. */
  put(text: string): boolean {
    if (text.length > CAPACITY) return false;
    const bytes = new TextEncoder().encode(text);
    if (bytes.length > CAPACITY) return false;
    this.#bytes.set(bytes);
    this.#words[LENGTH] = bytes.length;
    return true;
  }

  /** The text on the line. */
  take(): string {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(this.#bytes.slice(0, this.#words[LENGTH]));
  }

  /** The number of the last question or answer. */
  count(side: Side): number {
    return Atomics.load(this.#words, side);
  }

  /** Says that a question or an answer is on the line. */
  signal(side: Side): void {
    Atomics.add(this.#words, side, 1);
    Atomics.notify(this.#words, side);
  }

  /** Resolves when there is a question or an answer after number `seen`. */
  async next(side: Side, seen: number): Promise<void> {
    const waiting = Atomics.waitAsync(this.#words, side, seen);
    if (waiting.async) await waiting.value;
  }
}

export type Side = typeof QUESTION | typeof ANSWER;
export const QUESTION = 0;
export const ANSWER = 1;
const LENGTH = 2;
const WORDS_SIZE = 64;
const CAPACITY = 256 * 1024;
