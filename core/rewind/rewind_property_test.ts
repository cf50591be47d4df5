import assert from "node:assert/strict";
import fc from "fast-check";
import { TestWorkspace } from "./rewind_testing.ts";

const name = fc.constantFrom("a", "b", "c d", "é", "-n", "x.txt", "$'r\\xff'", "$'\\xc3\\x28'", "ü'q");
const quoted = name.map((text) => text.startsWith("$'") ? text : `'${text.replaceAll("'", "'\\''")}'`);
const path = fc.array(quoted, { minLength: 1, maxLength: 3 }).map((parts) => `./${parts.join("/")}`);
// a file that is closed to the one who captures cannot be captured
const mode = fc.constantFrom("600", "644", "755", "444", "4755", ...(Deno.uid() === 0 ? ["000"] : []));
const folderMode = fc.constantFrom("700", "755", "500", "1777");
const text = fc.constantFrom("one", "two", "", "three\\nlines\\n", "\\x00\\xff");

/** What a shell may do to a tree; whatever does not fit what is there fails and changes little or nothing. */
const command = fc.oneof(
  fc.tuple(path, text).map(([at, content]) => `mkdir -p "$(dirname ${at})"; printf '${content}' > ${at}`),
  fc.tuple(path, text).map(([at, content]) => `printf '${content}' >> ${at}`),
  path.map((at) => `rm -rf ${at}`),
  path.map((at) => `rm -rf ${at}; mkdir -p ${at}`),
  path.map((at) => `truncate -s 0 ${at}`),
  path.map((at) => `head -c 30000 /dev/urandom > ${at}`),
  fc.tuple(path, path).map(([from, to]) => `mv -f ${from} ${to}`),
  fc.tuple(path, path).map(([from, to]) => `cp -a ${from} ${to}`),
  fc.tuple(path, path).map(([from, to]) => `rm -rf ${to}; ln -s ${from} ${to}`),
  path.map((at) => `ln -sfn /etc ${at}`),
  fc.tuple(path, path).map(([from, to]) => `ln -f ${from} ${to}`),
  fc.tuple(path, mode).map(([at, bits]) => `test -f ${at} -a ! -L ${at} && chmod ${bits} ${at}`),
  fc.tuple(path, folderMode).map(([at, bits]) => `test -d ${at} -a ! -L ${at} && chmod ${bits} ${at}`),
  path.map((at) => `touch -d '2001-01-01' ${at}`),
);

async function holds(git: boolean, steps: string[][], pick: number): Promise<void> {
  await using test = await TestWorkspace.make();
  if (git) {
    await test.bash("git init -q .; echo committed > tracked; git add tracked; echo '*.log' > .gitignore");
  }
  const workspace = test.open();
  const snapshots: string[] = [];
  const listings: string[][] = [];
  for (const step of steps) {
    listings.push(await test.listing());
    snapshots.push((await workspace.capture({})).snapshot);
    await test.bash(step.map((line) => `( ${line} ) 2>/dev/null || true`).join("\n"));
  }
  const at = pick % steps.length;
  const restored = await test.restore(test.open(), snapshots[at]!);
  assert.deepEqual(restored.failed, []);
  assert.deepEqual(await test.listing(), listings[at], `step ${at} of ${JSON.stringify(steps)}`);
}

const steps = fc.array(fc.array(command, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 });

for (const git of [false, true]) {
  Deno.test(`after any sequence of commands ${git ? "in" : "outside"} git a rewind gives the tree as it was`, async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(), (all, pick) => holds(git, all, pick)),
      { numRuns: Number(Deno.env.get("LUMINA_PROPERTY_RUNS") ?? 25), endOnFailure: Deno.env.has("QUICK") },
    );
  });
}
