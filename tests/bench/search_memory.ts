// What Grep and Glob hold on a tree of 250,000 files whose links lead round and round.
import { fileURLToPath } from "node:url";
import { atMost, type BenchResult, type Ratio, round } from "./measure.ts";

const DIRECTORIES = 500;
const FILES_EACH = 500;
const MOST_BYTES = 64 * 1024 * 1024;
const MIB = 1024 * 1024;

/** Resident memory over that of the idle process while Grep and Glob follow every link; the limit is 64 MiB. */
export async function searchMemory(): Promise<BenchResult> {
  if (Deno.build.os !== "linux") return { name: "search_memory", figures: {}, ratios: [] };
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "lumina-bench-memory-" }));
  try {
    plantTree(root);
    const child = fileURLToPath(new URL("./search_memory_child.ts", import.meta.url));
    const figures: Record<string, number> = { files: DIRECTORIES * FILES_EACH };
    const ratios: Ratio[] = [];
    for (const tool of ["Grep", "Glob"]) {
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", child, tool, root],
      }).output();
      if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
      const { idle, most, ms } = JSON.parse(new TextDecoder().decode(stdout));
      const name = tool.toLowerCase();
      figures[`${name}_ms`] = round(ms);
      figures[`${name}_idle_mib`] = round(idle / MIB);
      figures[`${name}_over_idle_mib`] = round((most - idle) / MIB);
      ratios.push(atMost(`${name}: memory over idle / 64 MiB`, (most - idle) / MOST_BYTES, 1));
    }
    return { name: "search_memory", figures, ratios };
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

function plantTree(root: string): void {
  for (let directory = 0; directory < DIRECTORIES; directory++) {
    const folder = `${root}/d${directory % 20}/e${directory}`;
    Deno.mkdirSync(folder, { recursive: true });
    for (let file = 0; file < FILES_EACH; file++) {
      const needle = directory === 0 && file === 0 ? "needle_here" : "nothing";
      Deno.writeTextFileSync(`${folder}/file${file}.txt`, `${directory} ${file} ${needle}\n`);
    }
    Deno.symlinkSync("..", `${folder}/up`);
    Deno.symlinkSync(`../../d${(directory + 1) % 20}`, `${folder}/round`);
  }
}
