#!/bin/sh
# The wheel with its libraries in a fresh virtual environment without compilers: it has their licences, the program and
# ten lines of Python give the same bytes, and the package's tests pass. A wheel of the stable ABI, made by Python 3.12 or
# newer, is tried with every newer Python that is there as well. Usage: wheel.sh BUILD_FOLDER SOURCE_FOLDER.
# Status 77: PyPI cannot be reached.
set -eu
build=$1
source=$2
tools=$source/build/python-tools
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# `pip install .` of a fresh checkout configures a tree of its own: that has the targets which pyproject.toml names.
cmake -G Ninja -S "$source" -B "$work/tree" -DSKBUILD=2 -DFDTD_CUDA=OFF -DPython_EXECUTABLE="$tools/bin/python" \
  >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
for target in $(sed -n 's/^build.targets = \[\(.*\)\]$/\1/p' "$source/pyproject.toml" | tr -d '",'); do
  ninja -C "$work/tree" -t query "$target" >/dev/null || { echo "FAILED: pip cannot build $target"; exit 1; }
done
# From the tree as it is: nothing is compiled again.
"$tools/bin/pip" wheel "$source" --quiet --disable-pip-version-check --no-deps --no-build-isolation \
  --wheel-dir "$work/bare" --config-settings build-dir="$build" 2>"$work/log" || { cat "$work/log"; exit 1; }
PATH="$tools/bin:$PATH" "$tools/bin/auditwheel" repair --wheel-dir "$work/wheel" --exclude 'libmpi.so.*' \
  "$work"/bare/*.whl >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
# One wheel for Python 3.12 and newer, another one for 3.11; without GPU code small enough for an index of packages.
case $("$tools/bin/python" -c 'import sys; print(sys.version_info >= (3, 12))') in
  True) tag=cp312-abi3 ;;
  *) tag=cp311-cp311 ;;
esac
[ -f "$work"/wheel/roomfdtd-*-$tag-manylinux_*.whl ] || { echo "FAILED: no wheel of $tag: $(ls "$work/wheel")"; exit 1; }
grep -q '^CUDA_cudart_static_LIBRARY:.*=/' "$build/CMakeCache.txt" ||
  [ "$(stat -c %s "$work"/wheel/*.whl)" -lt 40000000 ] || { echo "FAILED: the wheel has 40 MB or more"; exit 1; }
"$tools/bin/python" -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check --retries 1 numpy h5py pytest pytest-timeout \
  2>"$work/log" || {
  echo "skipped: PyPI cannot be reached"
  tail -n 3 "$work/log"
  exit 77
}
"$work/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps "$work"/wheel/*.whl
site=$(echo "$work"/venv/lib/python3*/site-packages)
# A licence of every library that it brings (libpng16-8a6b5ae1.so.16.39.0 was libpng16.so.16...), and of what is linked in.
if command -v dpkg-query >/dev/null; then
  for library in "$site"/roomfdtd.libs/*.so*; do
    name=$(basename "$library" | sed -E 's/-[0-9a-f]{8}\.so(\.[0-9]+).*/.so\1/')
    owner=$(dpkg-query --search "*/$name" | sed -n '1s/[:,].*//p')
    [ -n "$owner" ] && [ -s "$site/roomfdtd-"*/licenses/"$owner" ] || { echo "FAILED: no licence of $name"; exit 1; }
  done
  for part in LICENSE libeigen3-dev libhdf5-dev libaec-dev zlib1g-dev nanobind robin-map LGPL-2.1; do
    [ -s "$site/roomfdtd-"*/licenses/"$part" ] || { echo "FAILED: no licence of $part"; exit 1; }
  done
  if grep -q '^CUDA_cudart_static_LIBRARY:.*=/' "$build/CMakeCache.txt" && ! grep -q '^FDTD_CUDA:.*=OFF' "$build/CMakeCache.txt"; then
    grep -q "NVIDIA" "$site/roomfdtd-"*/licenses/* || { echo "FAILED: no licence of the CUDA runtime"; exit 1; }
  fi
fi
mkdir "$work/bin"
for tool in sh env uname; do ln -s "$(command -v $tool)" "$work/bin/$tool"; done
cd "$work"
env -i HOME="$work" PATH="$work/venv/bin:$work/bin" FDTD_PROGRAM="$work/venv/bin/fdtd" OMP_NUM_THREADS=1 \
  "$work/venv/bin/python" -B -m pytest -q -p no:cacheprovider -m "not notebooks" "$source/python/tests"
cat >"$work/room.py" <<'END'
import roomfdtd as rf
scene = rf.Scene(rf.Room.box(2, 2.2, 2.4, "plasterboard"), [(1.2, 1.5, 1.4)], [(0.8, 0.6, 1.2)], duration=0.05,
                 max_frequency=300, above={"method": "none"})
assert scene.run("out", force=True).rir()[0][0].size > 1000
assert rf._engine._core is not None, "the extension is not loaded"
END
# Of a machine with Debian's Python, of the PATH, or of pyenv.
find_python() { # VERSION
  for one in "python$1" "$HOME/.pyenv/versions/$1".*/bin/python; do
    "$one" -c 'import ensurepip, sys; print(sys.executable)' 2>/dev/null && return 0
  done
  return 1
}
[ "$tag" = cp312-abi3 ] || { echo "not tried with Python 3.12 and newer: the wheel is one of $tag"; exit 0; }
for version in 3.12 3.13 3.14; do
  python=$(find_python $version) || { echo "not tried with Python $version: it is not here"; continue; }
  "$python" -m venv "$work/venv$version"
  "$work/venv$version/bin/pip" install --quiet --disable-pip-version-check --retries 1 numpy h5py 2>"$work/log" || {
    echo "not tried with Python $version: PyPI has no numpy or h5py for it"
    continue
  }
  "$work/venv$version/bin/pip" install --quiet --disable-pip-version-check --no-deps "$work"/wheel/*.whl
  env -i HOME="$work" PATH="$work/bin" OMP_NUM_THREADS=1 "$work/venv$version/bin/python" -B "$work/room.py"
  "$work/venv$version/bin/fdtd" --version
  echo "tried with Python $version"
done
