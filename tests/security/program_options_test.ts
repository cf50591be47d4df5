import assert from "node:assert/strict";
import { PROGRAMS } from "../../core/permission/read_only/programs.ts";

/** Their help does not show the value; their manual does: shasum(1), stat(1), file(1). */
const BY_MANUAL = new Set(["shasum -a", "stat -c", "file -P"]);

/** What a program's own help says of a short option. */
type Takes = "nothing" | "a value" | "a glued value";

/** Short options as a help text has them: `-w[BYTES]`, `-n, --lines=[+]NUM`, `-o, --output <file>`, `-x`. */
function readHelp(text: string): Map<string, Takes> {
  const found = new Map<string, Takes>();
  for (const line of text.split("\n")) {
    const option = /^ {1,6}-([A-Za-z0-9])(\S*)((?:[, ] ?\S+)*?)(?: {2,}|\t|$)/.exec(line);
    if (option === null) continue;
    const [, letter = "", glued = "", rest = ""] = option;
    const word = /^ +(?!-)\S+/.test(rest) || /^[=<A-Z]/.test(glued) || /--[\w-]+[= ]\S/.test(rest);
    const optional = glued.startsWith("[") || (!word && /--[\w-]+\[=/.test(rest));
    found.set(letter, optional ? "a glued value" : word ? "a value" : "nothing");
  }
  return found;
}

async function helpOf(program: string): Promise<string> {
  try {
    const { stdout, stderr } = await new Deno.Command(program, {
      args: ["--help"],
      stdin: "null",
      env: { LC_ALL: "C" },
    })
      .output();
    return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}

Deno.test("a help text says which short options take what", () => {
  const help = readHelp(
    "  -w[BYTES], --width[=BYTES]  output\n  -n, --lines=[+]NUM  the last\n  -d, --table-noheadings  no header\n  -c cols   columns\n",
  );
  assert.deepEqual(Object.fromEntries(help), {
    w: "a glued value",
    n: "a value",
    d: "nothing",
    c: "a value",
  });
});

Deno.test("an option that is taken to have a value in the next word is no flag by the program's own help", async () => {
  const wrong: string[] = [];
  for (const [program, { values = "" }] of Object.entries(PROGRAMS)) {
    if (values === "") continue;
    const help = readHelp(await helpOf(program));
    for (const letter of values) {
      const takes = help.get(letter);
      if (takes === undefined || BY_MANUAL.has(`${program} -${letter}`)) continue;
      // what follows it would be a file that nobody has judged
      if (takes !== "a value") wrong.push(`${program} -${letter} takes ${takes}`);
    }
  }
  assert.deepEqual(wrong, []);
});
