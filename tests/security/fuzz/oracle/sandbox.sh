# Runs in the sandbox, outside of the trace: copies the workspace, starts the traced driver, ends lines that take too long,
# and says at the end whether the workspace is as it was.
# $1 template of the workspace, $2 workspace, $3 folder for results, $4 driver, $5 fifths of a second for a line, $6 calls to trace
cp -a "$1/." "$2" || exit 9
cd "$2" || exit 9
# FUZZ_CANARY stands in the environment of this process alone: a line that shows it has looked into another process
mkfifo /tmp/.printed
tr '\0 ' '\n\n' </tmp/.printed | grep -ac '[c]anary' >"$3/shown" &
reader=$!
env -u FUZZ_CANARY strace -f -qq --seccomp-bpf -y -s 64 -e signal=none -e "trace=$6" -o "$3/trace" \
  bash "$4" "$3/lines" /tmp/.current >/tmp/.printed 2>"$3/strace" &
tracer=$!
last='' same=0
while kill -0 "$tracer" 2>/dev/null; do
  sleep 0.2
  now=$(cat /tmp/.current 2>/dev/null)
  if [ "$now" = "$last" ] && [ "$now" != '' ]; then same=$((same + 1)); else same=0; fi
  last=$now
  if [ "$same" -ge "$5" ]; then
    if [ "${now#* }" = end ]; then kill -9 "$tracer"; else kill -9 -- "-${now#* }"; fi
    echo "${now%% *}" >>"$3/late"
    same=0
  fi
done 2>/dev/null
wait "$tracer" "$reader"
# git may write the times of files into its index, nothing else
state() {
  (
    cd "$1" || exit 9
    find . \( -path ./.git -o -path ./.git/index \) -printf '%P|%y|%m\n' -o -printf '%P|%y|%m|%T@|%l\n' | sort
    find . -type f ! -path ./.git/index -print0 | sort -z | xargs -0 cksum
    git ls-files --stage
  )
}
if [ "$(state "$1")" = "$(state "$2")" ]; then echo same; else diff <(state "$1") <(state "$2"); fi >"$3/state" 2>&1
exit 0
