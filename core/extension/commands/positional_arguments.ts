/**
 * The placeholders of a command file as those of a skill: its `$1` is the first word behind the name, where a skill counts from
 * `$0`. A file that has `$0` counts as a skill does.
 */
export function positionalArguments(body: string): string {
  if (/\$0(?!\w|\.\d)/.test(body)) return body;
  return body.replaceAll(/\$([1-9]\d?)(?!\w|\.\d)/g, (_whole, number) => `$ARGUMENTS[${Number(number) - 1}]`);
}
