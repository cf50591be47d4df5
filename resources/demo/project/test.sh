#!/bin/sh
# Runs the tests of till: one line each, exit code 1 when one fails.
set -u
cd "${0%/*}" 2>/dev/null || true
. lib/money.sh
failed=0

check() { # check NAME EXPECTED ACTUAL
  if [ "$2" = "$3" ]; then
    echo "ok    $1"
  else
    echo "FAIL  $1: expected $2, got $3"
    failed=1
  fi
}

check "a line without discount" 760 "$(line_total 2 380 0)"
check "one piece with discount" 1125 "$(line_total 1 1250 10)"
check "the discount counts for every piece" 216 "$(line_total 6 45 20)"
check "the discount is rounded to the nearest cent" 2292 "$(line_total 3 899 15)"
check "cents are shown with two digits" 12.05 "$(euros 1205)"
check "the receipt of a saturday" 43.93 "$(sh till.sh data/saturday.csv | while read -r word amount; do
  [ "$word" != total ] || echo "$amount"
done)"

[ "$failed" = 0 ] && echo "all tests pass" || echo "some tests fail"
exit "$failed"
