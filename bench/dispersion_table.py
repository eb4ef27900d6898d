#!/usr/bin/env python3
"""Writes stencils/known_dispersion_data.cpp from bench/results/known-dispersion.json: dispersion_table.py [--check]

How far the catalogue's stencils carry waves (bench/known_dispersion.cpp measures it): the table by which the program
knows it without computing. Numbers are written with all their digits. --check changes nothing and ends with 1 where the
file is not what the results say. Standard library only.
"""

import json

from generated_table import ROOT, write_or_check

RESULTS = ROOT / "bench" / "results" / "known-dispersion.json"
OUT = ROOT / "stencils" / "known_dispersion_data.cpp"


def listed(numbers):
    return "{" + ", ".join(map(repr, numbers)) + "}"


def text():
    data = json.loads(RESULTS.read_text())
    count = len(data["tolerances"])
    lines = [
        "// Written by bench/dispersion_table.py from bench/results/known-dispersion.json: do not edit.",
        '#include "stencils/known_dispersion.hpp"', "", "namespace fdtd {", "namespace {", "", "// clang-format off",
        f"static_assert(tabulated_tolerances == std::array<double, {count}>{listed(data['tolerances'])});",
        "constexpr DispersionRow rows[] = {"
    ]
    for row in sorted(data["results"], key=lambda one: int(one["fingerprint"], 16)):
        slowest = listed(row["slowest"]) if "slowest" in row else "{}"
        lines.append(f'  {{{row["fingerprint"]}, "{row["stencils"]}", {row["second_branch"]!r}, '
                     f'{listed(row["usable"])}, {listed(row["strict"])}, {slowest}}},')
    return "\n".join(lines + [
        "};", "// clang-format on", "", "}  // namespace", "",
        "std::span<const DispersionRow> dispersion_rows() { return rows; }", "", "}  // namespace fdtd", ""
    ])


if __name__ == "__main__":
    write_or_check(OUT, text, __doc__)
