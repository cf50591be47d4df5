import type { ProbePlace } from "./probe_place.ts";

/** A process outside of every sandbox that a probe tries to see and to end. */
export interface Target {
  pid: number;
  /** Stands in its arguments. */
  name: string;
}

/** What a script found of one door: open, held, or not tried with why. */
export type DoorState = "open" | "held" | `skipped: ${string}`;

/** A text as one word of the shell. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Tries what a command in the closed sandbox must not be able to; prints `door NAME STATE` for each. */
export function closedScript(place: ProbePlace, target: Target): string {
  const { workspace, outside, key_file, settings_file, secret, port, socket } = place;
  return [
    TRY,
    `door "write in the workspace" sh -c ${shellWord(`echo x > ${shellWord(`${workspace}/made`)}`)}`,
    `door "write outside of the workspace" sh -c ${shellWord(`echo x > ${shellWord(`${outside}/made`)}`)}`,
    `door "write a git hook" sh -c ${
      shellWord(`echo x > ${shellWord(`${workspace}/.git/hooks/pre-commit`)}`)
    }`,
    `door "connect over TCP" bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port}'`,
    unixScript(socket),
    // the pattern does not match itself
    `door "read a key in the home folder" grep -q ${shellWord(unlikeItself(secret))} ${shellWord(key_file)}`,
    `door "read the app root" grep -q ${shellWord(unlikeItself(secret))} ${shellWord(settings_file)}`,
    `door "see other processes" sh -c ${
      shellWord(`grep -qa ${shellWord(unlikeItself(target.name))} /proc/[0-9]*/cmdline`)
    }`,
    `kill -TERM ${target.pid} 2>/dev/null`,
    "true",
  ].join("\n");
}

/** Tries to read what a guarded command must not. */
export function guardedScript({ key_file, settings_file, secret }: ProbePlace): string {
  return [
    TRY,
    `door "read a key in the home folder" grep -q ${shellWord(unlikeItself(secret))} ${shellWord(key_file)}`,
    `door "read the app root" grep -q ${shellWord(unlikeItself(secret))} ${shellWord(settings_file)}`,
    "true",
  ].join("\n");
}

/** Asks the proxy of the sandbox for a listed address and for one that is not listed. */
export function proxyScript({ port, secret }: ProbePlace): string {
  const ask = (url: string) =>
    `exec 3<>"/dev/tcp/$host/$number" && printf "GET ${url} HTTP/1.1\\r\\nHost: ${
      new URL(url).host
    }\\r\\nConnection: close\\r\\n\\r\\n" >&3 && timeout 10 cat <&3 | grep -q ${unlikeItself(secret)}`;
  return [
    TRY,
    'proxy="${http_proxy#http://}"; proxy="${proxy%/}"; export host="${proxy%%:*}" number="${proxy##*:}"',
    `door "reach an allowed address" bash -c ${shellWord(ask(`http://127.0.0.1:${port}/`))}`,
    `door "reach another address" bash -c ${shellWord(ask(`http://127.0.0.2:${port}/`))}`,
    "true",
  ].join("\n");
}

/** What a script printed, by door. */
export function doorStates(output: string): Map<string, DoorState> {
  const states = new Map<string, DoorState>();
  for (const line of output.split("\n")) {
    const match = /^door (.+): (open|held|skipped: .*)$/.exec(line.trimEnd());
    if (match?.[1] !== undefined) states.set(match[1], match[2] as DoorState);
  }
  return states;
}

const TRY = `door() {
  name="$1"; shift
  if "$@" >/dev/null 2>&1; then echo "door $name: open"; else echo "door $name: held"; fi
}`;

/** A regular expression for a text that does not match its own spelling. */
function unlikeItself(text: string): string {
  return `[${text.slice(0, 1)}]${text.slice(1)}`;
}

function unixScript(socket: string): string {
  const path = JSON.stringify(socket);
  const python = `import socket; s = socket.socket(socket.AF_UNIX); s.settimeout(5); s.connect(${path})`;
  const perl =
    `socket(my $s, PF_UNIX, SOCK_STREAM, 0) or exit 1; connect($s, sockaddr_un(${path})) or exit 1;`;
  const name = '"connect to a unix socket"';
  return [
    `if command -v python3 >/dev/null; then door ${name} python3 -c ${shellWord(python)}`,
    `elif command -v perl >/dev/null; then door ${name} perl -MSocket -e ${shellWord(perl)}`,
    `elif command -v nc >/dev/null; then door ${name} nc -zU ${shellWord(socket)}`,
    `else echo "door connect to a unix socket: skipped: no python3, perl or nc"; fi`,
  ].join("\n");
}
