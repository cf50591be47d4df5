import { readRun, userLine } from "./agent_project.ts";
import type { AgentRun, Line } from "./agent_project.ts";
import type { LuminaProcess } from "./run_lumina.ts";

/** A program that types over stream-json while the agent works, and waits for what it says. */
export class Typist {
  readonly lines: Line[] = [];
  readonly #next: AsyncIterator<string>;

  constructor(readonly run: LuminaProcess) {
    this.#next = run.lines()[Symbol.asyncIterator]();
  }

  say(...lines: (string | Line)[]): Promise<void> {
    return this.run.write(lines.map((line) => `${JSON.stringify(userLine(line))}\n`).join(""));
  }

  /** All input has been read when this has been answered: it is taken line by line. */
  async read(): Promise<void> {
    const request_id = `read-${this.lines.length}`;
    await this.say({ type: "control_request", request_id, request: { subtype: "initialize" } });
    await this.until((line) => line["response"]?.request_id === request_id);
  }

  async until(fits: (line: Line) => boolean): Promise<Line> {
    for (;;) {
      const { done, value } = await this.#next.next();
      if (done) throw new Error(`it ended: ${JSON.stringify(this.lines)}`);
      const line: Line = JSON.parse(value);
      this.lines.push(line);
      if (fits(line)) return line;
    }
  }

  result(): Promise<Line> {
    return this.until((line) => line["type"] === "result");
  }

  async end(): Promise<AgentRun> {
    await this.run.closeInput();
    return readRun(await this.run.finished);
  }
}
