#!/bin/sh
# ./go new in a copy of the tree: its skeletons compile and stand in their tables, their tests fail until they are
# filled, and a name that is taken or impossible changes nothing. Usage: new.sh SOURCE COMPILER [NVCC]
set -eu
source=$1
compiler=$2
nvcc=${3:-}
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
for folder in base engine scenes stencils skeletons; do cp -r "$source/$folder" "$copy/$folder"; done
mkdir -p "$copy/tests/unit/stencils" "$copy/tests/unit/engine/results" "$copy/tests/gpu"
cp -r "$source/tests/support" "$copy/tests/support"
cp "$source/go" "$copy/go"
cd "$copy"
failures=0

fail() {
  printf 'FAILED: %s\n' "$*"
  failures=$((failures + 1))
}
state() { find . -type f -exec cksum {} + | LC_ALL=C sort -k3 | cksum; }
compiles() { # FILE
  "$compiler" -std=c++20 -Wall -Wextra -Werror -fopenmp -fsyntax-only -I. "$1" || fail "$1 does not compile"
}

# Refused, and nothing changed. The second word of each line is what the message has to say.
before=$(state)
refused() { # MESSAGE ARGUMENT...
  message=$1
  shift
  status=0
  ./go new "$@" >out 2>err || status=$?
  [ "$status" = 2 ] || fail "go new $*: status $status"
  grep -q -e "$message" err || fail "go new $*: says '$(cat err)', not '$message'"
  [ ! -s out ] || fail "go new $*: prints $(cat out)"
  rm -f out err
  [ "$(state)" = "$before" ] || fail "go new $*: the tree has changed"
}
refused 'usage: ' stencil
refused 'usage: ' kernel a b
refused 'wall: this makes' wall mine
refused 'FAMILY-MEMBER/VARIANT' stencil mine
refused 'FAMILY-MEMBER/VARIANT' stencil round-3/mine
refused 'letters a to z' stencil 'compact-3/My'
refused 'letters a to z' stencil 'compact-3/my/own'
refused 'is in the catalogue' stencil compact-3/opt1
refused 'no row of this member' stencil compact-99/mine
refused 'is in the table' kernel star_tma
refused 'letters a to z' kernel '../star'
refused 'letters a to z' kernel '2d'
refused 'is in the table' output sofa
refused 'letters a to z' output 'a b'
refused 'exists: take another name' output energy

# Made.
made() { # WORDS: go new WORDS names every file that it writes, and no other changes
  ./go new "$@" >out || fail "go new $*: status $?"
  sed -n 's/^  \([^ ]*\): \(new\|an entry\)$/\1/p' out | LC_ALL=C sort -u >named
  (cd "$copy" && find . -type f -newer stamp ! -name out ! -name named ! -name written ! -name stamp) | sed 's|^\./||' |
    LC_ALL=C sort -u >written
  cmp -s named written || fail "go new $*: names $(cat named), writes $(cat written)"
  grep -q '^To fill:$' out || fail "go new $*: no list of what to fill"
  rm -f out named written
}
touch stamp
sleep 1
made stencil compact-3/mine
touch stamp
sleep 1
made kernel swirl
touch stamp
sleep 1
made output levels
grep -q '{"compact-3/mine", ' stencils/compact.cpp || fail "the stencil has no row"
grep -q '^extern const Kernel swirl;' engine/cuda/kernels/table.cpp || fail "the kernel is not declared"
grep -q '^ *swirl,' engine/cuda/kernels/table.cpp || fail "the kernel is not in the table"
grep -q '{"levels", "levels.txt", ' engine/results/outputs.cpp || fail "the output has no row"
for file in stencils/compact.cpp stencils/table.cpp tests/unit/stencils/test_compact_3_mine.cpp engine/cuda/kernels/table.cpp \
  engine/results/outputs.cpp engine/results/levels_file.cpp tests/unit/engine/results/test_levels_file.cpp \
  tests/gpu/test_swirl.cpp; do
  compiles "$file"
done
[ -z "$nvcc" ] || "$nvcc" -std=c++20 --expt-relaxed-constexpr -arch=sm_90 -I. -c engine/cuda/kernels/swirl.cu \
  -o swirl.o || fail "the kernel does not compile"

# A skeleton's test fails until it is filled: the weights are still those of the row above it.
cat >check.cpp <<'END'
#include <cstdio>

#include "stencils/catalogue.hpp"

int main() {
  const fdtd::Stencil* const mine = fdtd::find_stencil("compact-3/mine");
  const fdtd::Stencil* const copied = fdtd::find_stencil("compact-3/opt1");
  return mine == nullptr || copied == nullptr || mine->centre != copied->centre;
}
END
"$compiler" -std=c++20 -O0 -I. check.cpp stencils/*.cpp -o check && ./check ||
  fail "the new stencil is not in the catalogue with the weights of the row that it copies"
rm -f check check.cpp swirl.o stamp
before=$(state)
refused 'is in the catalogue' stencil compact-3/mine
refused 'is in the table' kernel swirl
refused 'is in the table' output levels
[ "$failures" = 0 ] && echo "go new: every claim holds"
exit "$failures"
