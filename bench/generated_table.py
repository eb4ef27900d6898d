"""The command line of programs that write a table of C++ from results: SCRIPT [--check]. Standard library only."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def write_or_check(out, text, usage):
    """Writes text() to `out`; with --check it ends with 1 where the file holds something else, and changes nothing."""
    if sys.argv[1:] == ["--check"]:
        if not out.exists() or out.read_text() != text():
            script = pathlib.Path(sys.argv[0]).resolve().relative_to(ROOT)
            sys.exit(f"{out.relative_to(ROOT)} is not what the data say: run python3 {script}")
    elif sys.argv[1:]:
        sys.exit(usage)
    else:
        out.write_text(text())
