import assert from "node:assert/strict";
import { findSandbox } from "../support/find_sandbox.ts";
import { mirrorPlace, mirrorTable } from "./mirror_table.ts";
import type { MirrorRow, Root } from "./mirror_table.ts";

const FILE = new URL("mirror.jsonl", import.meta.url);

/** Roots that no mode lets any tool reach by itself: one's own secrets and Lumina's own folder. */
const CLOSED: readonly Root[] = ["app_root", "secrets"];
const WORKSPACE: readonly Root[] = ["workspace", "added"];

/** What the table of modes in the architecture says: may a call in this mode ever do this, asked about or not? */
function mayBePossible({ mode, tool, does }: MirrorRow, where: string): boolean {
  const root = where as Root;
  // the guarded sandbox hides, and locks nothing: the kernel alone judges what a command changes there
  if (does === "follows") {
    return tool === "Bash" && mode === "ask" && where === "folder that may only be read";
  }
  if (where === "network") return ["ask", "accept-edits", "yolo"].includes(mode);
  const inside = WORKSPACE.includes(root);
  if (tool !== "Bash") {
    // an innocent call opens nothing outside, in no mode
    if (does === "reads") return inside || root === "spill";
    if (mode === "plan" || mode === "read-only") return false;
    return mode === "workspace" ? root === "workspace" : inside;
  }
  // a program needs the system to read from; the kernel judges each path, and what is secret is hidden from it
  if (does === "reads") return !CLOSED.includes(root);
  if (["ask", "accept-edits", "yolo"].includes(mode)) return !CLOSED.includes(root) && root !== "spill";
  if (mode === "plan" || mode === "read-only") return false;
  return mode === "workspace" ? root === "workspace" : inside;
}

Deno.test("the mirror: what a tool can do although no kernel judged it, probed live, is what its mode allows", async () => {
  const sandbox = await findSandbox();
  const with_commands = !("skip" in sandbox);
  const place = await mirrorPlace();
  let rows: MirrorRow[];
  try {
    rows = await mirrorTable(place, with_commands);
  } finally {
    await place.close();
  }
  if (Deno.env.get("LUMINA_MIRROR") === "write") {
    await Deno.writeTextFile(FILE, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  }
  const text = await Deno.readTextFile(FILE);
  const expected: MirrorRow[] = text.trim().split("\n").map((line) => JSON.parse(line));
  // without a sandbox on this machine there is nothing to probe around a command
  assert.deepEqual(rows, expected.filter(({ tool }) => with_commands || tool !== "Bash"));
  const holes = expected.flatMap((row) => {
    const { mode, tool, does, ...cells } = row;
    return Object.entries(cells).filter(([where, held]) => held === "possible" && !mayBePossible(row, where))
      .map(([where]) => `${mode}: ${tool} ${does} ${where}`);
  });
  assert.deepEqual(holes, []);
});
