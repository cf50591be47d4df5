import type { SandboxProxy } from "./sandbox_config.ts";

/** Where the proxy's socket and the bridge's program stand inside the sandbox. */
const SOCKET = "/run/lumina/proxy";
const PROGRAM = "/run/lumina/bridge";
const SOURCES = "/run/lumina/sources";

/**
 * Starts the bridge beside the command, waits until it listens and tells the command where: it prints its port. Arguments: the
 * prelude, the addresses that need no proxy, the number of the bridge's words, these words, the command. Everything in the
 * sandbox ends with the command, the bridge too.
 */
const BRIDGE_SCRIPT = `
prelude=$1 skip=$2 count=$3; shift 3
bridge=("\${@:1:count}"); shift "$count"
exec {port_fd}< <("\${bridge[@]}" </dev/null 2>/dev/null & )
read -r port <&"$port_fd"; exec {port_fd}<&-
case $port in
  ''|*[!0-9]*) echo 'The way to sandbox.allowed_domains could not be opened; there is no network' >&2 ;;
  *)
    for name in http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY; do
      export "$name=http://127.0.0.1:$port"
    done
    export no_proxy="$skip" NO_PROXY="$skip" NODE_USE_ENV_PROXY=1 ;;
esac
export BASH_ENV="$prelude"
exec "$@"
`;

/** Words of the sandbox that bring socket and program inside. */
export function proxyWords({ socket, bridge, sources }: SandboxProxy): string[] {
  const list = ["--ro-bind", socket, SOCKET, "--ro-bind", bridge[0] ?? "", PROGRAM];
  // where they lie may be hidden inside: the sandbox has a /tmp of its own
  if (sources !== undefined) list.push("--ro-bind", sources, SOURCES);
  return list.flatMap((item) => ["arg", item]);
}

/** What stands before the command inside the sandbox. */
export function bridgeCommand(
  bash: string,
  prelude: string,
  { bridge, no_proxy, sources }: SandboxProxy,
): string[] {
  const inside = bridge.slice(1).map((word) =>
    sources !== undefined && word.startsWith(`${sources}/`) ? SOURCES + word.slice(sources.length) : word
  );
  const words = [PROGRAM, ...inside, SOCKET];
  return [bash, "-c", BRIDGE_SCRIPT, "bash", prelude, no_proxy, String(words.length), ...words];
}
