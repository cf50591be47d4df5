import assert from "node:assert/strict";
import { PNG } from "./media_testing.ts";
import { TestWorkspace } from "./test_workspace.ts";

const PICTURE = btoa(String.fromCharCode(...PNG));
/** Keys in an order of their own, a number that JavaScript would write otherwise, one space of indentation, no final newline. */
const NOTEBOOK = `{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {},
   "id": "intro",
   "source": [
    "# Title\\n",
    "words"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 7,
   "id": "calc",
   "metadata": {"weight": 1.0, "2": "b", "1": "a"},
   "outputs": [
    {"output_type": "stream", "name": "stdout", "text": ["42\\n"]},
    {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\\u001b[31mred\\u001b[0m"]},
    {"output_type": "display_data", "data": {"image/png": "${PICTURE}", "text/plain": "<Figure>"}}
   ],
   "source": "print(42)"
  }
 ],
 "metadata": {"language_info": {"name": "python"}},
 "nbformat": 4,
 "nbformat_minor": 5
}`;

Deno.test("Read shows the cells of a notebook with their outputs, and its JSON when lines are asked for", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.ipynb", NOTEBOOK);
  const { content, media } = await ws.call("Read", { file_path: "a.ipynb" });
  assert.equal(
    content,
    `a.ipynb: notebook (python), 2 cells
<cell id="intro" type="markdown">
# Title
words
</cell>
<cell id="calc" type="code" run="7">
print(42)
</cell>
<output cell="calc">
42

red
[image/png, ${Math.round(PICTURE.length * 0.75)} bytes, not shown]
</output>`,
  );
  assert.equal(media, undefined);
  ws.context = { config: { images: true } };
  const seen = await ws.call("Read", { file_path: "a.ipynb" });
  assert.deepEqual(seen.media, [{ type: "image", media_type: "image/png", data: PICTURE, name: "output 1" }]);
  assert.match(
    (await ws.call("Read", { file_path: "a.ipynb", offset: 1 })).content,
    /^1\t\{\n2\t "cells": \[/,
  );
});

Deno.test("NotebookEdit changes one cell, drops what its older source gave and keeps every other byte", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.ipynb", NOTEBOOK);
  const unseen = await ws.call("NotebookEdit", {
    notebook_path: "a.ipynb",
    cell_id: "calc",
    new_source: "x",
  });
  assert.match(unseen.content, /has not been read yet/);
  await ws.call("Read", { file_path: "a.ipynb" });
  const { content, data } = await ws.call("NotebookEdit", {
    notebook_path: "a.ipynb",
    cell_id: "calc",
    new_source: "print(43)",
  });
  assert.match(content, /^Replaced cell calc of a\.ipynb: \+1 -1\n@@ .*\n-print\(42\)\n\+print\(43\)$/s);
  assert.equal(data!["cell_index"], 1);
  const from = NOTEBOOK.indexOf('"outputs"');
  const to = NOTEBOOK.indexOf('"source": "print');
  const expected = (NOTEBOOK.slice(0, from) + '"outputs": [],\n   ' + NOTEBOOK.slice(to))
    .replace('"execution_count": 7', '"execution_count": null').replace("print(42)", "print(43)");
  assert.equal(await ws.text("a.ipynb"), expected);
});

Deno.test("NotebookEdit inserts with an id where the format has ids, and deletes", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.ipynb", NOTEBOOK);
  await ws.call("Read", { file_path: "a.ipynb" });
  const first = await ws.call("NotebookEdit", {
    notebook_path: "a.ipynb",
    edit_mode: "insert",
    cell_type: "code",
    new_source: "a\nb",
  });
  assert.match(first.content, /^Inserted cell 000call1 /);
  await ws.call("NotebookEdit", {
    notebook_path: "a.ipynb",
    edit_mode: "insert",
    cell_id: "calc",
    cell_type: "markdown",
    new_source: "end",
  });
  const { cells } = JSON.parse(await ws.text("a.ipynb"));
  assert.deepEqual(cells[0], {
    cell_type: "code",
    execution_count: null,
    id: "000call1",
    metadata: {},
    outputs: [],
    source: ["a\n", "b"],
  });
  assert.deepEqual(cells[3], { cell_type: "markdown", id: "000call1-2", metadata: {}, source: ["end"] });
  assert.match(
    await ws.text("a.ipynb"),
    /^\{\n "cells": \[\n {2}\{\n {3}"cell_type": "code",\n {3}"execution_count"/,
  );
  for (const cell_id of ["000call1", "000call1-2"]) {
    await ws.call("NotebookEdit", { notebook_path: "a.ipynb", edit_mode: "delete", cell_id });
  }
  assert.deepEqual(JSON.parse(await ws.text("a.ipynb")), JSON.parse(NOTEBOOK));
  const missing = await ws.call("NotebookEdit", { notebook_path: "a.ipynb", cell_id: "no", new_source: "" });
  assert.match(missing.content, /has no cell "no"; its cells are: intro, calc/);
});

Deno.test("NotebookEdit keeps a notebook on one line so, names cells by place without ids, and changes a cell's type", async () => {
  await using ws = await TestWorkspace.open();
  const small =
    '{"cells":[{"cell_type":"code","execution_count":1,"metadata":{},"outputs":[],"source":"x"}],"metadata":{},"nbformat":4,"nbformat_minor":2}\n';
  await ws.put("b.ipynb", small);
  await ws.call("Read", { file_path: "b.ipynb" });
  await ws.call("NotebookEdit", {
    notebook_path: "b.ipynb",
    cell_id: "cell-0",
    cell_type: "markdown",
    new_source: "# x",
  });
  const text = await ws.text("b.ipynb");
  assert.equal(text.split("\n").length, 2);
  assert.deepEqual(JSON.parse(text).cells, [{ cell_type: "markdown", metadata: {}, source: "# x" }]);
  await ws.call("NotebookEdit", {
    notebook_path: "b.ipynb",
    cell_id: "0",
    edit_mode: "insert",
    new_source: "y",
  });
  assert.equal(JSON.parse(await ws.text("b.ipynb")).cells[1].id, undefined);
  await ws.put("c.ipynb", "[1]");
  assert.match((await ws.call("Read", { file_path: "c.ipynb" })).content, /no notebook of nbformat 4/);
});
