#!/bin/sh
# The commands of this repository: ./go alone lists them.
#
# POSIX sh and apt suffice: a bare Debian 12 or Ubuntu 24.04 has no git, sudo, curl or python3. Packages that dpkg does
# not list are installed; a second call installs nothing. Set-up and build write to stderr: stdout is the program's.
# shellcheck disable=SC1091,SC2086  # the lists of packages below are split into words on purpose
set -eu

root=$(cd "$(dirname "$0")" && pwd)
build=$root/build/release

packages_build="g++ cmake ninja-build pkg-config libtomlplusplus-dev libcli11-dev libfmt-dev
  nlohmann-json3-dev libeigen3-dev libhdf5-dev libpng-dev libpugixml-dev libsndfile1-dev
  libopenmpi-dev openmpi-bin libsoxr-dev libjs-three libflac-dev"
packages_test="catch2 libbenchmark-dev python3-numpy python3-h5py python3-pytest"
packages_browser="chromium"  # for the test of reports, where FDTD_BROWSER=required: it takes 300 MB
packages_clang="clang libclang-rt-dev libomp-dev"  # for fuzzers and sanitizers
packages_coverage="gcovr llvm"  # llvm-cov reads what Clang counts
packages_lint="clang-format-14 clang-tidy-14"  # by number: another version formats otherwise

