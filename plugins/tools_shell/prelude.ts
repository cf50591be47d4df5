/** Descriptor that a command inherits and that nobody writes to: as long as it is open, something of it lives. */
const CONTROL_FD = 198; // above what people use for locks by hand (9, 200), below the usual limit of 256

const CWD_REPORT = /\0cwd\0([^\0]*)\0/g;

/**
 * What bash reads (through BASH_ENV) before a command, which so stays untouched, byte for byte. It joins stdout and
 * stderr, and tells the directory in which the shell ended over the control pipe; the exit code stays what it was. A
 * command with an EXIT trap of its own, or one that replaces the shell, tells none.
 */
export const PRELUDE = `unset BASH_ENV
exec ${CONTROL_FD}>&2 2>&1
trap '{ set +x; builtin cd -P . && builtin printf "\\0cwd\\0%s\\0" "$PWD" >&${CONTROL_FD}; } 2>/dev/null' EXIT
`;

/**
 * The same in front of a command's own text, on its first line so that line numbers stay: for a run that may write no file
 * for BASH_ENV.
 */
export const LOCKED_PRELUDE =
  `exec ${CONTROL_FD}>&2 2>&1;trap '{ set +x; builtin cd -P . && builtin printf "\\0cwd\\0%s\\0" "$PWD" >&${CONTROL_FD}; } 2>/dev/null' EXIT;`;

/** The same joining for a shell without BASH_ENV: `sh -c PLAIN_WRAPPER sh SHELL -c COMMAND`. */
export const PLAIN_WRAPPER = 'exec 9>&2 2>&1; exec "$@"';

/**
 * Takes the directory reports out of what came over the control pipe: the last directory, and the other bytes, which are
 * messages from before the joining.
 */
export function readControl(bytes: Uint8Array): { cwd: string | undefined; rest: Uint8Array } {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  let cwd: string | undefined;
  const rest = binary.replace(CWD_REPORT, (_, path: string) => {
    cwd = new TextDecoder().decode(toBytes(path));
    return "";
  });
  return { cwd, rest: toBytes(rest) };
}

function toBytes(binary: string): Uint8Array {
  return Uint8Array.from(binary, (char) => char.charCodeAt(0));
}
