#!/usr/bin/env python3
"""Writes engine/materials/known_band_laws_data.cpp from bench/results/known-band-laws.json: band_law_table.py [--check]

The laws of the library's materials (known_band_laws.cpp finds them), by which the program knows them without a search.
Numbers are written with all their digits. --check changes nothing and ends with 1 where the file is not what the results
say. Standard library only.
"""

import json
import pathlib
import sys
from itertools import zip_longest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from generated_table import ROOT, write_or_check  # noqa: E402

RESULTS = ROOT / "bench" / "results" / "known-band-laws.json"
OUT = ROOT / "engine" / "materials" / "known_band_laws_data.cpp"


def text():
    rows = json.loads(RESULTS.read_text())["results"]
    laws, branches = [], []
    for row in sorted(rows, key=lambda one: int(one["fingerprint"], 16)):
        laws.append(f'  {{{row["fingerprint"]}, "{row["materials"]}", {len(branches)}, {len(row["branches"])}}},')
        branches += [f'  {{{", ".join(map(repr, one))}}},' for one in row["branches"]]
    branches = [" ".join(pair).replace("   ", " ") for pair in zip_longest(branches[::2], branches[1::2], fillvalue="")]
    branches = [line.rstrip() for line in branches]
    laws = [" ".join(pair).replace("   ", " ") for pair in zip_longest(laws[::2], laws[1::2], fillvalue="")]
    laws = [line.rstrip() for line in laws]
    return "\n".join([
        "// Written by bench/materials/band_law_table.py from bench/results/known-band-laws.json: do not edit.",
        '#include "engine/materials/known_band_laws.hpp"', "", "namespace fdtd {", "namespace {", "",
        "// clang-format off",
        "constexpr KnownBandLaw laws[] = {", *laws, "};", "constexpr KnownBranch branches[] = {", *branches, "};",
        "// clang-format on", "", "}  // namespace", "",
        "std::span<const KnownBandLaw> known_band_laws() { return laws; }", "",
        "std::span<const KnownBranch> known_branches() { return branches; }", "", "}  // namespace fdtd", ""
    ])


if __name__ == "__main__":
    write_or_check(OUT, text, __doc__)
