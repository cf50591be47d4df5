import assert from "node:assert/strict";
import test from "node:test";
import pack, { countWords } from "../src/mod.ts";
import { callTool } from "./call_tool.ts";

test("countWords() counts without regard to case, the most frequent first", () => {
  assert.deepEqual(countWords("To be, or not to be: that"), [
    ["to", 2],
    ["be", 2],
    ["or", 1],
    ["not", 1],
    ["that", 1],
  ]);
});

test("the tool answers with the most frequent words", async () => {
  const result = await callTool(pack, "SamplePack", { text: "to be or not to be", top: 2 });
  assert.deepEqual(result, { content: "2\tto\n2\tbe\n", is_error: false });
});

test("a text without words is an error that the model reads", async () => {
  const result = await callTool(pack, "SamplePack", { text: "..." });
  assert.deepEqual(result, { content: "The text has no words", is_error: true });
});
