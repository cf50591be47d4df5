import type { Check } from "./check.ts";

/** What programs are used for, and what is missing without them. */
const PROGRAMS: readonly { name: string; without: string; fix: string; needed: boolean }[] = [
  {
    name: "bash",
    without: "commands run in sh, or not at all",
    fix: "install bash with your system's packages",
    needed: true,
  },
  {
    name: "git",
    without: "the branch is not told, and packs cannot come from repositories",
    fix: "install git",
    needed: false,
  },
  { name: "rg", without: "searching is slower", fix: "install ripgrep", needed: false },
];

/** Which of the programs that tools use are there; `found` has their real paths. */
export function checkPrograms(found: Readonly<Record<string, string>>, os: string): Check[] {
  const checks = PROGRAMS.map(({ name, without, fix, needed }): Check => {
    const path = found[name];
    return path === undefined
      ? {
        layer: "programs",
        what: name,
        status: needed ? "failed" : "note",
        found: `not found: ${without}`,
        fix,
      }
      : { layer: "programs", what: name, status: "ok", found: path };
  });
  return [...checks, ...sandboxProgram(found, os)];
}

function sandboxProgram(found: Readonly<Record<string, string>>, os: string): Check[] {
  if (os === "windows") {
    const text = "commands cannot be sandboxed on Windows: mode auto asks before them";
    return [{ layer: "programs", what: "sandbox", status: "note", found: text }];
  }
  const [name, fix] = os === "darwin"
    ? ["sandbox-exec", "it belongs to macOS: look at /usr/bin/sandbox-exec"]
    : ["bwrap", "install bubblewrap with your system's packages"];
  const path = found[name];
  return [
    path === undefined
      ? {
        layer: "programs",
        what: name,
        status: "note",
        found: "not found: commands are not sandboxed, and mode auto asks before them",
        fix,
      }
      : { layer: "programs", what: name, status: "ok", found: path },
  ];
}
