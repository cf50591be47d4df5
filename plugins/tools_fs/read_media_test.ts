import assert from "node:assert/strict";
import { imageInfo } from "./image_info.ts";
import { pdfOf, PNG } from "./media_testing.ts";
import { pageRange } from "./page_range.ts";
import { TestWorkspace } from "./test_workspace.ts";

Deno.test("Read shows an image to a model that sees, with its size, whatever the file is called", async () => {
  await using ws = await TestWorkspace.open();
  ws.context = { config: { images: true } };
  await ws.put("shot.txt", PNG);
  const { content, media, data, is_error } = await ws.call("Read", { file_path: "shot.txt" });
  assert.equal(is_error, undefined);
  assert.equal(content, `shot.txt: PNG image, 1×1 pixels, ${PNG.length} bytes`);
  const [block] = media!;
  assert.deepEqual({ ...block, data: "" }, {
    type: "image",
    media_type: "image/png",
    data: "",
    name: "shot.txt",
    width: 1,
    height: 1,
  });
  assert.equal(block!.data, btoa(String.fromCharCode(...PNG)));
  assert.equal(data!["media_type"], "image/png");
});

Deno.test("Read says what an image is and how to go on when the model sees nothing, and refuses one over the cap", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.png", PNG);
  const blind = await ws.call("Read", { file_path: "a.png" });
  assert.equal(blind.is_error, true);
  assert.match(
    blind.content,
    /^Cannot show "a\.png" \(PNG image, 1×1 pixels, \d+ bytes\): this model takes no images/,
  );
  assert.equal(blind.media, undefined);
  ws.context = { config: { images: true, image_max_bytes: 20 } };
  const large = await ws.call("Read", { file_path: "a.png" });
  assert.match(large.content, /has \d+ bytes and at most 20 are shown; make a smaller copy/);
  const wide = PNG.slice();
  new DataView(wide.buffer).setUint32(16, 9000);
  await ws.put("wide.png", wide);
  ws.context = { config: { images: true } };
  assert.match((await ws.call("Read", { file_path: "wide.png" })).content, /at most 8000 pixels a side/);
});

Deno.test("imageInfo() reads the size of each format that models take", () => {
  const bytes = (...parts: (string | number[])[]) =>
    Uint8Array.from(
      parts.flatMap((part) => typeof part === "string" ? [...part].map((char) => char.charCodeAt(0)) : part),
    );
  const pad = new Array(20).fill(0);
  assert.deepEqual(imageInfo(bytes("GIF89a", [3, 0, 2, 0], pad)), {
    media_type: "image/gif",
    width: 3,
    height: 2,
  });
  const jpeg = bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc2, 0, 11, 8, 0, 5, 0, 7], pad);
  assert.deepEqual(imageInfo(jpeg), { media_type: "image/jpeg", width: 7, height: 5 });
  const vp8x = bytes("RIFF", [0, 0, 0, 0], "WEBPVP8X", [10, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 4, 0, 0]);
  assert.deepEqual(imageInfo(vp8x), { media_type: "image/webp", width: 10, height: 5 });
  const vp8l = bytes("RIFF", [0, 0, 0, 0], "WEBPVP8L", [0, 0, 0, 0, 0x2f, 1, 0x80, 0, 0, 0, 0, 0, 0, 0]);
  assert.deepEqual(imageInfo(vp8l), { media_type: "image/webp", width: 2, height: 3 });
  assert.deepEqual(imageInfo(jpeg.subarray(0, 6)), { media_type: "image/jpeg" });
  assert.equal(imageInfo(bytes("nothing of the kind")), null);
});

Deno.test("Read gives the text of a PDF by pages, and says where it goes on", async () => {
  await using ws = await TestWorkspace.open();
  ws.context = { config: { pdf_max_pages: 2 } };
  await ws.put("a.pdf", pdfOf(["First page", "", "Third page"]));
  const all = await ws.call("Read", { file_path: "a.pdf" });
  assert.equal(
    all.content,
    "a.pdf: PDF, 3 pages\n--- page 1 ---\nFirst page\n--- page 2 ---\n(no text: it may be a picture)\n" +
      '[PARTIAL: pages 1-2 of 3; go on with pages "3-"]',
  );
  const last = await ws.call("Read", { file_path: "a.pdf", pages: "3" });
  assert.match(last.content, /--- page 3 ---\nThird page\n\[PARTIAL: pages 3-3 of 3\]$/);
  assert.match((await ws.call("Read", { file_path: "a.pdf", pages: "1-3" })).content, /At most 2 pages/);
  assert.match((await ws.call("Read", { file_path: "a.pdf", pages: "9" })).content, /There is no page 9/);
});

Deno.test("Read shows a PDF as itself to a model that takes it, unless pages are asked for", async () => {
  await using ws = await TestWorkspace.open();
  ws.context = { config: { pdf: true } };
  await ws.put("a.pdf", pdfOf(["One"]));
  const { content, media } = await ws.call("Read", { file_path: "a.pdf" });
  assert.equal(content, "a.pdf: PDF, 1 page, shown as it looks");
  assert.equal(media![0]!.type, "document");
  const pages = await ws.call("Read", { file_path: "a.pdf", pages: "1" });
  assert.equal(pages.media, undefined);
  assert.match(pages.content, /One/);
  await ws.put("broken.pdf", "%PDF-1.4\nnothing more");
  const broken = await ws.call("Read", { file_path: "broken.pdf" });
  assert.match(broken.content, /^Cannot read "broken\.pdf": it is no whole PDF/);
});

Deno.test("pageRange() reads a page, a range and an open range, and refuses everything else", () => {
  assert.deepEqual(pageRange("2", 9, 5), { first: 2, last: 2 });
  assert.deepEqual(pageRange(" 2 - 4 ", 9, 5), { first: 2, last: 4 });
  assert.deepEqual(pageRange("7-", 9, 5), { first: 7, last: 9 });
  assert.deepEqual(pageRange("8-99", 9, 5), { first: 8, last: 9 });
  for (const bad of ["", "0", "4-2", "a", "1,2", "-3"]) {
    assert.throws(() => pageRange(bad, 9, 5), /must be a page or a range/);
  }
});
