import assert from "node:assert/strict";
import { declaredCodePage, decodeOutput } from "./decode_output.ts";

const bytes = (...list: number[]) => Uint8Array.from(list);
const utf16 = (text: string) =>
  Uint8Array.from([...text].flatMap((char) => [char.charCodeAt(0) & 255, char.charCodeAt(0) >> 8]));

Deno.test("decodeOutput() reads UTF-8 with and without a byte order mark", () => {
  assert.deepEqual(decodeOutput(new TextEncoder().encode("é 你"), {}), { text: "é 你", encoding: "utf-8" });
  assert.equal(decodeOutput(bytes(0xef, 0xbb, 0xbf, 0x61), {}).text, "a");
});

Deno.test("decodeOutput() reads UTF-16LE by its NULs, whole and in runs", () => {
  assert.deepEqual(decodeOutput(utf16("WSL: é\r\n"), {}), { text: "WSL: é\r\n", encoding: "utf-16le" });
  const mixed = Uint8Array.from([...new TextEncoder().encode("plain text before\n"), ...utf16("WSL")]);
  assert.deepEqual(decodeOutput(mixed, {}), { text: "plain text before\nWSL", encoding: "utf-16le" });
});

Deno.test("decodeOutput() decodes only the lines that are not UTF-8 with the declared code page", () => {
  const text = Uint8Array.from([...new TextEncoder().encode("é\n"), 0xd6, 0xd0, 0x0a]);
  assert.deepEqual(decodeOutput(text, { LANG: "zh_CN.UTF-8" }), { text: "é\n中\n", encoding: "gb18030" });
  assert.deepEqual(decodeOutput(text, { LANG: "C.UTF-8" }), { text: "é\n\\xd6\\xd0\n", encoding: "escaped" });
});

Deno.test("decodeOutput() escapes overlong, cut and surrogate sequences byte by byte", () => {
  const { text } = decodeOutput(bytes(0x61, 0xc0, 0xaf, 0xed, 0xa0, 0x80, 0xf0, 0x9f, 0x62, 0xc3, 0xa9), {});
  assert.equal(text, "a\\xc0\\xaf\\xed\\xa0\\x80\\xf0\\x9fbé");
});

Deno.test("declaredCodePage() knows the names that locales use", () => {
  const of = (LANG: string) => declaredCodePage({ LANG });
  assert.deepEqual([of("zh_CN.GBK"), of("ja_JP.SJIS"), of("ja_JP.eucJP"), of("de_DE.ISO-8859-15@euro")], [
    "gb18030",
    "shift_jis",
    "euc-jp",
    "iso-8859-15",
  ]);
  assert.deepEqual([of("C"), of("en_US.UTF-8"), of(""), of("xx_XX.nonsense")], [
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  assert.equal(declaredCodePage({ LC_ALL: "zh_TW.Big5", LANG: "C" }), "big5");
});
