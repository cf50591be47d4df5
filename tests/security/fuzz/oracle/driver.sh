# Runs under strace: each line of the file $1 (ended by NUL) in a bash of its own and a process group of its own.
set -m
ulimit -c 0 -f 40000
at=0
mapfile -d '' -t lines <"$1"
for line in "${lines[@]}"; do
  : </marker/$at
  bash -o pipefail -c "$line" </dev/null 2>&1 &
  echo "$at $!" >"$2"
  wait $!
  # what it left running gets the time to do something
  kill -0 -- -$! && sleep 0.1
  kill -9 -- -$!
  at=$((at + 1))
done 2>/dev/null
: </marker/end 2>/dev/null
echo "$at end" >"$2"
