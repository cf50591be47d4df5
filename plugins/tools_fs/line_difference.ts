import { codePointName } from "./code_point_name.ts";

/**
 * In one sentence, how a line of the file differs from the line that was looked for. They are not equal. `offset` is
 * how much of the file's line was left out in front, for the column.
 */
export function lineDifference(file: string, wanted: string, offset = 0): string {
  if (file.trimEnd() === wanted.trimEnd()) {
    return `They differ in trailing blanks: the file has ${blanks(endOf(file))}, old_string ${
      blanks(endOf(wanted))
    }`;
  }
  if (file.trimStart() === wanted.trimStart()) {
    return `They differ in indentation: the file has ${blanks(startOf(file))}, old_string ${
      blanks(startOf(wanted))
    }`;
  }
  const file_points = [...file];
  const wanted_points = [...wanted];
  let column = 0;
  while (column < file_points.length && file_points[column] === wanted_points[column]) column++;
  const there = file_points[column];
  const here = wanted_points[column];
  return `They differ first at column ${offset + column + 1}: the file has ${
    there === undefined ? "the end of the line" : codePointName(there)
  }, old_string ${here === undefined ? "ends" : `has ${codePointName(here)}`}`;
}

function startOf(line: string): string {
  return line.slice(0, line.length - line.trimStart().length);
}

function endOf(line: string): string {
  return line.slice(line.trimEnd().length);
}

/** Runs of blanks in words: `1 tab and 2 spaces`. */
function blanks(text: string): string {
  const runs = text.match(/(.)\1*/gsu) ?? [];
  const words = runs.map((run) => {
    const many = run.length === 1 ? "" : "s";
    if (run[0] === " ") return `${run.length} space${many}`;
    return run[0] === "\t" ? `${run.length} tab${many}` : `${run.length} × ${codePointName(run)}`;
  });
  return words.length === 0 ? "none" : words.join(" and ");
}
