#!/usr/bin/env python3
"""Writes python/roomfdtd/_fields.py, the units of fields of JSON documents, from docs/reference/json.md.

    python3 python/json_units.py [--check]

That page is made of the rows that write the documents (`fdtd reference`), so that a unit is stated once, in C++. --check
compares instead, and ends with 1 where the module is not what would be written. Standard library only.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
MODULE = ROOT / "python" / "roomfdtd" / "_fields.py"
PAGE = ROOT / "docs" / "reference" / "json.md"

HEAD = '''"""Units of fields of the program's JSON documents. Written by python/json_units.py from docs/reference/json.md."""
'''


def units_of(page, command):
    """Path -> unit, "1" for a number without one, of the numbers in the first document of a command."""
    section = page.split(f"## `{command}`\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| `([^`]+)` \| ([^|]+?) \| ([^|]*?) ?\|", section, re.M)
    return {path: unit or "1" for path, kind, unit in rows if kind.startswith("number")}


def table(name, about, units):
    rows = "".join(f'    "{path}": "{unit}",\n' for path, unit in units.items())
    return f"# {about}\n{name} = {{\n{rows}}}\n"


def module():
    page = PAGE.read_text(encoding="utf-8")
    plan, metrics = units_of(page, "fdtd plan SCENE --json"), units_of(page, "fdtd metrics IR.wav --json")
    figures = {path[len("bands[].") :]: unit for path, unit in metrics.items() if path.startswith("bands[].")}
    if not plan or "T30" not in figures:
        sys.exit(f"{PAGE}: no table of `fdtd plan --json` or `fdtd metrics --json`")
    figures.pop("centre")
    metrics_command = "`fdtd metrics --json`"
    speech = {name: figures.pop(name) for name in ("MTI", "U50")}  # no arrays of result.h5
    of_all = {path: unit for path, unit in {**plan, **metrics}.items() if path.isidentifier()} | speech
    return "\n".join(
        [
            HEAD,
            table("FIGURES", f"Figures of merit: the numbers in bands[] of {metrics_command} that result.h5 has too.", figures),
            table("FIELDS", f"Numbers of `fdtd plan --json` and {metrics_command} in no list, and of speech.", of_all),
        ]
    )


def main(arguments):
    text = module()
    if arguments == ["--check"]:
        if MODULE.read_text(encoding="utf-8") != text:
            sys.exit(f"{MODULE}: not what python/json_units.py writes from {PAGE}; run it")
    elif arguments:
        sys.exit(__doc__)
    else:
        MODULE.write_text(text, encoding="utf-8")


main(sys.argv[1:])
