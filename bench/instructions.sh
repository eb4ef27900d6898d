#!/bin/sh
# Counts the instructions of the inner kernels under callgrind, per node (for walls: per boundary node), and compares
# them with the recorded counts.
#
#   instructions.sh PROGRAM RECORD            fails where a count is more than 3 % above the recorded one
#   instructions.sh PROGRAM RECORD --record   writes RECORD anew
#
# RECORD: the compiler in the first line, then lines "STENCIL PRECISION KERNEL INSTRUCTIONS". Counts hold for one
# compiler: with another one, or without valgrind, the exit status is 77.
set -eu
program=$1 record=$2
command -v valgrind >/dev/null || { echo "no valgrind"; exit 77; }
compiler=$("$program" compiler)
if [ "${3:-}" != --record ] && [ "$compiler" != "$(head -n 1 "$record")" ]; then
  echo "recorded with $(head -n 1 "$record"), built with $compiler"
  exit 77
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
tail -n +2 "$record" | while read -r stencil precision kernel before; do
  nodes=$(valgrind --tool=callgrind --toggle-collect='*count_this*' --callgrind-out-file="$scratch/out" \
    "$program" "$stencil" "$precision" "$kernel" 2>"$scratch/log") || { cat "$scratch/log"; exit 1; }
  total=$(sed -n 's/.*Collected *: *\([0-9]*\).*/\1/p' "$scratch/log")
  now=$(awk "BEGIN { printf \"%.3f\", $total / $nodes }")
  echo "$stencil $precision $kernel $now" >>"$scratch/new"
  if awk "BEGIN { exit !($now > 1.03 * $before) }"; then
    echo "$stencil $precision $kernel: $now instructions a node, $before before" >>"$scratch/worse"
  fi
done
if [ "${3:-}" = --record ]; then
  { echo "$compiler"; cat "$scratch/new"; } >"$record"
elif [ -s "$scratch/worse" ]; then
  cat "$scratch/worse"
  failed=1
fi
cat "$scratch/new"
exit $failed
