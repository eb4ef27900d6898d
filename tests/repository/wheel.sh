#!/bin/sh
# The wheel in a fresh virtual environment without compilers: the program and ten lines of Python give the same bytes,
# and the package's tests pass. Usage: wheel.sh BUILD_FOLDER SOURCE_FOLDER. Status 77: PyPI cannot be reached.
set -eu
build=$1
source=$2
tools=$source/build/python-tools
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# From the tree as it is: nothing is compiled again.
"$tools/bin/pip" wheel "$source" --quiet --disable-pip-version-check --no-deps --no-build-isolation \
  --wheel-dir "$work/wheel" --config-settings build-dir="$build" 2>"$work/log" || { cat "$work/log"; exit 1; }
"$tools/bin/python" -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check --retries 1 numpy h5py pytest pytest-timeout \
  2>"$work/log" || {
  echo "skipped: PyPI cannot be reached"
  tail -n 3 "$work/log"
  exit 77
}
"$work/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps "$work"/wheel/*.whl
mkdir "$work/bin"
for tool in sh env uname; do ln -s "$(command -v $tool)" "$work/bin/$tool"; done
cd "$work"
env -i HOME="$work" PATH="$work/venv/bin:$work/bin" FDTD_PROGRAM="$work/venv/bin/fdtd" OMP_NUM_THREADS=1 \
  "$work/venv/bin/python" -B -m pytest -q -p no:cacheprovider -m "not notebooks" "$source/python/tests"
