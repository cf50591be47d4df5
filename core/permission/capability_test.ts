import assert from "node:assert/strict";
import fc from "fast-check";
import { ALL_CAPABILITIES, intersect, isWithin } from "./capability.ts";
import type { Capabilities } from "./capability.ts";
import { isInside } from "../files/mod.ts";

const name = fc.constantFrom("a", "b", "c");
const path = fc.array(name, { maxLength: 4 }).map((names) => `/${names.join("/")}`);
const host = fc.tuple(
  fc.boolean(),
  fc.array(name, { minLength: 1, maxLength: 3 }),
  fc.option(fc.constantFrom("80", "443"), { nil: undefined }),
).map(([wild, labels, port]) =>
  `${wild ? "*." : ""}${labels.join(".")}${port === undefined ? "" : `:${port}`}`
);
const some = (entry: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 4, arbitrary: fc.array(entry, { maxLength: 5 }) }, {
    weight: 1,
    arbitrary: fc.constant("all" as const),
  });
const capabilities: fc.Arbitrary<Capabilities> = fc.record({
  read: some(path),
  write: some(path),
  net: some(host),
  run: some(name),
  env: some(name),
  sys: some(name),
});

/** What a set allows, asked point by point: every path, host with port and name of the small world above. */
function allowed(set: Capabilities): Set<string> {
  const points = new Set<string>();
  const labels = ["a", "b", "c"];
  const two = labels.flatMap((x) => labels.map((y) => [x, y]));
  const three = two.flatMap((pair) => labels.map((z) => [...pair, z]));
  for (const kind of ["read", "write"] as const) {
    for (const names of [[], ...labels.map((x) => [x]), ...two, ...three]) {
      const at = `/${names.join("/")}`;
      if (set[kind] === "all" || set[kind].some((root) => isInside(root, at))) points.add(`${kind} ${at}`);
    }
  }
  for (const names of [...labels.map((x) => [x]), ...two, ...three]) {
    for (const port of ["80", "443", "22"]) {
      const wanted = names.join(".");
      const hit = set.net === "all" || set.net.some((entry) => {
        const [pattern = "", own] = entry.split(":");
        if (own !== undefined && own !== port) return false;
        return pattern === wanted || (pattern.startsWith("*.") && wanted.endsWith(pattern.slice(1)));
      });
      if (hit) points.add(`net ${wanted}:${port}`);
    }
  }
  for (const kind of ["run", "env", "sys"] as const) {
    for (const one of labels) {
      if (set[kind] === "all" || set[kind].includes(one)) points.add(`${kind} ${one}`);
    }
  }
  return points;
}

Deno.test("an intersection allows exactly what both sides allow", () => {
  fc.assert(fc.property(capabilities, capabilities, (a, b) => {
    const [left, right] = [allowed(a), allowed(b)];
    assert.deepEqual(
      [...allowed(intersect(a, b))].sort(),
      [...left].filter((point) => right.has(point)).sort(),
    );
  }));
});

Deno.test("intersection is commutative, associative and idempotent, and never grows", () => {
  fc.assert(fc.property(capabilities, capabilities, capabilities, (a, b, c) => {
    assert.deepEqual(intersect(a, b), intersect(b, a));
    assert.deepEqual(intersect(intersect(a, b), c), intersect(a, intersect(b, c)));
    const once = intersect(a, ALL_CAPABILITIES);
    assert.deepEqual(intersect(a, a), once);
    assert.deepEqual(intersect(once, a), once);
    assert.ok(isWithin(intersect(a, b), a) && isWithin(intersect(a, b), b));
    assert.ok(isWithin(a, ALL_CAPABILITIES));
    if (isWithin(a, b)) assert.deepEqual(intersect(a, b), once);
  }));
});

Deno.test("isWithin() holds where every point of the one is a point of the other, and only there", () => {
  fc.assert(fc.property(capabilities, capabilities, (a, b) => {
    const outer = allowed(b);
    // the small world has no point below its deepest names, so it can only refute
    if (isWithin(a, b)) assert.ok([...allowed(a)].every((point) => outer.has(point)));
  }));
  const set = (net: string[]): Capabilities => ({ ...ALL_CAPABILITIES, net });
  assert.deepEqual(intersect(set(["*.a.b"]), set(["*.b:443"])).net, ["*.a.b:443"]);
  assert.deepEqual(intersect(set(["b"]), set(["*.b"])).net, []);
  assert.deepEqual(intersect(set(["[::1]:80", "[::2]"]), set(["[::1]"])).net, ["[::1]:80"]);
});
