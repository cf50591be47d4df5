/**
 * A kill loop of any length with its oracle outside the victim: the real command line (from source, or a compiled file) is
 * killed at random moments, and after each kill the session's file is held against what the victim had printed and done.
 *
 *     deno run -A --unstable-worker-options tests/fault/kill_loop.ts [--rounds 1000] [--lanes 2] [--seed N] [--artifact FILE]
 */
import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { appRootPaths } from "../../core/app_root/mod.ts";
import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import type { ProviderScriptInput, ScriptedProvider } from "../../core/model/scripted/mod.ts";
import { type Wire, WIRES } from "../support/agent_project.ts";
import { randomDraws } from "../support/random_draws.ts";
import { processesWith } from "../support/run_calls.ts";
import { startLumina } from "../support/run_lumina.ts";
import type { LuminaProcess } from "../support/run_lumina.ts";
import { type TempDir, tempDir } from "../support/temp_dir.ts";
import { KillOracle } from "./kill_oracle.ts";

export interface KillLoopOptions {
  rounds: number;
  lanes: number;
  /** Draws the same moments again. */
  seed: number;
  /** A compiled program; `main.ts` in this Deno without it. */
  artifact?: string;
}

export interface KillLoopReport {
  kills: number;
  /** Rounds in which the run was over before its moment came. */
  finished_first: number;
  sessions: number;
  /** Lines that the victims had printed and that the sessions still have. */
  acknowledged: number;
  effects: number;
  /** Where the kills struck, by what they left open. */
  struck: Record<string, number>;
  seconds: number;
}

interface Moment {
  after: "start" | "request" | "line";
  /** Which request or line of this run. */
  n: number;
  delay_ms: number;
}

/** Kills of one session before it is resumed to its end and a new one begins. */
const KILLS_A_SESSION = 6;
/** Tool calls of one prompt. */
const CALLS = 3;

/** Every call has an effect of its own: one that is there twice was done twice. `lane` stands in each of its commands. */
function script(rounds: number, lane: string): ProviderScriptInput {
  const prompts = Array.from({ length: 2 * rounds + 20 }, (_, prompt) => [
    ...Array.from({ length: CALLS }, (_, at) => ({
      text: `thinking ${prompt} `.repeat(3),
      tool_calls: [{ name: "Bash", input: { command: `echo effect-${lane}-${prompt}-${at} >> effects` } }],
    })),
    { text: `prompt ${prompt} done` },
  ]);
  return { turns: [{ text: "ended well", repeat: true, match: "end well" }, ...prompts.flat()] };
}

/** Runs the loop. Throws at the first thing that is lost, doubled or broken, with the seed and the moment. */
export async function killLoop(options: KillLoopOptions): Promise<KillLoopReport> {
  const started = performance.now();
  const report: KillLoopReport = {
    kills: 0,
    finished_first: 0,
    sessions: 0,
    acknowledged: 0,
    effects: 0,
    struck: {},
    seconds: 0,
  };
  const share = Math.ceil(options.rounds / options.lanes);
  const lanes = Array.from({ length: options.lanes }, async (_, lane) => {
    await using run = await Lane.open(options, share, options.seed + lane, WIRES[lane % 2]!, report);
    await run.all();
  });
  const ended = await Promise.allSettled(lanes);
  for (const lane of ended) if (lane.status === "rejected") throw lane.reason;
  report.seconds = Math.round((performance.now() - started) / 100) / 10;
  return report;
}

/** Victims one after the other, in one workspace with one provider. */
class Lane implements AsyncDisposable {
  readonly #options: KillLoopOptions;
  readonly #rounds: number;
  readonly #draw: () => number;
  readonly #wire: Wire;
  readonly #report: KillLoopReport;
  readonly #dir: TempDir;
  readonly #root: TempDir;
  readonly #provider: ScriptedProvider;
  readonly #name: string;

  private constructor(
    options: KillLoopOptions,
    rounds: number,
    seed: number,
    wire: Wire,
    report: KillLoopReport,
    places: { dir: TempDir; root: TempDir; provider: ScriptedProvider; name: string },
  ) {
    this.#options = options;
    this.#rounds = rounds;
    this.#draw = randomDraws(seed);
    this.#wire = wire;
    this.#report = report;
    this.#dir = places.dir;
    this.#root = places.root;
    this.#provider = places.provider;
    this.#name = places.name;
  }

  static async open(
    options: KillLoopOptions,
    rounds: number,
    seed: number,
    wire: Wire,
    report: KillLoopReport,
  ): Promise<Lane> {
    const name = crypto.randomUUID();
    const provider = await startScriptedProvider(script(rounds, name));
    const [dir, root] = await Promise.all([tempDir("lumina-kill-ws-"), tempDir("lumina-kill-root-")]);
    return new Lane(options, rounds, seed, wire, report, { dir, root, provider, name });
  }

