import * as z from "zod";
import { CAPABILITY_KINDS } from "../plugin_api/mod.ts";
import type { CapabilityKind, CapabilityRequest } from "../plugin_api/mod.ts";

/** Kinds that mean nothing without names. */
const NAMED_ONLY: readonly CapabilityKind[] = ["env", "sys"];
/** What Deno's `sys` permission knows. */
const SYS_KINDS = [
  "hostname",
  "osRelease",
  "osUptime",
  "loadavg",
  "networkInterfaces",
  "systemMemoryInfo",
  "uid",
  "gid",
  "username",
  "cpus",
  "homedir",
  "statfs",
] as const;

const HOST =
  /^(?:\*\.)?(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*(?::\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](?::\d{1,5})?$/;
/** A path that a grant may name: no pattern, no way up, nothing that a person would not see. */
const PATH =
  /^(?:workspace|data|(?:~\/|\/|[A-Za-z]:[\\/])(?!.*(?:^|[\\/])\.\.(?:[\\/]|$))[^\p{Cc}\p{Cf}]*)$/u;

/** One capability that a pack asks for. Without paths or hosts it goes through the host's service alone. */
export const capabilityRequest = (): z.ZodType<CapabilityRequest> =>
  z.union([
    z.enum(CAPABILITY_KINDS).refine((kind) => !NAMED_ONLY.includes(kind), {
      error: ({ input }) =>
        `must say which: ${
          input === "env"
            ? '{ "kind": "env", "names": ["NAME"] }'
            : '{ "kind": "sys", "kinds": ["hostname"] }'
        }`,
    }),
    z.discriminatedUnion("kind", [
      z.strictObject({
        kind: z.enum(["fs.read", "fs.write"]),
        paths: z.array(
          z.string().max(1000).regex(
            PATH,
            'must be "workspace", "data", an absolute path, or one that begins with "~/"',
          ),
        ),
      }),
      z.strictObject({
        kind: z.literal("net"),
        hosts: z.array(z.string().max(260).regex(HOST, 'must be "host", "host:port" or "*.host"')),
      }),
      z.strictObject({
        kind: z.literal("run"),
        programs: z.array(programName()).min(1),
      }),
      z.strictObject({
        kind: z.literal("env"),
        names: z.array(
          z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, "must be the name of a variable")
            .refine((name) => !/^(?:(?:LUMINA|LLM|DENO|LD|DYLD)_|ANTHROPIC_API_KEY$)/i.test(name), {
              error: "must not be a variable of Lumina, Deno or the loader",
            }),
        ).min(1),
      }),
      z.strictObject({ kind: z.literal("sys"), kinds: z.array(z.enum(SYS_KINDS)).min(1) }),
    ]),
  ]);

/** A program's plain name, found on the PATH. */
export function programName(): z.ZodType<string> {
  return z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.+-]{0,63}$/, "must be a program's plain name");
}
