import assert from "node:assert/strict";
import { LuminaError } from "../base/mod.ts";
import { PathPattern, slashPath } from "./path_pattern.ts";

const HERE = { base_dir: "/base", cwd: "/ws", home: "/home/u", widen: false, fold: false };
const allow = (text: string) => PathPattern.fromRule(text, HERE);
const deny = (text: string) => PathPattern.fromRule(text, { ...HERE, widen: true });

Deno.test("PathPattern knows the four anchors", () => {
  assert.equal(allow("//etc/**").matches("/etc/passwd"), true);
  assert.equal(allow("//etc/**").matches("/ws/etc/passwd"), false);
  assert.equal(allow("~/.zshrc").matches("/home/u/.zshrc"), true);
  assert.equal(allow("/src/*.ts").matches("/base/src/a.ts"), true);
  assert.equal(allow("/src/*.ts").matches("/ws/src/a.ts"), false);
  assert.equal(allow("src/*.ts").matches("/ws/src/a.ts"), true);
  assert.equal(allow("./src/*.ts").matches("/ws/src/a.ts"), true);
  assert.equal(allow("./src/*.ts").matches("/ws/src/b/a.ts"), false);
});

Deno.test("a bare file name matches at any depth, for refusing also outside the working folder", () => {
  assert.equal(allow(".env").matches("/ws/a/b/.env"), true);
  assert.equal(allow(".env").matches("/other/.env"), false);
  assert.equal(deny(".env").matches("/other/.env"), true);
  assert.equal(deny("**/.env").matches("/other/a/.env"), true);
  assert.equal(deny("./.env").matches("/ws/a/.env"), false);
});

Deno.test("a single folder is any-depth for refusing but only in the working folder for allowing", () => {
  for (const text of ["secrets/", "secrets/**"]) {
    assert.equal(deny(text).matches("/ws/a/secrets/key"), true, text);
    assert.equal(allow(text).matches("/ws/a/secrets/key"), false, text);
    assert.equal(allow(text).matches("/ws/secrets/key"), true, text);
  }
});

Deno.test("a refusal with a trailing slash holds for the name itself, whatever stands there", () => {
  assert.equal(deny("//x/secret/").matches("/x/secret"), true);
  assert.equal(deny("//x/secret/").matches("/x/secret/"), true);
  assert.equal(deny("//x/secret/").matches("/x/secret/a"), true);
  assert.equal(deny("~/.ssh/**").matches("/home/u/.ssh", true), true);
  assert.equal(deny("src/a/**").matches("/ws/src/a/b"), true);
});

Deno.test("a pattern that names a folder matches all below it", () => {
  assert.equal(deny("//x/y").matches("/x/y/z/w"), true);
  assert.equal(allow("src").matches("/ws/src/deep/file"), true);
});

Deno.test("names in front of a pattern are never wildcards", () => {
  const odd = PathPattern.fromRule("a*", { ...HERE, cwd: "/w[s]*?\\" });
  assert.equal(odd.matches("/w[s]*?\\/ab"), true);
  assert.equal(odd.matches("/ws/ab"), false);
});

Deno.test("a pattern survives the way through JSON", () => {
  for (const text of [".env", "//a/b*", "~/x/**", "/y", "z/"]) {
    const first = PathPattern.fromRule(text, { ...HERE, widen: true, fold: true });
    const second = PathPattern.fromAbsolute(JSON.parse(JSON.stringify(first)));
    for (const path of ["/ws/.ENV", "/A/B2", "/home/u/x/y", "/base/y", "/ws/z/1"]) {
      assert.equal(second.matches(path), first.matches(path), `${text} ${path}`);
    }
  }
});

Deno.test("folding is only where it was asked for", () => {
  const folded = PathPattern.fromRule("~/.ssh/**", { ...HERE, widen: true, fold: true });
  assert.equal(folded.matches("/home/u/.SSH/id_rsa"), true);
  assert.equal(deny("~/.ssh/**").matches("/home/u/.SSH/id_rsa"), false);
});

Deno.test("mayMatchBelow() is false only where nothing below can match", () => {
  assert.equal(deny("//a/b/c").mayMatchBelow("/a"), true);
  assert.equal(deny("//a/b/c").mayMatchBelow("/x"), false);
  assert.equal(deny(".env").mayMatchBelow("/x"), true);
  assert.equal(deny("//a").mayMatchBelow("/a/b"), true);
});

Deno.test("a pattern that can match nothing is refused with its text", () => {
  for (const text of ["", "!x", "a\nb"]) {
    assert.throws(() => allow(text), (e: unknown) => e instanceof LuminaError && e.code === "files.pattern");
  }
  assert.throws(() => PathPattern.fromAbsolute("x"), LuminaError);
});

Deno.test("Windows paths become slash paths", () => {
  assert.equal(slashPath("C:\\Users\\x"), "/c/Users/x");
  assert.equal(PathPattern.fromRule("//c/users/**", HERE).matches("C:\\users\\x"), true);
});
