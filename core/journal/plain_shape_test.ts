import assert from "node:assert/strict";
import fc from "fast-check";
import { z } from "zod";
import { plainShape } from "./plain_shape.ts";

const schema = z.object({
  text: z.string(),
  count: z.int(),
  share: z.number(),
  flag: z.boolean(),
  note: z.string().exactOptional(),
  kind: z.enum(["a", "b"]),
  maybe: z.object({ code: z.string() }).nullable(),
  any: z.custom<unknown>(),
  blocks: z.array(z.discriminatedUnion("type", [
    z.object({ type: z.literal("text"), text: z.string() }),
    z.object({ type: z.literal("image"), size: z.int() }),
  ])),
  either: z.union([z.string(), z.object({ n: z.number() })]),
});

const value = fc.record({
  text: fc.string(),
  count: fc.integer(),
  share: fc.double({ noNaN: true, noDefaultInfinity: true }),
  flag: fc.boolean(),
  note: fc.string(),
  kind: fc.constantFrom("a", "b"),
  maybe: fc.option(fc.record({ code: fc.string() })),
  any: fc.jsonValue(),
  blocks: fc.array(fc.oneof(
    fc.record({ type: fc.constant("text"), text: fc.string() }),
    fc.record({ type: fc.constant("image"), size: fc.integer() }),
  )),
  either: fc.oneof(fc.string(), fc.record({ n: fc.integer() })),
}, { requiredKeys: ["text", "count", "share", "flag", "kind", "maybe", "any", "blocks", "either"] });

Deno.test("plainShape() accepts what fits as it stands", () => {
  const plain = plainShape(schema);
  fc.assert(fc.property(value, (fitting) => assert.equal(plain(fitting), true)));
});

Deno.test("plainShape() never accepts what the schema refuses or changes", () => {
  const plain = plainShape(schema);
  fc.assert(
    fc.property(value, fc.string(), fc.jsonValue(), fc.boolean(), (whole, extra, wrong, remove) => {
      const keys = Object.keys(whole);
      const changed: Record<string, unknown> = structuredClone(whole);
      const key = keys[extra.length % keys.length]!;
      if (remove) delete changed[key];
      else changed[extra.length % 3 === 0 ? `x${extra}` : key] = wrong;
      if (!plain(changed)) return;
      const parsed = schema.safeParse(changed);
      assert.equal(parsed.success, true, JSON.stringify(changed));
      assert.deepEqual(parsed.data, changed);
    }),
    { numRuns: 500 },
  );
});

Deno.test("plainShape() leaves checks, strict objects and unknown kinds to the schema", () => {
  const schemas = [z.string().min(2), z.strictObject({ a: z.string() }), z.date(), z.int().min(3)];
  for (const each of schemas) {
    for (const probe of ["a", "abc", { a: "b" }, 1, 5]) assert.equal(plainShape(each)(probe), false);
  }
});
