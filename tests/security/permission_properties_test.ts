import assert from "node:assert/strict";
import fc from "fast-check";
import type { Behavior } from "../../core/types/mod.ts";
import { inPlace } from "./permission_support.ts";

const STRICTNESS: Record<Behavior, number> = { allow: 0, ask: 1, deny: 2 };

const word = fc.constantFrom("x", "a.txt", "-v", "'q r'", "src", "--flag=1", '"$Y"', "*.ts");
const program = fc.constantFrom(
  "ls",
  "git status",
  "npm test",
  "make",
  "echo",
  "cat",
  "rm",
  "rm -f",
  "git push",
);
const simple = fc.tuple(program, fc.array(word, { maxLength: 3 })).map(([name, words]) =>
  [name, ...words].join(" ")
);
const denied = fc.array(word, { maxLength: 2 }).map((words) => ["rm", ...words].join(" "));

/** Ways to put a line into a longer one. */
const around = fc.constantFrom<(line: string, other: string) => string>(
  (line, other) => `${line} && ${other}`,
  (line, other) => `${other}; ${line}`,
  (line, other) => `${other} | ${line}`,
  (line) => `( ${line} )`,
  (line) => `{ ${line}; }`,
  (line) => `! ${line}`,
  (line) => `echo $(${line})`,
  (line, other) => `if ${other}; then ${line}; fi`,
  (line) => `for i in 1 2; do ${line}; done`,
  (line) => `timeout 5 ${line}`,
  (line) => `sudo -u bob ${line}`,
  (line) => `env A=1 ${line}`,
  (line) => `A=1 ${line}`,
  (line) => `${line} > /dev/null 2>&1`,
  (line) => `${line} &`,
);

/** The same word in another way of quoting. */
const requoted = (name: string) =>
  fc.array(fc.constantFrom("plain", "escape", "single", "double", "ansi", "empty"), {
    minLength: name.length,
    maxLength: name.length,
  }).map((styles) =>
    [...name].map((char, index) => {
      switch (styles[index]) {
        case "escape":
          return `\\${char}`;
        case "single":
          return `'${char}'`;
        case "double":
          return `"${char}"`;
        case "ansi":
          return `$'\\x${char.charCodeAt(0).toString(16)}'`;
        case "empty":
          return `${char}''`;
        default:
          return char;
      }
    }).join("")
  );

Deno.test("a denied command stays denied however it is wrapped and extended", async () => {
  await inPlace(async ({ bash }) => {
    await fc.assert(
      fc.asyncProperty(denied, simple, fc.array(around, { maxLength: 3 }), async (line, other, wraps) => {
        const whole = wraps.reduce((inner, wrap) => wrap(inner, other), line);
        const verdict = await bash(whole, { mode: "yolo", deny: ["Bash(rm *)"] });
        // a keyword behind a wrapper is no valid line: what cannot be read asks
        assert.notEqual(verdict.behavior, "allow", whole);
      }),
      { numRuns: 300 },
    );
  });
});

Deno.test("a denied command stays denied in every way of quoting its name", async () => {
  await inPlace(async ({ bash }) => {
    await fc.assert(
      fc.asyncProperty(requoted("rm"), fc.constantFrom("", "/bin/", "A=1 "), async (name, before) => {
        const line = `${before}${name} x`;
        assert.equal((await bash(line, { mode: "yolo", deny: ["Bash(rm *)"] })).behavior, "deny", line);
      }),
      { numRuns: 200 },
    );
  });
});

Deno.test("adding an allow rule never turns a refusal into a permission, adding a deny rule never loosens", async () => {
  const rules = fc.constantFrom(
    "Bash",
    "Bash(rm *)",
    "Bash(*)",
    "Bash(ls *)",
    "Bash(git *)",
    "Bash(npm test)",
    "Edit",
    "Read",
  );
  const mode = fc.constantFrom("plan", "ask", "accept-edits", "auto", "yolo");
  await inPlace(async ({ bash }) => {
    await fc.assert(
      fc.asyncProperty(
        simple,
        simple,
        around,
        mode as fc.Arbitrary<"plan" | "ask" | "accept-edits" | "auto" | "yolo">,
        fc.array(rules, { maxLength: 2 }),
        rules,
        async (line, other, wrap, chosen, allow, more) => {
          const whole = wrap(line, other);
          const deny = ["Bash(rm *)", "Read(a.txt)"];
          const before = await bash(whole, { mode: chosen, allow, deny, sandbox: true });
          const wider = await bash(whole, { mode: chosen, allow: [...allow, more], deny, sandbox: true });
          if (before.behavior === "deny") assert.equal(wider.behavior, "deny", `${whole} + allow ${more}`);
          const narrower = await bash(whole, { mode: chosen, allow, deny: [...deny, more], sandbox: true });
          assert.ok(
            STRICTNESS[narrower.behavior] >= STRICTNESS[before.behavior],
            `${whole} + deny ${more}: ${before.behavior} became ${narrower.behavior}`,
          );
        },
      ),
      { numRuns: 300 },
    );
  });
});

Deno.test("a longer line is never judged milder than its strictest part", async () => {
  await inPlace(async ({ bash }) => {
    await fc.assert(
      fc.asyncProperty(
        simple,
        simple,
        fc.constantFrom(" && ", " || ", "; ", " | ", "\n", " & "),
        async (a, b, join) => {
          const options = {
            mode: "ask" as const,
            allow: ["Bash(npm test)", "Bash(git *)"],
            deny: ["Bash(rm *)"],
          };
          const parts = [await bash(a, options), await bash(b, options)];
          const whole = await bash(a + join + b, options);
          const strictest = Math.max(...parts.map(({ behavior }) => STRICTNESS[behavior]));
          assert.ok(STRICTNESS[whole.behavior] >= strictest, a + join + b);
        },
      ),
      { numRuns: 300 },
    );
  });
});

Deno.test("no text makes the judge throw", async () => {
  const piece = fc.constantFrom(
    ..."$ ( ) { } [ ] < > | & ; ` ' \" \\ \n # ! * ? ~ = << EOF if then fi for in do done case esac rm x $( $(( ${ <( 1 2 [[ ]]"
      .split(" "),
  );
  await inPlace(async ({ bash }) => {
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 14 }), fc.string(), async (pieces, tail) => {
        for (const line of [pieces.join(" "), pieces.join(""), pieces.join("") + tail]) {
          const verdict = await bash(line, { mode: "plan", deny: ["Bash(rm *)", "Read(x)"] });
          assert.ok(verdict.reason !== "");
        }
      }),
      { numRuns: 500 },
    );
  });
});
