import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { inPlace } from "./permission_support.ts";

/** A command on its way through wrappers: its text, and whether that is still one simple command. */
interface Text {
  text: string;
  simple: boolean;
}

type Wrap = (inner: Text, other: string) => Text;

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const simply = (wrap: (text: string) => string): Wrap => ({ text, simple }) => ({
  // behind a wrapper a list or a keyword would belong to the line around it
  text: wrap(simple ? text : `sh -c ${quoted(text)}`),
  simple: true,
});
const whole = (wrap: (text: string, other: string) => string): Wrap => ({ text }, other) => ({
  text: wrap(text, other),
  simple: false,
});

const WRAPS: readonly Wrap[] = [
  simply((line) => `timeout 5 ${line}`),
  simply((line) => `timeout -s KILL --preserve-status 5 ${line}`),
  simply((line) => `env ${line}`),
  simply((line) => `env -u A B=1 ${line}`),
  simply((line) => `nice -n 3 ${line}`),
  simply((line) => `nohup ${line}`),
  simply((line) => `stdbuf -oL ${line}`),
  simply((line) => `command ${line}`),
  simply((line) => `exec -a ls ${line}`),
  simply((line) => `sudo -E -u bob ${line}`),
  simply((line) => `setsid -w ${line}`),
  simply((line) => `busybox ${line}`),
  simply((line) => `xargs ${line}`),
  simply((line) => `ls | xargs -n1 -P2 ${line}`),
  simply((line) => `find . -name x -exec ${line} {} \\;`),
  simply((line) => `find . -type f -execdir ${line} {} +`),
  simply((line) => `fd x -x ${line}`),
  simply((line) => `watch -n 1 ${line}`),
  simply((line) => `flock lock ${line}`),
  simply((line) => `strace -f -o log ${line}`),
  simply((line) => `docker run --rm image ${line}`),
  simply((line) => `nobody-knows --flag ${line}`),
  simply((line) => `A=1 ${line}`),
  whole((line) => `sh -c ${quoted(line)}`),
  whole((line) => `bash -o pipefail -lc ${quoted(line)}`),
  whole((line) => `eval ${quoted(line)}`),
  whole((line) => `bash <<< ${quoted(line)}`),
  whole((line) => `trap ${quoted(line)} EXIT`),
  whole((line) => `git -c alias.z=${quoted(`!${line}`)} z`),
  whole((line) => `PAGER=${quoted(line)} git log`),
  whole((line, other) => `${line} && ${other}`),
  whole((line, other) => `${other}; ${line}`),
  whole((line, other) => `${other}\n${line}`),
  whole((line, other) => `${other} | ${line}`),
  whole((line, other) => `${other} & ${line}`),
  whole((line) => `( ${line} )`),
  whole((line) => `{ ${line}; }`),
  whole((line) => `! ${line}`),
  whole((line) => `echo "$(${line})"`),
  whole((line) => `cat <(${line})`),
  whole((line) => `x=$(${line})`),
  whole((line) => `f() { ${line}; }; f`),
  whole((line, other) => `if ${other}; then ${line}; fi`),
  whole((line) => `while ${line}; do break; done`),
  whole((line) => `for i in 1 2; do ${line}; done`),
  whole((line) => `case a in a) ${line};; esac`),
  whole((line) => `cat <<END\n$(${line})\nEND`),
  whole((line) => `${line} > /dev/null 2>&1`),
];

/** One word in many spellings that mean the same to the shell. */
const spelled = (name: string) =>
  fc.array(fc.nat(5), { minLength: name.length, maxLength: name.length }).map((styles) =>
    [...name].map((char, at) =>
      [char, `\\${char}`, `'${char}'`, `"${char}"`, `$'\\x${char.charCodeAt(0).toString(16)}'`, `${char}""`][
        styles[at] ?? 0
      ]
    ).join("")
  );

const denied = fc.tuple(
  fc.oneof(fc.constant("rm"), spelled("rm"), fc.constantFrom("/bin/rm", "/usr/bin/../bin/rm", "./rm")),
  fc.constantFrom(" x", " -f x", " -- x", ' "$X"', " *.txt", ""),
).map(([name, rest]): Text => ({ text: name + rest, simple: true }));

const other = fc.constantFrom("ls", "git status", "npm test", "true", "echo hi > out.txt", "cat notes.txt");

Deno.test("a denied command is never allowed, in any spelling and through any four wrappers", async () => {
  await inPlace(async ({ bash }) => {
    await fc.assert(
      fc.asyncProperty(
        denied,
        fc.array(fc.tuple(fc.nat(WRAPS.length - 1), other), { minLength: 1, maxLength: 4 }),
        fc.constantFrom("ask", "accept-edits", "auto", "yolo"),
        async (start, wraps, mode) => {
          const { text } = wraps.reduce<Text>(
            (inner, [at, beside]) => WRAPS[at]?.(inner, beside) ?? inner,
            start,
          );
          const verdict = await bash(text, {
            mode,
            sandbox: true,
            deny: ["Bash(rm *)"],
            allow: ["Bash", "Bash(rm *)", "Bash(*)"],
          });
          assert.notEqual(verdict.behavior, "allow", text);
        },
      ),
      { numRuns: 300 },
    );
  });
});

Deno.test("where an allow rule lets a line of the corpus run (each third of them), the same rule as a refusal refuses it", async () => {
  const file = join(dirname(fileURLToPath(import.meta.url)), "bypass_corpus.jsonl");
  const lines = (await Deno.readTextFile(file)).trimEnd().split("\n").filter((_, index) => index % 3 === 0)
    .map((text) => (JSON.parse(text) as { line: string }).line);
  await inPlace(async ({ bash }) => {
    let held = 0;
    for (const line of lines) {
      const words = line.split(/[\s;&|()]+/).filter((word) => /^[\w./-]+$/.test(word)).slice(0, 4);
      const rules = new Set(
        words.flatMap((word, at) => [`Bash(${word} *)`, `Bash(${words.slice(at).join(" ")})`]),
      );
      for (const rule of rules) {
        if ((await bash(line, { mode: "ask", allow: [rule] })).behavior !== "allow") continue;
        // what runs without the rule too is not let run by it
        if ((await bash(line, { mode: "ask" })).behavior === "allow") break;
        held += 1;
        for (const mode of ["ask", "yolo"] as const) {
          assert.equal((await bash(line, { mode, deny: [rule] })).behavior, "deny", `${rule} ${line}`);
        }
      }
    }
    assert.ok(held > 40, `only ${held} rules let a line run`);
  });
});
