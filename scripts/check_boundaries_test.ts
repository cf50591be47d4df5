import assert from "node:assert/strict";
import { findBreaches } from "./check_boundaries.ts";
import { findImports } from "./find_imports.ts";
import { MAY_IMPORT } from "./import_table.ts";
import { maskSource } from "./mask_source.ts";

const breaches = (files: Record<string, string>) =>
  findBreaches(Object.entries(files).map(([path, text]) => ({ path, text })));

Deno.test("findImports() sees every form of import and none in comments, strings or worker URLs", () => {
  const source = [
    'import a, { type b } from "./1.ts";',
    'import type { c } from "./2.ts";',
    'import "./3.ts";',
    'export * from "./4.ts";',
    "export type {\n  d,\n} from './5.ts';",
    'const e = await import("./6.ts");',
    'let f: import("./7.ts").F;',
    '// import x from "./no.ts";',
    'const g = `import y from "./no.ts"; ${import("./8.ts")} import("./no.ts")`;',
    `const h = 'import("./no.ts")', i = /import("\\/no.ts")/;`,
    'new Worker(new URL("./no.ts", import.meta.url));',
    "export const from = 1;",
  ].join("\n");
  assert.deepEqual(findImports(source).map(({ specifier, line }) => [specifier, line]), [
    ["./1.ts", 1],
    ["./2.ts", 2],
    ["./3.ts", 3],
    ["./4.ts", 4],
    ["./5.ts", 7],
    ["./6.ts", 8],
    ["./7.ts", 9],
    ["./8.ts", 11],
  ]);
});

Deno.test("maskSource() keeps length, lines and code, and knows division from a regular expression", () => {
  const source = "const a = b / c; // d/\nconst e = /[/'\"]x/.test(`f${g / `h${i}`}j`) ? 'k\\'l' : \"\";";
  assert.equal(
    maskSource(source),
    "const a = b / c;      \nconst e = /      /.test(` ${g / ` ${i}`} `) ? '    ' : \"\";",
  );
});

Deno.test("an import that the table does not list is a breach with file and line", () => {
  assert.deepEqual(breaches({ "core/journal/a.ts": '\nimport { x } from "../session/mod.ts";\n' }), [
    "core/journal/a.ts:2: journal may not import session (core/session/mod.ts)",
  ]);
  assert.deepEqual(
    breaches({ "plugins/a/mod.ts": 'import "../b/mod.ts"; import "../../core/base/mod.ts";' }),
    [
      "plugins/a/mod.ts:1: plugins/a may not import base (core/base/mod.ts)",
      "plugins/a/mod.ts:1: plugins/a may not import plugins/b (plugins/b/mod.ts)",
    ],
  );
  assert.deepEqual(breaches({ "core/novel/a.ts": 'import "../base/mod.ts";' }), [
    "core/novel/a.ts:1: the module novel is not in the import table",
  ]);
  assert.deepEqual(
    breaches({ "core/base/a.ts": 'import "npm:zod@4"; await import("jsr:@std/x");' }).length,
    2,
  );
});

Deno.test("an import past another module's door is a breach, inside the module it is none", () => {
  assert.deepEqual(breaches({ "core/app/a.ts": 'import "../base/world.ts";' }), [
    "core/app/a.ts:1: core/base/world.ts is inside base: import its mod.ts",
  ]);
  assert.deepEqual(
    breaches({ "core/model/scripted/a.ts": 'import "../port.ts"; import "../../base/mod.ts";' }),
    [],
  );
});

Deno.test("a circle of imports is told once, with its files", () => {
  assert.deepEqual(
    breaches({
      "core/base/a.ts": 'import "./b.ts";',
      "core/base/b.ts": 'import "./c.ts";',
      "core/base/c.ts": '\nimport type { A } from "./a.ts";',
    }),
    ["core/base/c.ts:2: a circle of imports: core/base/a.ts -> core/base/b.ts -> core/base/c.ts -> core/base/a.ts"],
  );
});

Deno.test("clock, chance, console and I/O are breaches outside the modules whose job they are", () => {
  const text = 'Deno.readFile("x"); new Deno.Command("y"); Date.now(); Math.random(); console.log(1);';
  assert.equal(breaches({ "core/session/a.ts": text }).length, 5);
  assert.deepEqual(breaches({ "core/session/a.ts": 'import fs from "node:fs";' }), [
    "core/session/a.ts:1: session may not use node:fs (Deno.* I/O)",
  ]);
  assert.deepEqual(
    breaches({ "core/session/a_test.ts": text, "scripts/a.ts": text, "tests/a.ts": text }),
    [],
  );
  const harmless = "let c: Deno.TcpConn; e instanceof Deno.errors.NotFound; Deno.build.os; // Date.now()";
  assert.deepEqual(breaches({ "core/session/a.ts": harmless }), []);
});

Deno.test("the import table itself has no circle and names no unknown module", () => {
  const visit = (module: string, above: string[]) => {
    assert.ok(!above.includes(module), `${[...above, module].join(" -> ")}`);
    const row = MAY_IMPORT[module];
    assert.notEqual(row, undefined, `${module} is not in the table`);
    if (Array.isArray(row)) { for (const next of row) visit(next, [...above, module]); }
  };
  for (const module of Object.keys(MAY_IMPORT)) visit(module, []);
});
