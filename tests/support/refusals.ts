import assert from "node:assert/strict";
import type { CallResult, ScriptedCall } from "./run_calls.ts";
import type { TempDir } from "./temp_dir.ts";

/** What the model is told of a call that asks where nobody can be asked. */
export const HEADLESS = /^Permission needed for (\w+) and nobody can be asked in this run: /;

/** Each command is refused with a reason that fits; what ran is told all at once. */
export function refused(
  commands: readonly ScriptedCall[],
  results: readonly CallResult[],
  reason: RegExp,
): void {
  const wrong = commands.flatMap((command, at) => {
    const { content, is_error } = results[at] ?? { content: "no result", is_error: false };
    return is_error && reason.test(content) ? [] : [{ command, content }];
  });
  assert.deepEqual(wrong, []);
}

/** The names and contents of all files below, git's objects and index left out. */
export async function snapshot(path: string, below = ""): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for await (const { name, isDirectory, isSymlink } of Deno.readDir(path)) {
    const shown = `${below}${name}`;
    if (/^\.git\/(objects|index|logs)$/.test(shown)) continue;
    const full = `${path}/${name}`;
    if (isDirectory) Object.assign(files, await snapshot(full, `${shown}/`));
    else if (isSymlink) files[shown] = `-> ${await Deno.readLink(full)}`;
    else files[shown] = await Deno.readTextFile(full);
  }
  return files;
}

/** A program that only writes down how it was called, in `<name>.log`; harmless whatever it is asked to do. */
export async function standIn(dir: TempDir, name: string, more = ""): Promise<void> {
  const text = `#!/bin/bash\necho "$@" >> '${dir.join(`${name}.log`)}'\n${more}`;
  await Deno.chmod(await dir.write(`bin/${name}`, text), 0o755);
}

/** An environment with `<tools>/bin` before the machine's programs and a home of its own. */
export function place(tools: TempDir, home: TempDir): Record<string, string> {
  return {
    PATH: `${tools.join("bin")}:${Deno.env.get("PATH")}`,
    HOME: home.path,
    DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
  };
}

/** The calls that a stand-in wrote down. */
export async function logged(tools: TempDir, name: string): Promise<string[]> {
  try {
    return (await tools.read(`${name}.log`)).trimEnd().split("\n");
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}
