// A program that stands for docker: `run` starts a process with an HTTP server in the container's place, `rm -f` ends it.
import type { TempDir } from "./temp_dir.ts";

const SERVER = new URL("fake_searxng.ts", import.meta.url).pathname;

/** Puts a `docker` into `<dir>/bin`; what it does is told in `<dir>/calls`, one line each. Gives the folder for the PATH. */
export async function fakeDocker(dir: TempDir): Promise<string> {
  await dir.write(
    "bin/docker",
    `#!/bin/sh
dir='${dir.path}'
echo "$*" >> "$dir/calls"
case "$1" in
run)
  port='' config=''
  while [ $# -gt 0 ]; do
    case "$1" in
    --publish) port=\${2#127.0.0.1:}; port=\${port%:8080} ;;
    --volume) config=\${2%%:*} ;;
    esac
    last=$1
    shift
  done
  if [ "$last" = broken ]; then printf 'Unable to find image\\n\\nRun docker run --help for more\\n' >&2; exit 125; fi
  '${Deno.execPath()}' run --quiet --no-lock --allow-net --allow-read '${SERVER}' "$port" "$config" "$last" \\
    > "$dir/log" 2>&1 < /dev/null &
  echo $! > "$dir/pid"
  echo 0123456789ab
  ;;
rm)
  if [ "$3" != 0123456789ab ]; then echo 'Error: No such container' >&2; exit 1; fi
  kill -9 "$(cat "$dir/pid")" 2> /dev/null
  ;;
inspect) if grep -q 'cannot run here' "$dir/log"; then echo false; else echo true; fi ;;
logs) cat "$dir/log" ;;
esac
exit 0
`,
  );
  await Deno.chmod(dir.join("bin/docker"), 0o755);
  return dir.join("bin");
}