  async all(): Promise<void> {
    for (let round = 0; round < this.#rounds;) {
      const id = crypto.randomUUID();
      const oracle = new KillOracle(
        `${appRootPaths(this.#root.path).sessionDir(id)}/runtime.sqlite`,
        this.#dir.join("effects"),
      );
      for (let kill = 0; kill < KILLS_A_SESSION && round < this.#rounds; kill++, round++) {
        const moment = this.#moment();
        try {
          await this.#kill(id, oracle, moment);
        } catch (error) {
          throw new Error(`seed ${this.#options.seed}, round ${round}, killed at ${JSON.stringify(moment)}`, {
            cause: error,
          });
        }
      }
      await this.#end(id, oracle);
    }
  }

  #moment(): Moment {
    const kind = this.#draw();
    if (kind < 0.25) return { after: "start", n: 0, delay_ms: this.#draw() * 600 };
    const after = kind < 0.55 ? "request" : "line";
    const n = 1 + Math.floor(this.#draw() * (after === "line" ? 2 * CALLS + 2 : CALLS + 1));
    return { after, n, delay_ms: this.#draw() ** 2 * 150 };
  }

  async #kill(id: string, oracle: KillOracle, moment: Moment): Promise<void> {
    const exists = await oracle.sessionExists();
    await using run = await this.#start(["-p", "go on", exists ? "--resume" : "--session-id", id]);
    await run.closeInput();
    await this.#reached(moment, run);
    run.kill("SIGKILL");
    const { code, stdout, stderr } = await run.finished;
    await this.#commandsEnded();
    assert.ok(code === 137 || code === 0, `exit ${code}: ${stderr}`);
    oracle.printed(stdout);
    const struck = code === 0 ? "after the end" : await oracle.check();
    if (code === 0) {
      this.#report.finished_first++;
      await oracle.check();
    } else this.#report.kills++;
    this.#report.struck[struck] = (this.#report.struck[struck] ?? 0) + 1;
  }

  /** The session goes on, with everything that was acknowledged, and runs nothing again by itself. */
  async #end(id: string, oracle: KillOracle): Promise<void> {
    if (!await oracle.sessionExists()) {
      assert.equal(oracle.acknowledged, 0, "a session that is gone had acknowledged nothing");
      return;
    }
    const before = await oracle.effects();
    await using run = await this.#start(["-p", "end well", "--resume", id]);
    await run.closeInput();
    const { code, stdout, stderr } = await run.finished;
    assert.equal(code, 0, stderr + stdout.slice(-2_000));
    assert.match(stdout, /"result":"ended well"/);
    oracle.printed(stdout);
    await oracle.check();
    assert.deepEqual(await oracle.effects(), before, "nothing runs again by itself");
    this.#report.sessions++;
    this.#report.acknowledged += oracle.acknowledged;
    this.#report.effects += before.length;
    await Deno.remove(this.#dir.join("effects")).catch(() => {}); // no call had come so far
  }

  /** A command that the victim had started may be a moment from its effect: the oracle looks when nothing can come any more. */
  async #commandsEnded(): Promise<void> {
    if (Deno.build.os !== "linux") return;
    while (processesWith(`effect-${this.#name}`).length > 0) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  #start(args: string[]): Promise<LuminaProcess> {
    const { artifact } = this.#options;
    return startLumina([...args, "--output-format", "stream-json", "--permission-mode", "yolo"], {
      app_root: this.#root.path,
      cwd: this.#dir.path,
      env: {
        LUMINA_API_KEY: "k",
        LUMINA_API_MODEL: "m",
        LUMINA_API_TYPE: this.#wire,
        LUMINA_API_BASE_URL: this.#wire === "anthropic" ? this.#provider.url : `${this.#provider.url}/v1`,
      },
      ...(artifact === undefined ? {} : { artifact }),
    });
  }

  async #reached({ after, n, delay_ms }: Moment, run: LuminaProcess): Promise<void> {
    const there = async () => {
      if (after === "request") await this.#provider.waitForRequest(this.#provider.requests.length + n);
      let seen = 0;
      if (after === "line") { for await (const _ of run.lines()) if (++seen === n) break; }
      await new Promise((resolve) => setTimeout(resolve, delay_ms));
    };
    const waiting = there();
    waiting.catch(() => {}); // the provider is closed when the run ended first
    await Promise.race([waiting, run.finished]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#provider.close();
    await this.#dir[Symbol.asyncDispose]();
    await this.#root[Symbol.asyncDispose]();
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "1000" },
      lanes: { type: "string", default: "2" },
      seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 32)) },
      artifact: { type: "string" },
    },
  });
  const { rounds, lanes, seed, artifact } = values;
  // deno-lint-ignore no-console -- what the loop is run for
  console.log(`seed ${seed}`);
  const report = await killLoop({
    rounds: Number(rounds),
    lanes: Number(lanes),
    seed: Number(seed),
    ...(artifact === undefined ? {} : { artifact }),
  });
  // deno-lint-ignore no-console -- as above
  console.log(JSON.stringify(report, null, 2));
}
