#!/bin/sh
# .ci/run against a stand-in for ./go: which parts always run, and that what fails, is cut off or has no time left is said
# so and never passes; .ci/lines on two commits. Usage: ci.sh SOURCE
set -eu
command -v git >/dev/null || exit 77  # no repository either
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir "$stage/repo" "$stage/bin"
cp -r "$1/.ci" "$stage/repo/.ci"
cd "$stage/repo"
failures=0

expect() { # CLAIM COMMAND...
  claim=$1
  shift
  if "$@"; then return; fi
  printf 'FAILED: %s\n' "$claim"
  sed 's/^/  out: /' "$stage/out"
  sed 's/^/  log: /' "$stage/log"
  failures=$((failures + 1))
}
# ./go writes its arguments down, fails where they hold $FAILS, and is cut off (by timeout) where they hold $SLOW.
cat >go <<'END'
#!/bin/sh
echo "$*" >>"$LOG"
case "$*" in *"$FAILS"*) exit 1 ;; esac
END
cat >"$stage/bin/timeout" <<'END'
#!/bin/sh
echo "timeout $1" >>"$LOG"
shift
case "$*" in *"$SLOW"*) exit 124 ;; esac
exec "$@"
END
printf '#!/bin/sh\nexit 1\n' >"$stage/bin/nvidia-smi"  # no GPU
chmod +x go "$stage/bin/timeout" "$stage/bin/nvidia-smi"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
commit() {
  git add -A
  git -c user.name=a -c user.email=a@b.c -c commit.gpgsign=false commit -qm "$1"
}
git init -q .
mkdir engine cli
printf 'a\nb\nc\n' >engine/a.cpp
printf 'a\n' >cli/b.cpp
commit first

call() { # FAILS SLOW: sets $status and $last
  status=0
  : >"$stage/log"
  PATH="$stage/bin:$PATH" LOG=$stage/log FAILS=$1 SLOW=$2 .ci/run >"$stage/out" 2>&1 || status=$?
  last=$(tail -1 "$stage/out")
}
says() { case $last in *"$1"*) ;; *) false ;; esac; }
logged() { grep -q -x -e "$1" "$stage/log"; }

call none none
expect "the first commit passes" [ "$status" = 0 ]
expect "without a parent clang-tidy looks at everything" logged 'lint tidy'
printf 'd\n' >>engine/a.cpp
rm cli/b.cpp
printf 'x\ny\n' >engine/c.hpp
commit second
quarter=$((0x$(git rev-parse HEAD | cut -c1-6) % 4 + 1))
call none none
expect "a commit passes" [ "$status" = 0 ]
for always in 'lint format' 'lint python' 'test' 'lint tidy HEAD~1' "sanitize address unit -I $quarter,,4"; do
  expect "every run has ./go $always" logged "$always"
done
expect "the last line has the verdicts" says "ci: format passed"
expect "parts by turns follow" says "documentation passed"
expect "lines by folder are printed" grep -q -x -e '       6      +3  engine' "$stage/out"
expect "a folder that is gone has a row" grep -q -x -e '       0      -1  cli' "$stage/out"

call none 'lint tidy HEAD'
expect "what is cut off is no failure" [ "$status" = 0 ]
expect "nor has it passed" says "clang-tidy over changed sources not run to its end for lack of time"
call none 'sanitize address unit'
expect "nor has the sanitizer passed" says "address sanitizer over quarter $quarter of the unit tests not run to its end for lack of time"
call 'lint tidy HEAD' none
expect "clang-tidy fails the whole" [ "$status" = 1 ]
expect "and says so" says "clang-tidy over changed sources failed"
call 'sanitize address unit' none
expect "the sanitizer fails the whole" [ "$status" = 1 ]
call 'test' none
expect "the tests fail the whole" [ "$status" = 1 ]
expect "and the parts after them still run" logged "sanitize address unit -I $quarter,,4"
PATH="$stage/bin:$PATH" LOG=$stage/log FAILS=none SLOW=none .ci/run all >"$stage/out" 2>&1
expect "all unit tests run under the sanitizer on demand" logged 'sanitize address unit'

# No time left after the tests.
sed 's/^seconds=[0-9]*/seconds=0/' .ci/run >"$stage/run" && cp "$stage/run" .ci/run
call none none
expect "without time parts are listed as not run" says "address sanitizer over quarter $quarter of the unit tests not run for lack of time"
expect "and are not begun" sh -c "! grep -q 'sanitize' '$stage/log'"
[ "$failures" = 0 ] && echo "ci: every claim holds"
exit "$failures"
