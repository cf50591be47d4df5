import { momentText } from "../agent/mod.ts";
import { gitHead } from "./git_head.ts";
import type { SessionParts } from "./session_parts.ts";
import type { SessionPolicy } from "./session_policy.ts";

/** The facts of the moment in which a run begins. */
export function runMoment({ located, world }: SessionParts, { mode, added_dirs }: SessionPolicy): string {
  const cwd = located.project.root;
  const head = gitHead(cwd);
  return momentText({
    now: new Date(world.now()),
    cwd,
    platform: `${Deno.build.os} ${Deno.build.arch}`,
    mode,
    added_dirs,
    ...(head === undefined ? {} : { git_head: head }),
  });
}
