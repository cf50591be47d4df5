import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import { startLumina } from "../support/run_lumina.ts";
import { tempDir } from "../support/temp_dir.ts";
import { atMost, type BenchResult, findSubject, median, modelFlags, percentile, round } from "./measure.ts";

const WARM_UP = 3;
const TURNS = 50;
/** What Lumina may add to the way of a token from the server to its reader, in times of a bare client's own. */
const LIMIT = 5;

interface FirstToken {
  /** From the reader's wish to its first token, without the time the server held it. */
  asked_ms: number;
  /** From the moment the server let go of the first token. */
  released_ms: number;
}

/**
 * The first token's way to standard output against a bare SSE client of the same server, in turns. `released` starts
 * where the server lets go of the token; `asked` at the user's line on standard input, with its durable commits.
 */
export async function ttftOverhead(): Promise<BenchResult> {
  const subject = await findSubject();
  await using dir = await tempDir("lumina-bench-ttft-");
  const count = 2 * (WARM_UP + TURNS);
  await using provider = await startScriptedProvider({
    check: false,
    turns: Array.from({ length: count }, (_, n) => ({
      text: ["first", " second"],
      hold: { name: `turn ${n + 1}` },
    })),
  });
  const flags = [
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
    "--include-partial-messages",
  ];
  await using run = await startLumina(["-p", ...flags, ...modelFlags(provider.url, "anthropic")], {
    ...subject,
    cwd: dir.path,
    app_root: dir.join("root"),
  });
  const lines = run.lines()[Symbol.asyncIterator]();
  const untilLine = async (part: string) => {
    for (let line = await lines.next(); !line.done; line = await lines.next()) {
      if (line.value.includes(part)) return;
    }
    const { code, stderr } = await run.finished;
    throw new Error(`The run ended with ${code} before ${part}: ${stderr}`);
  };
  const line = `${JSON.stringify({ type: "user", message: { role: "user", content: "hello" } })}\n`;
  const firstToken = async (
    ask: () => Promise<unknown>,
    token: () => Promise<unknown>,
  ): Promise<FirstToken> => {
    const asked = performance.now();
    const n = provider.requests.length + 1;
    const arrived = provider.waitForRequest(n);
    await ask();
    const { at_ms } = await arrived;
    const released = performance.now();
    provider.release(`turn ${n}`);
    await token();
    const now = performance.now();
    return { asked_ms: at_ms - asked + now - released, released_ms: now - released };
  };

  const lumina: FirstToken[] = [];
  const bare: FirstToken[] = [];
  for (let turn = -WARM_UP; turn < TURNS; turn++) {
    const mine = await firstToken(() => run.write(line), () => untilLine('"text_delta"'));
    await untilLine('"type":"result"');
    const client = new BareClient(provider.url);
    const its = await firstToken(() => Promise.resolve(client.ask()), () => client.untilText());
    await client.rest();
    if (turn < 0) continue;
    lumina.push(mine);
    bare.push(its);
  }
  await run.closeInput();
  const { code, stderr } = await run.finished;
  if (code !== 0) throw new Error(`The run ended with ${code}: ${stderr}`);

  const figures: Record<string, number> = {};
  for (const from of ["released_ms", "asked_ms"] as const) {
    const name = from.replace("_ms", "");
    const over = lumina.map((one, index) => one[from] - (bare[index]?.[from] ?? NaN));
    figures[`bare_client_${name}_p50_ms`] = round(median(bare.map((one) => one[from])), 2);
    figures[`${subject.kind}_${name}_overhead_p50_ms`] = round(median(over), 2);
    figures[`${subject.kind}_${name}_overhead_p99_ms`] = round(percentile(over, 0.99), 2);
  }
  const ratio = median(lumina.map((one) => one.released_ms)) / median(bare.map((one) => one.released_ms));
  return { name: "ttft_overhead", figures, ratios: [atMost("first_token_to_bare_client_p50", ratio, LIMIT)] };
}

/** The least client there can be: one `fetch`, its body searched for text. */
class BareClient {
  #url: string;
  #seen = "";
  #chunks: AsyncIterator<string> | undefined;
  #response: Promise<Response> | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  ask(): void {
    this.#response = fetch(`${this.#url}/v1/messages`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-api-key": "bench",
        "anthropic-version": "2023-06-01",
      },
      body: JSON.stringify({
        model: "bench-model",
        max_tokens: 100,
        stream: true,
        messages: [{ role: "user", content: "hello" }],
      }),
    });
  }

  async untilText(): Promise<void> {
    const body = (await this.#response)?.body ?? new ReadableStream<Uint8Array<ArrayBuffer>>();
    this.#chunks = body.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
    while (!this.#seen.includes("text_delta")) {
      const { done, value } = await this.#chunks.next();
      if (done) throw new Error(`The bare client got no text: ${this.#seen.slice(0, 200)}`);
      this.#seen += value;
    }
  }

  async rest(): Promise<void> {
    while (!(await this.#chunks?.next())?.done);
  }
}
