import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { verdictsByMode } from "./verdicts_by_mode.ts";
import { PERMISSION_MODES } from "../../core/types/mod.ts";
import type { Behavior, PermissionMode } from "../../core/types/mod.ts";

interface Row {
  id: string;
  line: string;
  kind: string;
  verdicts: Record<PermissionMode, Behavior>;
  why: string;
  rules?: { deny?: string[]; ask?: string[]; allow?: string[] };
  /** A stricter verdict is right too; `why` says for what reason. */
  stricter_ok?: true;
}

const STRICTNESS: Readonly<Record<Behavior, number>> = { allow: 0, ask: 1, deny: 2 };

const here = dirname(fileURLToPath(import.meta.url));
const rows = Deno.readTextFileSync(join(here, "bypass_corpus.jsonl")).trimEnd().split("\n").map((text) =>
  JSON.parse(text) as Row
);

/** A repository with a home and a folder outside beside it, and links of both kinds that lead out. */
async function inCorpusPlace(test: (workspace: string, home: string) => Promise<void>): Promise<void> {
  const dir = await Deno.realPath(await Deno.makeTempDir({ prefix: "lumina_corpus_" }));
  const workspace = join(dir, "ws");
  const home = join(dir, "home");
  try {
    for (
      const folder of [
        "home/.ssh",
        "outside",
        "ws2",
        "ws-other",
        "ws/src",
        "ws/lib",
        "ws/data",
        "ws/.git/objects",
        "ws/.git/refs",
        "ws/.git/hooks",
      ]
    ) await Deno.mkdir(join(dir, folder), { recursive: true });
    const files = {
      "home/.ssh/id_rsa": "key\n",
      "outside/secret": "secret\n",
      "ws2/x": "x\n",
      "ws-other/x": "x\n",
      "ws/.git/HEAD": "ref: refs/heads/main\n",
      "ws/.git/config": "[core]\n\trepositoryformatversion = 0\n",
      "ws/.env": "KEY=value\n",
      "ws/README.md": "readme\n",
      "ws/notes.txt": "notes\n",
      "ws/list.txt": "/etc/passwd\n",
      "ws/script.sh": "touch f\n",
      "ws/src/a.ts": "export const a = 1;\n",
      "ws/src/b.ts": "export const b = 2;\n",
      "ws/data/x.json": '{"a":1}\n',
      "ws/data/in.csv": "a:1:20\n",
    };
    for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(join(dir, name), text);
    await Deno.symlink("../outside/secret", join(workspace, "out_link"));
    await Deno.symlink("../outside", join(workspace, "dir_link"));
    await test(workspace, home);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("every line of the bypass corpus gets its right verdict in all five modes", async () => {
  await inCorpusPlace(async (workspace, home) => {
    const looser: string[] = [];
    const stricter: string[] = [];
    for (const { id, line, verdicts, rules, stricter_ok } of rows) {
      const found = await verdictsByMode(line, {
        workspace,
        home,
        sandbox: { available: true },
        folds_case: false,
        layers: rules === undefined ? [] : [{ source: { origin: "user", base_dir: workspace }, ...rules }],
      });
      for (const mode of PERMISSION_MODES) {
        const distance = STRICTNESS[found[mode]] - STRICTNESS[verdicts[mode]];
        const told = `${id} ${mode}: ${found[mode]}, right is ${verdicts[mode]}: ${JSON.stringify(line)}`;
        if (distance < 0) looser.push(told);
        else if (distance > 0 && stricter_ok !== true) stricter.push(told);
      }
    }
    assert.deepEqual({ looser, stricter }, { looser: [], stricter: [] });
  });
});
