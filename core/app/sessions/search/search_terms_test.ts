import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { matchExpression, segment } from "./search_terms.ts";
import { snippetOf } from "./snippet.ts";

/** The texts that a query finds. */
function find(texts: readonly string[], query: string): string[] {
  const db = new DatabaseSync(":memory:");
  try {
    db.exec(
      "CREATE VIRTUAL TABLE terms USING fts5(title, text, tool, content='', tokenize='unicode61 remove_diacritics 2')",
    );
    const insert = db.prepare("INSERT INTO terms (rowid, text) VALUES (?, ?)");
    texts.forEach((text, index) => insert.run(index, segment(text)));
    const expression = matchExpression(query, ["title", "text"]);
    if (expression === undefined) return [];
    return db.prepare("SELECT rowid FROM terms WHERE terms MATCH ? ORDER BY rowid").all(expression)
      .map((row) => texts[Number(row["rowid"])] ?? "");
  } finally {
    db.close();
  }
}

const TEXTS = [
  "全文検索は日本語でも動きます",
  "中文搜索要找到一个字和两个字的词",
  "한국어 문장을 검색합니다",
  "Deno運行時 mixes 中文 and English in one line",
  "The rewinding of sessions, naïvely done",
  "ｆｕｌｌ　ｗｉｄｔｈ and ﾊﾝｶｸ",
  'a NEAR b OR c AND NOT d* "quoted" col:umn ^x',
];

Deno.test("Chinese, Japanese and Korean are found by any part of one, two and more characters", () => {
  for (
    const [query, ...expected] of [
      ["検", 0],
      ["検索", 0],
      ["日本語", 0],
      ["全文検索は日本語", 0],
      ["語日", undefined],
      ["字", 1],
      ["中文", 1, 3],
      ["两个字", 1],
      ["국", 2],
      ["한국", 2],
      ["한국어", 2],
      ["문장", 2],
      ["한국어 검색", 2],
      ["ハンカク", 5],
    ] as const
  ) {
    const texts = expected.flatMap((index) => index === undefined ? [] : [TEXTS[index]]);
    assert.deepEqual(find(TEXTS, query), texts, query);
  }
});

Deno.test("mixed scripts, case, accents, full width and decomposed forms make no difference", () => {
  assert.deepEqual(find(TEXTS, "deno運行"), [TEXTS[3]]);
  assert.deepEqual(find(TEXTS, "english 中文"), [TEXTS[3]]);
  assert.deepEqual(find(TEXTS, "NAIVELY"), [TEXTS[4]]);
  assert.deepEqual(find(TEXTS, "naïvely".normalize("NFD")), [TEXTS[4]]);
  assert.deepEqual(find(TEXTS, "full width"), [TEXTS[5]]);
  assert.deepEqual(find(TEXTS, "한국어".normalize("NFD")), [TEXTS[2]]);
});

Deno.test("a word finds what it begins from three letters on; in quotes the words stand as they are", () => {
  assert.deepEqual(find(TEXTS, "rewind"), [TEXTS[4]]);
  assert.deepEqual(find(TEXTS, "re"), []);
  assert.deepEqual(find(TEXTS, '"rewind"'), []);
  assert.deepEqual(find(TEXTS, '"of sessions"'), [TEXTS[4]]);
  assert.deepEqual(find(TEXTS, '"sessions of"'), []);
  assert.deepEqual(find(TEXTS, "sessions of"), [TEXTS[4]]);
});

Deno.test("operators, columns and broken syntax are text", () => {
  for (
    const query of [
      '"quoted',
      "col:umn",
      "^x",
      "NEAR b",
      "a OR c",
      "d*",
      "AND",
      "NOT d",
      "(a",
      "{text} c",
      "-c",
    ]
  ) {
    const wanted = query === "{text} c" ? [] : [TEXTS[6]];
    assert.ok(wanted.every((text) => find(TEXTS, query).includes(text!)), query);
  }
  assert.equal(matchExpression('" * ( ) "', ["text"]), undefined);
  assert.equal(matchExpression("🙂 …", ["text"]), undefined);
});

Deno.test("no query is a syntax error, and every text is found by its own words", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 30 }), (query) => {
      find(TEXTS, query);
      if (/[a-z0-9\u4e00-\u9fff]/.test(query)) {
        assert.deepEqual(find([query], query.replaceAll('"', " ")), [query]);
      }
    }),
    { numRuns: 300 },
  );
});

Deno.test("a snippet is one line around the first hit, with every hit in it marked", () => {
  const marked = (text: string, query: string) => {
    const { text: shown, marks } = snippetOf(text, query);
    return marks.map(({ from, to }) => shown.slice(from, to));
  };
  assert.deepEqual(marked("Das Café, the CAFE\nand a decafe", "cafe"), ["Café", "CAFE"]);
  assert.deepEqual(marked(`${"x ".repeat(500)}中文搜索 ${"y ".repeat(500)}`, "文搜"), ["文搜"]);
  assert.deepEqual(marked("Deno運行時 here", "運行 deno"), ["Deno", "運行"]);
  const { text } = snippetOf(`${"😀".repeat(300)} needle ${"😀".repeat(300)}`, "needle");
  assert.ok(text.isWellFormed() && !text.includes("\n") && [...text].length < 200);
  assert.deepEqual(snippetOf("", "x"), { text: "", marks: [] });
  fc.assert(fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (source, query) => {
    const { text, marks } = snippetOf(source, query);
    assert.ok(text.isWellFormed());
    for (const { from, to } of marks) assert.ok(from < to && to <= text.length);
  }));
});
