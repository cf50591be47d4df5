import assert from "node:assert/strict";
import { parsePatch, patchPaths } from "./parse_patch.ts";

const lines = (...text: string[]) => text.map((line) => ({ kind: line[0], text: line.slice(1) }));

Deno.test("parsePatch() reads updates, moves, new files and deletions of the public form", () => {
  const files = parsePatch(`*** Begin Patch
*** Update File: src/a.ts
*** Move to: src/b.ts
@@ class A
@@   run() {
 one
-two
+2
+
*** End of File
*** Add File: new.md
+# Title
+
*** Delete File: old.md

*** End Patch
`);
  assert.deepEqual(files, [
    {
      kind: "update",
      path: "src/a.ts",
      move_to: "src/b.ts",
      hunks: [{ anchors: ["class A", "  run() {"], lines: lines(" one", "-two", "+2", "+"), at_end: true }],
    },
    { kind: "add", path: "new.md", text: "# Title\n\n" },
    { kind: "delete", path: "old.md" },
  ]);
  assert.deepEqual(patchPaths(files), ["src/a.ts", "src/b.ts", "new.md", "old.md"]);
});

Deno.test("parsePatch() takes the wrapping of a shell, CRLF, a hunk without a header and a move alone", () => {
  assert.deepEqual(
    parsePatch("<<'EOF'\r\n*** Begin Patch\r\n*** Update File: a\r\n-x\r\n+y\r\n*** End Patch\r\nEOF\r\n"),
    [{ kind: "update", path: "a", hunks: [{ anchors: [], lines: lines("-x", "+y"), at_end: false }] }],
  );
  assert.deepEqual(parsePatch("*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** End Patch"), [
    { kind: "update", path: "a", move_to: "b", hunks: [] },
  ]);
});

Deno.test("parsePatch() reads unified diffs of git and of diff, whatever their counts say", () => {
  const files = parsePatch(`Here it is:
diff --git a/x.c b/x.c
index 1..2 100644
--- a/x.c
+++ b/x.c
@@ -10,99 +10,1 @@ int main()
 keep

--- removed
++++ added
\\ No newline at end of file
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/old b/new
similarity index 100%
rename from old
rename to new
diff --git a/fresh b/fresh
new file mode 100644
--- /dev/null
+++ b/fresh
@@ -0,0 +1,2 @@
+1
+2

`);
  assert.deepEqual(files, [
    {
      kind: "update",
      path: "x.c",
      hunks: [{
        anchors: [],
        lines: lines(" keep", " ", "--- removed", "++++ added"),
        at_end: false,
        near: 10,
      }],
    },
    { kind: "delete", path: "gone" },
    { kind: "update", path: "old", move_to: "new", hunks: [] },
    { kind: "add", path: "fresh", text: "1\n2\n" },
  ]);
  assert.deepEqual(parsePatch("--- x.c\t2024\n+++ x.c\t2025\n@@ -1 +1 @@\n-a\n+b\n"), [
    {
      kind: "update",
      path: "x.c",
      hunks: [{ anchors: [], lines: lines("-a", "+b"), at_end: false, near: 1 }],
    },
  ]);
});

Deno.test("parsePatch() says at which line a patch cannot be read", () => {
  const wrapped = (body: string) => `*** Begin Patch\n${body}\n*** End Patch`;
  const cases: [string, RegExp][] = [
    ["", /must begin with "\*\*\* Begin Patch", or be a unified diff/],
    ["*** Begin Patch\n*** Delete File: a", /must end with/],
    [wrapped(""), /changes no file/],
    [`x\n${wrapped("*** Delete File: a")}`, /nothing may stand before/],
    [wrapped("what"), /at line 2: a file's header is expected, not "what"/],
    [wrapped("*** Delete File: "), /names no file|header is expected/],
    [wrapped("*** Delete File: a\n+x"), /takes no lines/],
    [wrapped("*** Add File: a\nx"), /at line 3: each line of an added file must begin with "\+"/],
    [wrapped("*** Update File: a\n@@\n-x\nbad"), /at line 5: a line of an update must begin/],
    [wrapped("*** Update File: a\n same"), /nothing of a is changed/],
    ["diff --git a/x b/x\nBinary files a/x and b/x differ", /binary file/],
  ];
  for (const [text, problem] of cases) {
    assert.throws(() => parsePatch(text), (error: Error & { code?: string }) => {
      assert.equal(error.code, "files.patch");
      assert.match(error.message, problem);
      return true;
    });
  }
});
