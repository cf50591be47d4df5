/** Why the oracle cannot work on this machine; undefined where it can. */
export function missing(): string | undefined {
  if (Deno.build.os !== "linux") return "the oracle needs strace and bubblewrap, which are of Linux";
  const probe = (program: string, args: string[]): string | undefined => {
    try {
      const { success, stderr } = new Deno.Command(program, { args, stdin: "null" }).outputSync();
      return success ? undefined : new TextDecoder().decode(stderr).trim().split("\n")[0] ?? "it fails";
    } catch {
      return "it is not installed";
    }
  };
  const strace = probe("strace", ["--version"]);
  if (strace !== undefined) return `strace: ${strace}`;
  const base = "--unshare-all --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp".split(" ");
  const both = probe("bwrap", [
    ...base,
    ..."strace -f --seccomp-bpf -y -o /dev/null -e trace=openat true".split(" "),
  ]);
  return both === undefined ? undefined : `bubblewrap with strace: ${both}`;
}