usage() {
  cat <<'END'
usage: ./go run SCENE [OPTION]...   install what is missing, build, and run a scene: `fdtd run SCENE [OPTION]...`
       ./go test [CTEST OPTION]...  install what is missing, build everything, and run all tests
       ./go bundle                  build the program for every processor and GPU, and a folder with it and its libraries
       ./go wheel                   build the wheel of the Python package for the python3 on the PATH, and where there is
                                    an nvcc that of its GPU code: dist/*.whl
       ./go new stencil|kernel|output NAME
                                    make a skeleton with its test, enter it in its table, and list what to fill
       ./go lint [format|tidy [COMMIT]|python|packaging]
                                    check the sources' format, the short list of clang-tidy, Python with ruff, and
                                    Dockerfiles and CITATION.cff with hadolint and cffconvert, or the one named;
                                    `tidy COMMIT` looks at what differs from a commit
       ./go fuzz [SECONDS [READER]...]
                                    run every reader of foreign files, or those named, under libFuzzer, 60 s each
       ./go sanitize [address|thread [unit|physics|parity|cli|faults]] [CTEST OPTION]...
                                    run all tests, or those named, under the address and undefined-behaviour and the
                                    thread sanitizer, or the one named
       ./go python [PYTEST OPTION]...
                                    build the wheel, and check the types and run all tests of the Python package
       ./go docs                    check the links of the documentation and build it as a site: build/site/index.html
       ./go coverage [unit|cli]     run all tests that read and write, or those named, and report how many lines of the
                                    readers and writers they reach; with all tests it fails below 95 %

Needs Debian 12 or Ubuntu 24.04 (or newer), and root, sudo, or the packages installed already.
The program is build/release/cli/fdtd. In the environment, FDTD_WERROR=ON makes warnings errors in `./go test`,
FDTD_PRECOMPILED=ON precompiles the headers of libraries, FDTD_CUDA=OFF leaves GPU code out and ON requires it; without
FDTD_CUDA `./go test` builds GPU code where there is an nvcc, a first `./go run` where there is a GPU as well.
FDTD_BROWSER=required makes `./go test` install Debian's chromium, and fail where reports cannot be looked at in it.
END
}

say() { printf 'go: %s\n' "$*" >&2; }

# Prints those of the packages that dpkg does not hold installed.
missing() {
  held=";$(dpkg-query -W -f='${Package}=${db:Status-Status};' "$@" 2>/dev/null || true)"
  for package in "$@"; do
    case $held in *";$package=installed;"*) ;; *) printf ' %s' "$package" ;; esac
  done
}

# Where this script cannot install: prints the line for apt, and ends.
print_apt_line() {
  say "$1 Run this as root, then ./go again:"
  printf '  apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends%s\n' "$2" >&2
  exit 3
}

install_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    command -v cmake >/dev/null && command -v ninja >/dev/null && command -v c++ >/dev/null && return
    say "This is neither Debian nor Ubuntu. Install CMake 3.25, Ninja, a C++20 compiler with OpenMP, pkg-config, and the
  development files of toml++, CLI11, fmt, nlohmann-json, Eigen 3, HDF5 (C), libpng, libsndfile, libFLAC, soxr, pugixml,
  three.js (three.min.js, see docs/how-to/install.md), Open MPI, and, for the tests, Catch2 and Google Benchmark. Then ./go again."
    exit 3
  fi
  absent=$(missing "$@")
  [ -n "$absent" ] || return 0
  as_root=
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null ||
      print_apt_line "Packages are missing, this is not root, and there is no sudo." "$absent"
    as_root=sudo
  fi
  say "installing$absent"
  # A list that cannot be refreshed (a broken third-party source) is no obstacle yet: the installation decides.
  $as_root apt-get update >&2 || say "apt-get update failed; trying with the present lists"
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $absent >&2 || {
    system=$(. /etc/os-release && printf '%s' "$PRETTY_NAME") || system="an unknown system"
    print_apt_line "apt-get could not install them. This is $system; Debian 12 and Ubuntu 24.04 have them all." \
      "$absent"
  }
}

# As many jobs as cores, but at most one for every 1.5 GiB of free memory: swapping is slower than waiting.
job_count() {
  cores=$(nproc)
  fit=$(awk '/^MemAvailable:/ { print int($2 / 1572864) }' /proc/meminfo 2>/dev/null || true)
  [ "${fit:-$cores}" -ge "$cores" ] && echo "$cores" && return
  [ "$fit" -ge 1 ] && echo "$fit" || echo 1
}

# GPU code takes longest to compile: without a GPU the first run leaves it out.
cuda_for_run() {
  nvidia-smi -L >/dev/null 2>&1 && echo AUTO && return
  { ! command -v nvcc && [ ! -x /usr/local/cuda/bin/nvcc ]; } >/dev/null ||
    say "no GPU here: its code is left out (FDTD_CUDA=ON, or ./go test, builds it)"
  echo OFF
}

configure() { (cd "$root" && cmake --preset release "$@" >&2); }
compile() { cmake --build "$build" --parallel "$(job_count)" "$@" >&2; }

# New inputs are kept for the next call; a finding is written beside them.
fuzz_one() { # READER SECONDS
  built=$root/build/fuzz
  kept=$built/corpus/$1
  mkdir -p "$kept" "$built/findings"
  say "fuzzing the reader of $1 for $2 s"
  "$built/tests/fuzz/fuzz_$1" -max_total_time="$2" -timeout=10 -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1 \
    -artifact_prefix="$built/findings/$1-" "$kept" "$root/tests/fuzz/corpus/$1"
}

# Builds and runs all tests, or those of one kind, with one of Clang's presets.
run_preset() { # PRESET KIND-OR-NOTHING [CTEST OPTION]...
  preset=$1
  kind=$2
  shift 2
  [ -z "$kind" ] || targets=test_$kind
  cd "$root"
  cmake --preset "$preset" >&2 || return 1  # at each command: `set -e` is off in a function whose status is tested
  cmake --build --preset "$preset" --parallel "$(job_count)" ${targets:+--target $targets} >&2 || return 1
  # Archer informs the thread sanitizer of OpenMP's barriers; it lies beside Clang's own OpenMP.
  llvm=$(dirname "$(readlink -f "$(command -v clang++)")")/../lib
  LD_LIBRARY_PATH="$llvm${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
    ctest --preset "$preset" --parallel "$(job_count)" ${kind:+-L "$kind"} "$@"
}

# A virtual environment is made of a list of packages and a Python; one that is as wanted is used without a network.
wanted() { cat "$1" && python3 --version 2>&1; } # LIST
made_of() { [ "$(wanted "$1")" = "$(cat "$2/made-of" 2>/dev/null)" ]; } # LIST FOLDER

# What makes wheels, as a virtual environment. Fails where pip cannot fetch it.
tools=$root/build/python-tools
python_tools() {
  made_of "$root/python/build-requirements.txt" "$tools" && return 0
  python3 -c 'import ensurepip' 2>/dev/null || install_packages python3 python3-venv
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    say "the Python package needs Python 3.11 or newer; python3 is $(python3 --version 2>&1)"
    return 1
  }
  python3 -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' ||
    install_packages python3-dev
  say "installing what makes wheels into $tools"
  python3 -m venv --clear "$tools" >&2 &&
    "$tools/bin/pip" install --quiet --disable-pip-version-check --retries 1 \
      --requirement "$root/python/build-requirements.txt" >&2 &&
    wanted "$root/python/build-requirements.txt" >"$tools/made-of"
}

# Of compute capabilities 8.0 to 12.0 those that the nvcc knows, and the newest also as PTX, for GPUs to come.
gpu_architectures() {
  known=$("$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)" --list-gpu-code 2>/dev/null) || return 0
  all=
  for one in 80 86 89 90 100 120; do
    case "$known " in *"sm_$one"[!0-9]*) all="$all$one-real;" && newest=$one ;; esac
  done
  [ -z "$all" ] || echo "$all$newest-virtual"
}

# build/wheel/*.whl, from the tree of the program: for every processor, still without the libraries that it needs.
# Arguments: the folder of its pyproject.toml, further options of pip.
make_wheel() {
  cd "$root"
  package=$1
  shift
  rm -rf build/wheel
  "$tools/bin/pip" wheel "./$package" --quiet --disable-pip-version-check --no-deps --no-build-isolation \
    --wheel-dir build/wheel --config-settings build-dir="$build" --config-settings cmake.define.FDTD_PYTHON=ON \
    --config-settings cmake.define.FDTD_INSTRUCTION_SETS=all \
    --config-settings cmake.define.FDTD_CUDA="${FDTD_CUDA:-AUTO}" "$@" \
    --config-settings build.tool-args="-j$(job_count)" >&2
}

# dist/*.whl, with the libraries that build/wheel/*.whl needs.
repair_wheel() {
  PATH="$tools/bin:$PATH" "$tools/bin/auditwheel" repair --wheel-dir dist --exclude 'libmpi.so.*' build/wheel/*.whl >&2
}

command=${1:-}
[ $# -eq 0 ] || shift
targets=  # what run_preset builds; empty: everything
case $command in
  run)
    install_packages $packages_build
    # The program alone; a tree that `./go test` has configured stays as it is.
    [ -f "$build/build.ninja" ] ||
      configure -DFDTD_TESTS=OFF -DFDTD_BENCH=OFF -DFDTD_UNITY=ON -DFDTD_INSTRUCTION_SETS=native \
        -DFDTD_CUDA="${FDTD_CUDA:-$(cuda_for_run)}"
    compile --target fdtd
    [ "$(command -v fdtd || true)" = "$build/cli/fdtd" ] ||
      say "to write fdtd for the program in this shell: export PATH=\"$build/cli:\$PATH\""
    exec "$build/cli/fdtd" run "$@"
    ;;
  test)
    [ "${FDTD_BROWSER:-}" = required ] || packages_browser=
    install_packages $packages_build $packages_test $packages_browser
    extension="-DFDTD_PYTHON=OFF"
    if (python_tools); then  # a subshell: what cannot be installed leaves out the extension alone
      extension="-DFDTD_PYTHON=ON -DPython_EXECUTABLE=$tools/bin/python"
    else
      say "what makes wheels is not there: the extension of the Python package is not built or tested"
    fi
    configure -DFDTD_TESTS=ON -DFDTD_BENCH=ON -DFDTD_UNITY=ON -DFDTD_INSTRUCTION_SETS=all $extension \
      -DFDTD_WERROR="${FDTD_WERROR:-OFF}" \
      -DFDTD_PRECOMPILED="${FDTD_PRECOMPILED:-OFF}" -DFDTD_CUDA="${FDTD_CUDA:-AUTO}"
    compile
    exec ctest --test-dir "$build" --output-on-failure --parallel "$(job_count)" "$@"
    ;;
  bundle)
    install_packages $packages_build
    # A tree of `./go run` is for one processor and one GPU; one of `./go test` keeps its tests.
    [ -f "$build/build.ninja" ] || bare="-DFDTD_TESTS=OFF -DFDTD_BENCH=OFF -DFDTD_UNITY=ON"
    [ "${FDTD_CUDA:-}" = OFF ] || architectures=${CUDAARCHS:-$(gpu_architectures)}
    configure ${bare:-} -DFDTD_INSTRUCTION_SETS=all -DFDTD_CUDA="${FDTD_CUDA:-AUTO}" \
      ${architectures:+"-DCMAKE_CUDA_ARCHITECTURES=$architectures"}
    compile --target bundle
    say "the bundle is $(echo "$build"/fdtd-*-*)"
    ;;
  wheel)
    install_packages $packages_build
    python_tools || exit 1
    build=$root/build/release-wheel  # a tree of its own: for all GPUs, where that of the program may be for one
    [ -n "${CUDAARCHS:-}" ] || CUDAARCHS=$(gpu_architectures)
    [ -z "$CUDAARCHS" ] || export CUDAARCHS
    # GPU code is a library of its own, in a wheel of its own: one for all versions of Python.
    set -- --config-settings cmake.define.FDTD_LICENCES_REQUIRED=ON --config-settings cmake.define.FDTD_GPU_LIBRARY=ON
    make_wheel . "$@"
    repair_wheel
    if [ "${FDTD_CUDA:-AUTO}" != OFF ] &&
      awk '/^CMAKE_CUDA_COMPILER:.*=\// { found = 1 } END { exit !found }' "$build/CMakeCache.txt"; then
      make_wheel packaging/cuda "$@"
      repair_wheel
    fi
    say "the wheels are" dist/roomfdtd*.whl
    ;;
  lint)
    install_packages $packages_build $packages_test $packages_lint
    cd "$root"
    status=0
    if [ "${1:-format}" = format ]; then
      find . -path ./build -prune -o \( -name '*.[ch]pp' -o -name '*.cu' -o -name '*.cuh' \) -print |
        LC_ALL=C sort | xargs clang-format-14 --dry-run --Werror || status=1
    fi
    if [ "${1:-tidy}" = tidy ]; then
      # A folder of its own: precompiled headers of another compiler would not fit.
      cmake --preset release -B "$root/build/lint" -DFDTD_TESTS=ON -DFDTD_BENCH=ON >&2
      cmake --build "$root/build/lint" --target fdtd_commit >&2  # a header that the build makes
      # Of a header that differs, the source of its name.
      changed=
      [ -z "${2:-}" ] || changed=$(git diff --name-only --diff-filter=d "$2" -- base cli engine scenes stencils |
        sed -n 's/\.[ch]pp$/.cpp/p')
      [ -z "${2:-}" ] || [ -n "$changed" ] || changed=none
      find base cli engine scenes stencils -name '*.cpp' -size +0 -printf '%s %p\n' |
        awk -v changed="$(echo $changed)" '
          BEGIN { count = split(changed, names, " "); for (i = 1; i <= count; ++i) wanted[names[i]] }
          count == 0 || $2 in wanted' |
        LC_ALL=C sort -k1,1nr -k2 | cut -d' ' -f2 |
        xargs -r -P "$(job_count)" -n 1 clang-tidy-14 -p "$root/build/lint" --quiet || status=1
    fi
    if [ "${1:-python}" = python ]; then
      python3 -c 'import ensurepip' 2>/dev/null || install_packages python3 python3-venv
      venv=build/lint-venv
      made_of python/lint-requirements.txt "$venv" || {
        say "installing ruff into $venv"
        python3 -m venv --clear "$venv" >&2
        "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement python/lint-requirements.txt >&2
        wanted python/lint-requirements.txt >"$venv/made-of"
      }
      "$venv/bin/ruff" check --no-cache . || status=1
    fi
    if [ "${1:-packaging}" = packaging ]; then
      python3 -c 'import ensurepip' 2>/dev/null || install_packages python3 python3-venv
      venv=build/packaging-venv
      made_of packaging/lint-requirements.txt "$venv" || {
        say "installing hadolint and cffconvert into $venv"
        python3 -m venv --clear "$venv" >&2
        "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement packaging/lint-requirements.txt >&2
        wanted packaging/lint-requirements.txt >"$venv/made-of"
      }
      "$venv/bin/hadolint" packaging/Dockerfile packaging/choras/Dockerfile || status=1
      "$venv/bin/cffconvert" --validate --infile CITATION.cff >&2 || status=1
    fi
    [ "$status" = 0 ] && say "${1:-format, clang-tidy, Python and packaging}: clean" ||
      say "${1:-format, clang-tidy, Python or packaging}: see the errors above"
    exit "$status"
    ;;
  fuzz)
    install_packages $packages_build $packages_test $packages_clang
    seconds=${1:-60}
    [ $# -eq 0 ] || shift
    [ $# -gt 0 ] || set -- $(cd "$root/tests/fuzz/corpus" && echo *)
    (cd "$root" && cmake --preset fuzz >&2 &&
      cmake --build --preset fuzz --target $(printf 'fuzz_%s ' "$@") --parallel "$(job_count)" >&2)
    status=0
    together=
    for reader in "$@"; do
      fuzz_one "$reader" "$seconds" &
      together="$together $!"
      [ "$(echo $together | wc -w)" -lt "$(job_count)" ] && continue
      for one in $together; do wait "$one" || status=1; done
      together=
    done
    for one in $together; do wait "$one" || status=1; done
    [ "$status" = 0 ] && say "fuzzing: no finding" || say "fuzzing: see build/fuzz/findings"
    exit "$status"
    ;;
  sanitize)
    install_packages $packages_build $packages_test $packages_clang
    case ${1:-} in
      address) sanitizers=asan ;;
      thread) sanitizers=tsan ;;
      *) sanitizers= ;;
    esac
    only=
    if [ -n "$sanitizers" ]; then
      shift
      case ${1:-} in unit | physics | parity | cli | faults) only=$1 && shift ;; esac
    fi
    status=0
    for sanitizer in ${sanitizers:-asan tsan}; do
      run_preset "$sanitizer" "$only" "$@" || status=1
    done
    exit "$status"
    ;;
  coverage)
    install_packages $packages_build $packages_test $packages_clang $packages_coverage
    find "$root/build/coverage" -name '*.gcda' -exec rm {} + 2>/dev/null || true  # counts of earlier tests
    status=0
    least=95
    if [ -n "${1:-}" ]; then
      least=0  # tests of one kind only report: unit tests alone reach 93 %
      run_preset coverage "$1" || status=1
    else
      targets="test_unit test_cli test_faults fuzz_targets"
      run_preset coverage '' -L 'unit|cli|faults|fuzz' || status=1
    fi
    # The readers and writers: base/, scenes/, and the folders of engine/ that read and write files.
    cd "$root"
    gcovr --root . --object-directory build/coverage --gcov-executable 'llvm-cov gcov' --filter 'base/' --filter 'scenes/' --filter 'engine/voxels/' \
      --filter 'engine/(files|results)/' --filter 'engine/plan/fingerprint\.' \
      --exclude-throw-branches --fail-under-line "$least" || status=1
    exit "$status"
    ;;
  python)
    install_packages $packages_build
    python3 -c 'import ensurepip' 2>/dev/null || install_packages python3 python3-venv
    python_tools || exit 1
    make_wheel .
    venv=build/python-venv
    made_of python/requirements.txt "$venv" || {
      say "installing what the package and its tests use into $venv"
      python3 -m venv --clear "$venv" >&2
      "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement python/requirements.txt >&2
      wanted python/requirements.txt >"$venv/made-of"
    }
    "$venv/bin/python" -m mypy --config-file python/mypy.ini
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall build/wheel/*.whl >&2
    FDTD_PROGRAM="$root/$venv/bin/fdtd" exec "$venv/bin/python" -m pytest -q python/tests "$@"
    ;;
  new) exec sh "$root/skeletons/new.sh" "$@" ;;
  docs)
    python3 -c 'import ensurepip' 2>/dev/null || install_packages python3 python3-venv
    cd "$root"
    python3 docs/check_links.py >&2
    venv=build/docs-venv
    made_of docs/requirements.txt "$venv" || {
      say "installing MkDocs Material into $venv"
      python3 -m venv --clear "$venv" >&2
      "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement docs/requirements.txt >&2
      wanted docs/requirements.txt >"$venv/made-of"
    }
    NO_MKDOCS_2_WARNING=1 "$venv/bin/mkdocs" build --strict --quiet >&2  # the variable: no notice of other products
    say "the site is build/site/index.html"
    ;;
  '' | -h | --help | help) usage ;;
  *)
    usage >&2
    exit 2
    ;;
esac
