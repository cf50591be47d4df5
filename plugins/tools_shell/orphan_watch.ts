import { createHash } from "node:crypto";

/**
 * Reads what runs from its standard input, a line each (`mark TEXT`, `add GROUP`, `del GROUP`), and ends it when the input
 * ends: then the program that wrote it has died. `done` before the end means that nothing is left to do. What is ended: the
 * members of the groups and their sessions, processes whose environment holds the text, and every descendant of those; never
 * the program that started it.
 */
const WATCH_SCRIPT = `
groups=' ' mark=
while read -r word value; do
  case $word in
    mark) mark=$value ;;
    add) groups="$groups$value " ;;
    del) case $groups in *" $value "*) groups="\${groups%% $value *} \${groups#* $value }" ;; esac ;;
    done) exit 0 ;;
  esac
done
tries=0
while [ "$tries" -lt 200 ]; do
  tries=$((tries + 1)) chosen=' ' rows=
  for path in $([ -n "$mark" ] && grep -lsF -e "$mark" /proc/[0-9]*/environ); do
    path=\${path#/proc/} chosen="$chosen\${path%/*} "
  done
  for file in /proc/[0-9]*/stat; do
    read -r line <"$file" || continue
    pid=\${line%% *}
    set -- \${line##*) }
    case $1 in Z | X | x) continue ;; esac
    rows="$rows $pid:$2"
    case $groups in *" $pid "* | *" $3 "* | *" $4 "*) chosen="$chosen$pid " ;; esac
  done 2>/dev/null
  alive=
  for grew in 1 2 3 4 5 6 7 8; do
    before=$chosen alive=
    for row in $rows; do
      pid=\${row%:*}
      case $pid in $$ | $PPID | 1) continue ;; esac
      case $chosen in
        *" $pid "*) alive="$alive $pid" ;;
        *" \${row#*:} "*) chosen="$chosen$pid " alive="$alive $pid" ;;
      esac
    done
    [ "$before" = "$chosen" ] && break
  done
  if [ -r /proc/self/stat ]; then [ -n "$alive" ] || exit 0
  else for group in $groups; do alive="$alive -$group"; done; tries=200; fi
  kill -s KILL -- $alive
  sleep 0.05
done 2>/dev/null
exit 0
`;

// Free of the caller's environment: the watcher must not be found by the text that it looks for.
const PATH = "/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin:/usr/local/bin";

function startScript(shell_path: string, detached: boolean): Deno.ChildProcess {
  return new Deno.Command(shell_path, {
    args: ["-c", WATCH_SCRIPT, "sh"],
    cwd: "/",
    clearEnv: true,
    env: { PATH },
    stdin: "piped",
    stdout: "null",
    stderr: "null",
    detached,
  }).spawn();
}

/** What the environment of every command of a session holds, whichever process started it: its spill folder is its alone. */
export function sessionMark(spill_dir: string): string {
  return `.session-${createHash("sha256").update(spill_dir).digest("hex").slice(0, 32)}.`;
}

/**
 * Ends what an earlier process of a session left running, where that process and its watcher were killed together. Only for a
 * session that no other process has open. Where no environment can be read (macOS), nothing is found. Throws what
 * starting the shell throws.
 */
export async function endLeftCommands(shell_path: string, spill_dir: string): Promise<void> {
  const child = startScript(shell_path, false);
  const input = child.stdin.getWriter();
  await input.write(new TextEncoder().encode(`mark ${sessionMark(spill_dir)}\n`));
  await input.close();
  await child.status;
}

/**
 * A process beside the commands that ends them when this program is killed and can no longer do it. It is no child of any
 * command and in no command's group, so none sees it. Started with the first command; one that has died is started
 * again with the next.
 */
export class OrphanWatch {
  readonly #mark: string;
  readonly #groups = new Set<number>();
  #input: WritableStreamDefaultWriter<Uint8Array> | undefined;

  /** @param mark text that the environment of every command holds */
  constructor(mark: string) {
    this.#mark = mark;
  }

  /** Starts the watcher where it does not run. Throws what starting the shell throws. */
  start(shell_path: string): void {
    if (this.#input !== undefined) return;
    const child = startScript(shell_path, true);
    child.unref();
    const input = child.stdin.getWriter();
    this.#input = input;
    const over = () => {
      if (this.#input === input) this.#input = undefined;
    };
    child.status.then(over, over);
    this.#write(`mark ${this.#mark}\n${[...this.#groups].map((group) => `add ${group}\n`).join("")}`);
  }

  /** A command with this group leader runs. */
  add(group: number): void {
    this.#groups.add(group);
    this.#write(`add ${group}\n`);
  }

  /** Nothing of it runs any more. */
  remove(group: number): void {
    if (this.#groups.delete(group)) this.#write(`del ${group}\n`);
  }

  /** Nothing runs any more: the watcher ends without looking. */
  async stop(): Promise<void> {
    const input = this.#input;
    this.#input = undefined;
    if (input === undefined) return;
    try {
      await input.write(new TextEncoder().encode("done\n"));
      await input.close();
    } catch {
      // it has ended by itself
    }
  }

  #write(text: string): void {
    // a watcher that has died is started again with the next command
    this.#input?.write(new TextEncoder().encode(text)).catch(() => {});
  }
}
