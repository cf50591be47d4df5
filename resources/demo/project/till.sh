#!/bin/sh
# Prints the receipt of a basket file, one line an article, then the total.
set -eu
here=${0%/*}
[ "$here" != "$0" ] || here=.
. "$here/lib/money.sh"

basket=${1:?which basket? sh till.sh FILE}
total=0
while IFS=';' read -r name quantity price discount; do
  [ -n "$name" ] || continue
  amount=$(line_total "$quantity" "$price" "${discount:-0}")
  total=$((total + amount))
  printf '%3d x %-12s %8s\n' "$quantity" "$name" "$(euros "$amount")"
done <"$basket"
printf '%-18s %8s\n' total "$(euros "$total")"
