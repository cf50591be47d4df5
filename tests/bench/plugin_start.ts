import { join } from "node:path";
import { appRootPaths } from "../../core/app_root/mod.ts";
import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import { PackStore } from "../../core/plugin_host/packs/mod.ts";
import { VERSION } from "../../core/app/version.ts";
import { approvePack, writePack } from "../support/pack_folder.ts";
import { startLumina } from "../support/run_lumina.ts";
import { tempDir } from "../support/temp_dir.ts";
import { atMost, type BenchResult, findSubject, median, modelFlags, repeat, round } from "./measure.ts";

const PACKS = 50;
const RUNS = 9;
/** 30 ms of a start that takes 100 to the first request, with room for a busy machine. */
const LIMIT = 1.4;

/** What 50 approved packs, each with one tool, add to the way from the process's start to the first request. */
export async function pluginStart(): Promise<BenchResult> {
  const subject = await findSubject();
  await using dir = await tempDir("lumina-bench-plugins-");
  await using provider = await startScriptedProvider({ turns: [{ text: "hello", repeat: true }] });
  const with_packs = appRootPaths(dir.join("with"));
  for (let index = 0; index < PACKS; index++) {
    const id = `pack_${index}`;
    // a module that must not be loaded: it would not come to its end
    const code = "while (true);\nexport default { tools: {} };\n";
    await approvePack(
      await writePack(with_packs.userPluginsDir, { id, tools: [{ name: `${id}_tool` }], code }),
    );
  }
  await Deno.mkdir(dir.join("ws"));
  const one = async (app_root: string) => {
    const before = provider.requests.length;
    const start = performance.now();
    await using run = await startLumina(["-p", "hello", ...modelFlags(provider.url, "anthropic")], {
      ...subject,
      cwd: dir.join("ws"),
      app_root,
    });
    await run.closeInput();
    const ended = await run.finished;
    if (ended.code !== 0 || ended.stderr !== "") {
      throw new Error(`The run ended with ${ended.code}: ${ended.stderr}`);
    }
    const [request] = provider.requests.slice(before);
    const { tools = [] } = (request?.body ?? {}) as { tools?: unknown[] };
    if (app_root === with_packs.root && tools.length < PACKS) throw new Error("The packs' tools are missing");
    return (request?.at_ms ?? NaN) - start;
  };
  const without = join(dir.path, "without");
  await one(without); // makes the app root
  await one(with_packs.root);
  const plain: number[] = [];
  const packs = await repeat(RUNS, async () => {
    plain.push(await one(without));
    return await one(with_packs.root);
  });
  const store = new PackStore({ app_root: with_packs, bundled: [], bundled_dir: "", version: VERSION });
  const look = await repeat(RUNS, () => {
    const start = performance.now();
    const { problems } = store.discover({ trusted: false });
    if (problems.length > 0) throw new Error(problems[0]?.message);
    return Promise.resolve(performance.now() - start);
  });
  return {
    name: "plugin_start",
    figures: {
      [`${subject.kind}_first_request_without_packs_p50_ms`]: round(median(plain)),
      [`${subject.kind}_first_request_with_${PACKS}_packs_p50_ms`]: round(median(packs)),
      [`${PACKS}_packs_added_p50_ms`]: round(median(packs) - median(plain)),
      [`look_at_${PACKS}_packs_warm_p50_ms`]: round(median(look), 2),
    },
    ratios: [
      atMost(`${subject.kind}_start_with_${PACKS}_packs_to_none`, median(packs) / median(plain), LIMIT),
    ],
  };
}
