import assert from "node:assert/strict";
import { STAGE_ORDER } from "../../core/agent/mod.ts";
import { appRootPaths } from "../../core/app_root/mod.ts";
import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import type { ProviderScriptInput } from "../../core/model/scripted/mod.ts";
import type { JsonObject } from "../../core/types/mod.ts";
import { sourceCommand } from "./run_lumina.ts";
import { tempDir } from "./temp_dir.ts";

/** `stage:participant` of one run, in the order in which they came. */
export type StageTrace = string[];

type StageName = keyof typeof STAGE_ORDER;

/** Runs one prompt of the real program against a script, and gives the trace of each run that there was, in the order of their beginnings. */
export async function traceStages(
  script: ProviderScriptInput,
  args: readonly string[],
  settings: JsonObject,
): Promise<StageTrace[]> {
  await using provider = await startScriptedProvider(script);
  await using root = await tempDir("lumina-trace-");
  const app_root = root.join("app");
  const workspace = root.join("ws");
  await Deno.mkdir(workspace);
  const settings_file = appRootPaths(app_root).settingsFile;
  await Deno.mkdir(new URL(".", `file://${settings_file}`), { recursive: true });
  await Deno.writeTextFile(settings_file, JSON.stringify(settings));
  const file = root.join("trace.jsonl");
  const { program, flags } = sourceCommand("tests/support/stage_trace_main.ts");
  const { code, stderr } = await new Deno.Command(program, {
    args: [...flags, file, "-p", "hello", ...args],
    cwd: workspace,
    env: {
      LUMINA_APP_ROOT: app_root,
      LUMINA_API_KEY: "sk-scripted",
      LUMINA_API_MODEL: "scripted-model",
      LUMINA_API_TYPE: "anthropic",
      LUMINA_API_BASE_URL: provider.url,
      LUMINA_SESSION_MEMORY_TURN_INTERVAL: "0",
    },
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  const lines = (await Deno.readTextFile(file)).trim().split("\n");
  const calls = lines.map((line): [string, string, string] => JSON.parse(line));
  return [...Map.groupBy(calls, ([run]) => run).values()].map((own) =>
    own.map(([_run, stage, name]) => `${stage}:${name}`)
  );
}

/** Throws unless each visit of a stage has its participants in the order of `STAGE_ORDER`, and all who come there at all. */
export function assertStageOrder(trace: StageTrace): void {
  const visits: { stage: StageName; names: string[] }[] = [];
  for (const line of trace) {
    const [stage, name] = line.split(":") as [StageName, string];
    const last = visits.at(-1);
    const order = STAGE_ORDER[stage];
    assert.ok(order.includes(name), `${stage} does not name ${name}`);
    const before = last?.names.at(-1);
    const same = last?.stage === stage && before !== undefined && order.indexOf(before) < order.indexOf(name);
    if (same) last.names.push(name);
    else visits.push({ stage, names: [name] });
  }
  for (const [stage, all] of Map.groupBy(visits, (visit) => visit.stage)) {
    const come = STAGE_ORDER[stage].filter((name) => all.some(({ names }) => names.includes(name)));
    for (const { names } of all) assert.deepEqual(names, come, `at ${stage}`);
  }
}

/** Who came at each stage at all, in the order of the data. */
export function stageNames(trace: StageTrace): Map<string, string[]> {
  const came = Map.groupBy(trace.map((line) => line.split(":") as [StageName, string]), ([stage]) => stage);
  return new Map(
    [...came].map(([stage, all]) => [
      stage,
      STAGE_ORDER[stage].filter((name) => all.some(([_stage, other]) => other === name)),
    ]),
  );
}
