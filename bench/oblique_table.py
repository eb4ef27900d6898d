#!/usr/bin/env python3
"""Writes engine/planning/choose/oblique_errors_data.cpp from bench/results/oblique-limits.json: oblique_table.py [--check]

The errors of walls that no grid fits, by stencil and points a wavelength (bench/oblique_limits.cpp measures them): what the
planner makes grids for. A value is the largest from its number of points on, so that a limit holds on every finer grid,
and falls a little at least: where errors are level, a limit would jump from one end of the level to the other.
Stencils of the same values share a row. --check changes nothing and ends with 1 where the file is not what the results
say. Standard library only.
"""

import json

from generated_table import ROOT, write_or_check

RESULTS = ROOT / "bench" / "results" / "oblique-limits.json"
OUT = ROOT / "engine" / "planning" / "choose" / "oblique_errors_data.cpp"
LEAST_FALL = 0.1  # the power of the points
LEAST, MOST = 1, 65535  # of the unit, 1e-4: logarithms of all are taken, and they are 16 bits wide


def from_here_on(values, points):
    """The largest of each value and those after it, in units of 1e-4."""
    found, least = [], LEAST
    for value, at, after in zip(reversed(values), reversed(points), [points[-1], *reversed(points)]):
        least = max(least * (after / at)**LEAST_FALL, 1e4 * value)
        found.append(min(MOST, round(least)))
    return found[::-1]


def text():
    data = json.loads(RESULTS.read_text())
    rows = {}
    for one in data["results"]:
        values = tuple(", ".join(map(str, from_here_on(one[key], data["points"]))) for key in ("decay", "shift"))
        rows.setdefault((f'{one["courant"]:.9g}', *values), []).append(one["stencil"])
    count = len(data["points"])
    lines = [
        "// Written by bench/oblique_table.py from bench/results/oblique-limits.json: do not edit.",
        '#include "engine/planning/choose/oblique_errors.hpp"', "", "namespace fdtd {", "namespace {", "",
        "// clang-format off",
        f"static_assert(oblique_points == std::array<double, {count}>{{" +
        ", ".join(f"{one:g}" for one in data["points"]) + "});", "constexpr ObliqueRow rows[] = {"
    ]
    for (courant, decay, shift), names in rows.items():
        lines += [f'  {{"{" ".join(names)}", {courant},', f"   {{{decay}}},", f"   {{{shift}}}}},"]
    return "\n".join(lines + [
        "};", "// clang-format on", "", "}  // namespace", "",
        "std::span<const ObliqueRow> oblique_rows() { return rows; }", "", "}  // namespace fdtd", ""
    ])


if __name__ == "__main__":
    write_or_check(OUT, text, __doc__)
