/** Bytes before each message: its length, big-endian. */
const HEADER = 4;

/** A message of `value` as it travels: four bytes of length, then JSON in UTF-8. */
export function encodeFrame(value: unknown): Uint8Array {
  const body = new TextEncoder().encode(JSON.stringify(value));
  const frame = new Uint8Array(HEADER + body.length);
  new DataView(frame.buffer).setUint32(0, body.length);
  frame.set(body, HEADER);
  return frame;
}

/** A message that is longer than it may be, or is cut off. */
export class FrameError extends Error {
  override name = "FrameError";
  /** The length that a message claims to have, when that was too much. */
  readonly length: number | undefined;

  constructor(message: string, length?: number) {
    super(message);
    this.length = length;
  }
}

/**
 * The bodies of the messages in a stream, one by one; the stream is read only while somebody asks for the next one. Holds
 * at most `max_bytes` and one piece of the stream. Throws `FrameError` at the header of a message that is longer, before
 * anything of it is kept, and for a stream that ends inside a message.
 */
export async function* readFrames(
  stream: ReadableStream<Uint8Array>,
  max_bytes: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = stream.getReader();
  let pieces: Uint8Array[] = [];
  let held = 0;

  /** Takes `count` bytes that are held. */
  const take = (count: number): Uint8Array<ArrayBuffer> => {
    const taken = new Uint8Array(count);
    let filled = 0;
    let index = 0;
    while (filled < count) {
      const piece = pieces[index] as Uint8Array;
      const part = piece.subarray(0, count - filled);
      taken.set(part, filled);
      filled += part.length;
      if (part.length < piece.length) pieces[index] = piece.subarray(part.length);
      else index++;
    }
    pieces = pieces.slice(index);
    held -= count;
    return taken;
  };

  const fill = async (count: number): Promise<boolean> => {
    while (held < count) {
      const { value, done } = await reader.read();
      if (done) return false;
      pieces.push(value);
      held += value.length;
    }
    return true;
  };

  try {
    while (await fill(HEADER)) {
      const length = new DataView(take(HEADER).buffer).getUint32(0);
      if (length > max_bytes) {
        throw new FrameError(`a message of ${length} bytes, at most ${max_bytes} are taken`, length);
      }
      if (!await fill(length)) throw new FrameError("its messages end in the middle of one");
      yield take(length);
    }
    if (held > 0) throw new FrameError("its messages end in the middle of one");
  } finally {
    // whoever stops listening wants nothing of what may still come
    await reader.cancel().catch(() => {});
  }
}
