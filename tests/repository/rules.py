#!/usr/bin/env python3
"""Rules of form over the C++ and CUDA sources, which no compiler holds: rules.py REPOSITORY

- a file has at most 450 lines, a function at most 60 (tables and the body of a class left out);
- no two files include each other: neither X.hpp and Y.hpp, nor X.cpp with Y.hpp while Y.cpp has X.hpp;
- a file that a comment names exists, by its path or by the end of it.

`KNOWN` lists what breaks a rule today. An entry that no longer breaks it is a fault too, so that the list only shrinks.
Standard library only; prints each fault with its place and ends with 1 where there is one.
"""

import pathlib
import re
import sys

FOLDERS = ("base", "bench", "cli", "engine", "python", "scenes", "stencils", "tests")
SUFFIXES = {".cpp", ".hpp", ".cu", ".cuh"}
MOST_LINES = 450
MOST_LINES_OF_A_FUNCTION = 60

KNOWN = {
    "cli/reference/fields.cpp: long file",  # a table
    "tests/cli/test_run.cpp: long file",
    "tests/physics/test_near_field.cpp: long function errors",
    "tests/support/solutions/oblique_slab.cpp: long function ObliqueSlab::ObliqueSlab",
    "cli/study/profile.cpp: long function add_profile",
    "engine/cpu/walls/near_wall_ops.cpp: long function NearWallOps<T>::NearWallOps",
    "engine/cuda/kernels/tma/march.cuh: long function __launch_bounds__",  # a kernel
    "engine/reports/plan_report.cpp: long function plan_json",
    "engine/reports/plan_report.cpp: long function plan_text",
    "engine/responses/render.cpp: long function render",
    "engine/transducers/near_lattice.cpp: long function NearLattice::Points::Points",
    "engine/transducers/near_lattice.cpp: long function NearLattice::of_nodes",
    "engine/voxels/space/crossings.cpp: long function along",
    "scenes/mesh/mesh_dae.cpp: long function Dae::read_polygons",
    "engine/cuda/exchange/exchange, engine/cuda/exchange/nccl: include each other",
    "engine/cuda/exchange/exchange, engine/cuda/exchange/peer: include each other",
    "engine/estimate/parts, engine/estimate/room: include each other",
    "engine/multigrid/krylov, engine/multigrid/masked: include each other",
    "engine/multigrid/mask_draft, engine/multigrid/mask_levels: include each other",
    "engine/plan/slab, engine/plan/slab_cut: include each other",
    "engine/estimate/mode_count, engine/estimate/reverberation: include each other",
    "engine/responses/band_figures, engine/responses/metrics: include each other",
    "engine/results/snapshot_file, engine/results/xdmf: include each other",
    "engine/system/mpi_entry, engine/system/ranks: include each other",
    "engine/walls/cut/cut_nodes, engine/walls/cut/secured_cut: include each other",
    "engine/walls/near_wall_operator, engine/walls/rows: include each other",
}
TABLES = re.compile(r"(TableRow> table|Entries \w+_entries)\(")  # functions that are a table

INCLUDE = re.compile(r'#include "([^"]+)"')
OPENING = re.compile(r"(?:[A-Za-z_]|    ).*\{$")  # outside of bodies, as clang-format lays a definition out
NO_FUNCTION = re.compile(r"(namespace|struct|class|enum|union|extern|const|constexpr|static const|inline const)\b")
NAMED = re.compile(r"(?<![\w./*-])([\w-]+(?:/[\w-]+)*\.(?:hpp|cpp|cuh|cu|py))\b")


def name_of(lines, last):
    """The name of the function whose body opens on line `last`; None where nothing there is a function of rule."""
    first = last
    while first > 0 and lines[first - 1].strip() and not lines[first - 1].startswith(("}", "//", "#", "template")):
        first -= 1
    text = " ".join(line.strip() for line in lines[first : last + 1])
    if "(" not in text or NO_FUNCTION.match(text) or text.startswith("TEST_CASE") or TABLES.search(text):
        return None
    return re.search(r"([\w:~<>=+\-*/!]+)\s*\(", text)[1]


def long_functions(lines):
    first = None
    for number, line in enumerate(lines):
        if first is None and OPENING.match(line):
            first = number
        elif line.startswith("}") and first is not None:
            name = name_of(lines, first)
            if name and number - first + 1 > MOST_LINES_OF_A_FUNCTION:
                yield first + 1, name, number - first + 1
            first = None


def main(root):
    files = sorted(
        p.relative_to(root).as_posix()
        for folder in FOLDERS
        for p in (root / folder).rglob("*")
        if p.suffix in SUFFIXES and p.is_file()
    )
    scripts = [p.relative_to(root).as_posix() for folder in FOLDERS for p in (root / folder).rglob("*.py")]
    paths = {*files, *scripts}
    paths |= {p.relative_to(root).as_posix().removesuffix(".in") for f in FOLDERS for p in (root / f).rglob("*.in")}
    ends = {"/".join(p.split("/")[-n:]) for p in paths for n in range(1, p.count("/") + 2)}
    faults = {}  # what stands in KNOWN -> where, and what is wrong
    includes = {}
    for file in files:
        lines = (root / file).read_text(encoding="utf-8").splitlines()
        if len(lines) > MOST_LINES:
            faults[f"{file}: long file"] = f"{file}: {len(lines)} lines, more than {MOST_LINES}"
        for line, name, length in long_functions(lines):
            faults[f"{file}: long function {name}"] = (
                f"{file}:{line}: {name} has {length} lines, more than {MOST_LINES_OF_A_FUNCTION}"
            )
        stem = file.rsplit(".", 1)[0]
        for number, line in enumerate(lines, 1):
            if match := INCLUDE.match(line):
                includes.setdefault(stem, {}).setdefault(match[1].rsplit(".", 1)[0], f"{file}:{number}")
            comment = line.partition("//")[2]
            if file.startswith("tests/repository/"):
                continue  # they name files that they plant
            for named in NAMED.findall(comment):
                if named not in ends:
                    faults[f"{file}: comment names {named}"] = f"{file}:{number}: {named}: there is no such file"
    for one in includes:
        for other, place in includes[one].items():
            if one < other and one in includes.get(other, {}):
                faults[f"{one}, {other}: include each other"] = (
                    f"{place}: {one} and {other} include each other (there: {includes[other][one]})"
                )
    known = KNOWN if (root / "tests/repository/rules.py").exists() else set()
    for fault in sorted(faults.keys() - known):
        print(faults[fault])
    for gone in sorted(known - faults.keys()):
        print(f"tests/repository/rules.py: '{gone}' is no longer so: strike it out")
    return 1 if faults.keys() ^ known else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
