// deno-lint-ignore-file no-console -- the table is this suite's output
import type { Attempt, Observed, Place } from "./attempt.ts";

/** One attempt in one place. */
export interface Row {
  where: string;
  what: string;
  expected: string;
  /** `denied`, `contained`, `known` for what the place is documented not to hold, or `escaped`. */
  observed: "denied" | "contained" | "known" | "escaped";
  detail: string;
}

/** What the attempts of one pack have come to. */
export function judge(
  where: string,
  place: Place,
  attempts: readonly Attempt[],
  observed: readonly Observed[],
  canary: string,
): Row[] {
  const found = new Map(observed.map((one) => [one.what, one]));
  return attempts.map(({ what, expected, known }): Row => {
    const one = found.get(what);
    const row = { where, what, expected };
    if (one === undefined) return { ...row, observed: "escaped", detail: "nothing was said of it" };
    const { value, refused } = one;
    const leaked = value?.includes(canary) ?? false;
    const detail = refused ?? (value ?? "").replaceAll(/\s+/g, " ").slice(0, 60);
    if (known?.in.includes(place) && refused === undefined) {
      return { ...row, observed: "known", detail: known.why };
    }
    if (leaked) return { ...row, observed: "escaped", detail: `it got ${value?.slice(0, 200)}` };
    if (refused !== undefined) {
      return { ...row, observed: refused === "NoAnswer" ? "contained" : "denied", detail };
    }
    return { ...row, observed: expected === "denied" ? "escaped" : "contained", detail };
  });
}

const all: Row[] = [];

/** Adds rows to the table; gives those that escaped, one line each. */
export function addRows(rows: readonly Row[]): string[] {
  all.push(...rows);
  return rows.filter(({ observed }) => observed === "escaped").map(({ where, what, detail }) =>
    `${where}: ${what}: ${detail}`
  );
}

/** Prints how many attempts came to what, and writes the whole table into the file that LUMINA_ESCAPE_TABLE names. */
export async function showTable(): Promise<void> {
  const places = [...new Set(all.map(({ where }) => where))];
  console.table(Object.fromEntries(places.map((where) => {
    const rows = all.filter((row) => row.where === where);
    const count = (kind: Row["observed"]) => rows.filter(({ observed }) => observed === kind).length;
    return [where, {
      attempts: rows.length,
      denied: count("denied"),
      contained: count("contained"),
      known: count("known"),
      escaped: count("escaped"),
    }];
  })));
  const path = Deno.env.get("LUMINA_ESCAPE_TABLE");
  if (path === undefined) return;
  const cell = (text: string) => text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|");
  const lines = all.map(({ where, what, expected, observed, detail }) =>
    `| ${[where, what, expected, observed, detail].map(cell).join(" | ")} |`
  );
  const head = "| where | attempt | expected | observed | detail |\n|---|---|---|---|---|";
  await Deno.writeTextFile(path, `${head}\n${lines.join("\n")}\n`, { append: true });
}
