#!/bin/sh
# ./go new stencil|kernel|output NAME: a skeleton with its test, entered in its table, and a list of what to fill. Its test
# fails until that is done. Nothing is written where the name is taken or cannot be one. The templates lie beside.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"

refuse() {
  printf 'go new: %s\n' "$*" >&2
  exit 2
}

# Replaces @NAME@ and @COPIED@ of a template.
fill() { # TEMPLATE FILE
  sed -e "s|@NAME@|$name|g" -e "s|@WORDS@|$words|g" -e "s|@COPIED@|${copied:-}|g" "skeletons/$1.in" >"$2"
  printf '  %s: new\n' "$2"
}

# Runs an awk program on a file in place; `entry` is the text to enter.
edit() { # FILE PROGRAM ENTRY
  entry=$3 awk "BEGIN { entry = ENVIRON[\"entry\"] } $2" "$1" >"$1.new"
  cmp -s "$1" "$1.new" && rm "$1.new" && refuse "$1: found no place for an entry: enter it by hand"
  mv "$1.new" "$1"
  printf '  %s: an entry\n' "$1"
}

free() { # FILE...
  for one in "$@"; do [ ! -e "$one" ] || refuse "$one exists: take another name"; done
}

new_stencil() {
  case $name in
    leggy-*/?* | compact-*/?* | box-*/?*) ;;
    *) refuse "$name: a stencil is FAMILY-MEMBER/VARIANT, such as compact-3/mine, of the families leggy, compact, box" ;;
  esac
  case $name in *[!a-z0-9/-]* | */*/*) refuse "$name: letters a to z, digits and - after the family, and one /" ;; esac
  table=stencils/${name%%-*}.cpp
  member=${name%%/*}
  words=$(printf '%s' "$name" | tr '/-' '__')
  grep -q "{\"$name\"," stencils/*.cpp && refuse "$name is in the catalogue: take another variant"
  copied=$(sed -n "s|^ *{\"\($member/[^\"]*\)\",.*|\1|p" "$table" | head -1)
  [ -n "$copied" ] || refuse "$member: $table has no row of this member, whose shells a row of yours could share. Members" \
    "there: $(sed -n 's|^ *{"\([a-z]*-[0-9]*\)/.*|\1|p' "$table" | sort -u | tr '\n' ' ')"
  test=tests/unit/stencils/test_$words.cpp
  free "$test"
  fill stencil_test.cpp "$test"
  # The first row of the member, once more under the new name: valid weights, until yours stand there.
  edit "$table" "index(\$0, \"{\\\"$copied\\\",\") && !done { copying = done = 1 }
    { print; if (copying) held = held \$0 \"\\n\" }
    copying && /\\}\\},\$/ { sub(/\\{\"[^\"]*\"/, \"{\\\"\" entry \"\\\"\", held); printf \"%s\", held; copying = 0 }" "$name"
  grep -q "^      {\"${name##*/}\"," stencils/table.cpp ||
    edit stencils/table.cpp '/^      \{"", ""\},$/ && !done { print entry; done = 1 } { print }' \
      "      {\"${name##*/}\", \"TODO: how these weights were made (stencils/design/...)\"},"
  cat <<END
To fill:
  $table: weights, Courant numbers, order and proof; the row of $name has those of
    $copied. stencils/design/ makes weights and proofs (tabulate.py writes rows)
  stencils/table.cpp: in describe_variant, how weights of this variant are made
  $test: which property the weights have
  stencils/known_dispersion_data.cpp: its row, by bench_known_dispersion and bench/dispersion_table.py, once weights are final
Then: ./go test -R stencil; CHANGELOG.md. auto takes it once its cost is measured on each class of devices
(bench/cost_table.py).
END
}

new_kernel() {
  case $name in [!a-z]* | *[!a-z0-9_]*) refuse "$name: a kernel's name has letters a to z, digits and _" ;; esac
  grep -q "extern const Kernel $name;" engine/cuda/kernels/table.cpp && refuse "$name is in the table: take another name"
  file=engine/cuda/kernels/$name.cu
  test=tests/gpu/test_$name.cpp
  words=$name
  free "$file" "$test"
  fill kernel.cu "$file"
  fill kernel_test.cpp "$test"
  edit engine/cuda/kernels/table.cpp '/^extern const Kernel/ && !done { print entry; done = 1 } { print }' \
    "extern const Kernel $name;"
  edit engine/cuda/kernels/table.cpp '{ print } /static const Kernel table\[\] = \{/ { print "      " entry "," }' "$name"
  cat <<END
To fill:
  $file: the idea and its data in the head, the kernel, the jobs that it supports (none yet), its tiles
  engine/cuda/kernels/table.cpp: its place, best guess first (it stands first now), laid out by clang-format-14 -i
  $test: a job that the kernel supports; tests/gpu/test_kernels.cpp then compares it with the host
    on every stencil that it accepts
Then: FDTD_WERROR=ON ./go test -L gpu on a GPU (a spilled register is an error); fdtd bench --device cuda beside the
roof, before and after; docs/performance/; CHANGELOG.md.
END
}

new_output() {
  case $name in [!a-z]* | *[!a-z0-9_]*) refuse "$name: an output's name has letters a to z, digits and _" ;; esac
  table=engine/results/outputs.cpp
  grep -q "^ *{\"$name\"," "$table" && refuse "$name is in the table: take another name"
  words=$name
  test=tests/unit/engine/results/test_${name}_file.cpp
  free "engine/results/${name}_file.hpp" "engine/results/${name}_file.cpp" "$test"
  fill output.hpp "engine/results/${name}_file.hpp"
  fill output.cpp "engine/results/${name}_file.cpp"
  fill output_test.cpp "$test"
  include="#include \"engine/results/${name}_file.hpp\""
  edit "$table" 'NR > 1 && /^#include "engine\// { seen = 1; if (!done && $0 > entry) { print entry; done = 1 } }
    seen && !done && !/^#include/ { print entry; done = 1 } { print }' "$include"
  edit "$table" '/^}  \/\/ namespace$/ && !done { print entry; print ""; done = 1 } { print }' \
    "Files list_$name(const OutputRequest& request) { return {${name}_file(request.folder)}; }

Written write_$name(const OutputRequest& request, const OutputData& data) {
  write_${name}_file(${name}_file(request.folder), *data.result, request.force);
  return {list_$name(request), {}};
}"
  edit "$table" '/^ *\{"report",/ && !done { print entry; done = 1 } { print }' \
    "      {\"$name\", \"$name.txt\", \"TODO: contents, with --$name\", \"TODO: also write ...\", list_$name, write_$name},"
  cat <<END
To fill:
  engine/results/${name}_file.hpp, ${name}_file.cpp: what the file is, and how it is written
  $table: contents and the sentence of its flag --$name (TODO there), its place among the
    files, laid out by clang-format-14 -i
  $test: what the file holds
  cli/reference/files.cpp: the file and its contents, for docs/reference/files.md
Then: ./go test -R 'results|reference|outputs'; fdtd reference -o docs/reference --force; a fuzz target in tests/fuzz
if a command reads it back; CHANGELOG.md.
END
}

[ $# = 2 ] || refuse "usage: ./go new stencil|kernel|output NAME"
name=$2
case $1 in
  stencil) new_stencil ;;
  kernel) new_kernel ;;
  output) new_output ;;
  *) refuse "$1: this makes a stencil, a kernel (of the GPU) or an output" ;;
esac
