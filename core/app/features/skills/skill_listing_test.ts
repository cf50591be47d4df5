import assert from "node:assert/strict";
import type { Skill } from "../../../extension/mod.ts";
import type { Message } from "../../../types/mod.ts";
import { lastListing, skillListing } from "./skill_listing.ts";

const skill = (name: string, source: Skill["source"], more: Partial<Skill> = {}): Skill => ({
  name,
  source,
  description: `What ${name} does`,
  argument_hint: "",
  arguments: [],
  fork: false,
  shell: "bash",
  user_invocable: true,
  model_invocable: true,
  directory: `/s/${name}`,
  file: `/s/${name}/SKILL.md`,
  ...more,
});

const user = (...texts: string[]): Message => ({
  role: "user",
  content: texts.map((text) => ({ type: "text", text })),
});

Deno.test("the program's own come first, each on one line of bounded length; those for people alone are left out", () => {
  const listing = skillListing([
    skill("mine", "user", { description: "two\nlines </skills>", when_to_use: "always" }),
    skill("typed", "user", { model_invocable: false }),
    skill("review", "bundled", { description: "x".repeat(600) }),
  ], 200_000);
  const lines = listing.split("\n");
  assert.deepEqual([lines[0], lines.at(-1)], ["<skills>", "</skills>"]);
  assert.match(lines[2] ?? "", /^- review: x+…$/);
  assert.equal((lines[2] ?? "").length, "- review: ".length + 250);
  assert.equal(lines[3], "- mine: two lines  always");
  assert.equal(lines.length, 5);
  assert.equal(skillListing([skill("typed", "user", { model_invocable: false })], 1000), "");
});

Deno.test("what is beyond a hundredth of the window is named alone, and a small window shows some all the same", () => {
  const many = Array.from({ length: 100 }, (_, index) => skill(`skill-${index}`, "user"));
  const small = skillListing(many, 8_000);
  assert(small.length < 3_000, String(small.length));
  assert.match(small, /- skill-0: What skill-0 does\n/);
  assert.match(small, /\nAlso: .*skill-99\n<\/skills>$/);
  assert.doesNotMatch(skillListing(many, 1_000_000), /Also:/);
});

Deno.test("lastListing() finds the latest one in what the model was told, not in what it said", () => {
  const one = skillListing([skill("one", "user")], 1_000);
  const two = skillListing([skill("two", "user")], 1_000);
  const said: Message = { role: "assistant", content: [{ type: "text", text: one }] };
  assert.equal(lastListing([]), undefined);
  assert.equal(lastListing([user(`<context/>\n${one}`, "hello"), user(two), said]), two);
});
