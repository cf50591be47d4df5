/**
 * What Deno says of a missing permission, with the flags of a program that the reader cannot set: at the command line of
 * `deno`, or where the program was compiled.
 */
const DENIED =
  /\b(Requires \w+ access(?: to (?:"(?:[^"\\]|\\.)*"|[^,\n]*))?), (?:run again with the --allow-[\w-]+ flag|specify the required permissions during compilation using `deno compile --allow-[\w-]+`)/g;

/** A text of the runtime without advice about flags: what is missing was not granted. */
export function withoutFlags(text: string): string {
  return text.includes("--allow-") ? text.replace(DENIED, "$1, which was not granted") : text;
}
