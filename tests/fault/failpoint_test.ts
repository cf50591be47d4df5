import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { StoredEvent } from "../../core/types/mod.ts";
import { RUN_FLAGS } from "../../scripts/run_flags.ts";
import { AgentProject, payload } from "../support/agent_project.ts";
import { REPO_ROOT } from "../support/repo_root.ts";

const MAIN = fileURLToPath(new URL("./failpoint_main.ts", import.meta.url));
const YOLO = ["--permission-mode", "yolo"];

/** Runs one prompt that ends at the `nth` visit of a place; gives what it printed. */
async function killedAt(project: AgentProject, place: string, nth: number, id: string): Promise<string> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...[
        "run",
        "--quiet",
        "--no-check",
        "--config",
        `${REPO_ROOT}/deno.json`,
        ...RUN_FLAGS,
        MAIN,
        place,
        `${nth}`,
      ],
      ...["-p", "do two", "--session-id", id, "--output-format", "stream-json", ...YOLO],
    ],
    cwd: project.dir.path,
    env: {
      LUMINA_APP_ROOT: project.app_root,
      LUMINA_API_KEY: "k",
      LUMINA_API_MODEL: "m",
      LUMINA_API_TYPE: "anthropic",
      LUMINA_API_BASE_URL: project.provider.url,
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  const { signal, stdout, stderr } = await child.output();
  assert.equal(signal, "SIGKILL", `${place} was not met: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

function effects(project: AgentProject): string[] {
  const file = project.dir.join("effects");
  return existsSync(file) ? Deno.readTextFileSync(file).trim().split("\n") : [];
}

interface Claim {
  place: string;
  nth: number;
  /** Effects on the disk when the process is dead. */
  effects: number;
  /** What each of the two calls must have come to after the next start: its outcome, or nothing when it was not asked for. */
  calls: ("known" | "unknown" | "not run")[];
  /** The run had ended. */
  finished?: true;
}

const CLAIMS: Claim[] = [
  { place: "tool.before_intent", nth: 1, effects: 0, calls: ["not run"] },
  { place: "tool.after_intent", nth: 1, effects: 0, calls: ["unknown"] },
  { place: "tool.before_effect", nth: 1, effects: 0, calls: ["unknown"] },
  { place: "tool.after_effect", nth: 1, effects: 1, calls: ["unknown"] },
  { place: "tool.after_outcome", nth: 1, effects: 1, calls: ["known"] },
  { place: "tool.after_intent", nth: 2, effects: 1, calls: ["known", "unknown"] },
  { place: "tool.after_effect", nth: 2, effects: 2, calls: ["known", "unknown"] },
  { place: "run.before_finish", nth: 1, effects: 2, calls: ["known", "known"] },
  { place: "run.after_finish", nth: 1, effects: 2, calls: ["known", "known"], finished: true },
  { place: "cli.after_answer", nth: 1, effects: 2, calls: ["known", "known"], finished: true },
];

for (const claim of CLAIMS) {
  const { place, nth } = claim;
  Deno.test(`killed at ${place}, visit ${nth}: nothing runs again, what is unknown is said, the session goes on`, async () => {
    await using project = await AgentProject.open({
      turns: [
        { text: "carried on", repeat: true, match: "carry on" },
        ...[1, 2].map((n) => ({
          tool_calls: [{ name: "Bash", input: { command: `echo effect-${n} >> effects` }, id: "call_0" }],
        })),
        { text: "both done" },
      ],
    });
    const id = crypto.randomUUID();
    const printed = await killedAt(project, place, nth, id);
    assert.equal(printed.includes('"result":"both done"'), place === "cli.after_answer");
    const before = effects(project);
    assert.equal(before.length, claim.effects);

    const resumed = await project.run(["-p", "carry on", "--resume", id, ...YOLO]);
    assert.deepEqual([resumed.code, resumed.stdout], [0, "carried on\n"], resumed.stderr);
    assert.deepEqual(effects(project), before, "nothing ran again");
    const events = await project.journal(id);
    assert.deepEqual(outcomes(events), claim.calls);
    const ends = events.filter(({ type }) => type === "run.finished" || type === "run.interrupted").map((
      { type },
    ) => type);
    assert.deepEqual(ends, [claim.finished ? "run.finished" : "run.interrupted", "run.finished"]);
    const sent = JSON.stringify(project.provider.requests.at(-1)?.body);
    assert.equal(/its outcome is unknown/.test(sent), claim.calls.includes("unknown"), "the model is told");
    const shown = await project.run(["session", "show", id]);
    assert.equal(/outcome unknown/.test(shown.stdout), claim.calls.includes("unknown"), "a person is told");
    const verified = await project.run(["session", "verify", id]);
    assert.equal(verified.code, 0, verified.stdout);
  });
}

/** What each call came to, in order; each must have exactly one end. */
function outcomes(events: readonly StoredEvent[]): Claim["calls"] {
  const asked = events.filter(({ type }) => type === "model.answered").flatMap((event) =>
    payload(event)["message"].content.filter((block: { type: string }) => block.type === "tool_use")
  );
  return asked.map(({ call_id }) => {
    const ends = events.filter((event) =>
      /^tool\.(finished|interrupted)$/.test(event.type) && payload(event)["call_id"] === call_id
    );
    assert.equal(ends.length, 1, `one end of ${call_id}`);
    if (ends[0]?.type === "tool.finished") return "known";
    return payload(ends[0])["unknown_outcome"] ? "unknown" : "not run";
  });
}
