#!/bin/sh
# usage: make_pictures.sh FDTD    runs the examples and draws the tops of their reports for docs/tutorials/examples.md
#
# Needs Chromium (Debian: apt-get install chromium). The pictures depend on its fonts.
set -eu

fdtd=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# draw PAGE PICTURE WIDTH,HEIGHT
draw() {
  chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" --virtual-time-budget=5000 \
    --window-size="$3" --screenshot="$2" "file://$1" 2>/dev/null
}

for scene in "$here"/*.toml; do
  name=$(basename "$scene" .toml)
  "$fdtd" run "$scene" -o "$work/$name" --quiet >/dev/null 2>&1
  draw "$work/$name/report.html" "$here/$name.png" 760,1200
done

# Three frames of the slice, at 10, 22 and 70 ms.
"$fdtd" movie "$work/slice/snapshots.h5" --pixels 500 >/dev/null
page=$work/frames.html
echo '<!DOCTYPE html><style>body { margin: 0 } img { display: block }</style>' >"$page"
for frame in 05 11 35; do
  echo "<img src=\"slice/movie_y1/frame_000$frame.png\">" >>"$page"
done
draw "$page" "$here/slice_frames.png" 612,1008
