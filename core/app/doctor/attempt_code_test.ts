import assert from "node:assert/strict";
import { systemWorld } from "../../base/mod.ts";
import { ATTEMPT_CODE } from "./attempt_code.ts";
import type { AttemptInput, AttemptResult } from "./attempt_code.ts";
import { probePlace } from "./probe_place.ts";

Deno.test("with every permission the attempts say that they worked", async () => {
  await using place = await probePlace(systemWorld);
  const input: AttemptInput = { ...place, program: Deno.execPath(), closed_folder: place.workspace };
  const code = `${ATTEMPT_CODE}\nexport { attempts };`;
  const { attempts }: { attempts(input: AttemptInput): Promise<AttemptResult[]> } = await import(
    `data:text/javascript,${encodeURIComponent(code)}`
  );
  const results = await attempts(input);
  assert.equal(results.length, 8);
  for (const { what, held, found } of results) assert.equal(held, false, `${what}: ${found}`);
});
