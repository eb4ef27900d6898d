"""Turns weights files into the tables of stencils/{leggy,compact,box}.cpp and the claims that the catalogue's test
checks.

    python3 stencils/design/tabulate.py stencils/design/weights.json stencils/design/weights_extra.json

A weights file is what weights_file.py describes: weights.json has the first sets (modified equation, and minimax up to
K = 257), weights_extra.json what make_sets.py made since. Where two files hold the same set for the same stencil the
later file wins. The tables stand between the lines "// clang-format off" and "// clang-format on" of the C++ sources;
the claims are written to tests/unit/stencils/claims.hpp. Standard library only.

The numbers stay as they are, but for leggy sets whose Courant number lies above the limit of their own weights
by the sampling of the linear programme; there K is scaled down to the limit. (Sum and second moment are polished when
the program loads a table, see stencils/table.hpp.) A box member with the shells of a compact one has no rows of its
own.
"""
import json
import math
import pathlib
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
VARIANTS = {
    "leggy-opt eps=0.01": "opt1",
    "leggy-opt eps=0.003": "opt03",
    "leggy-spatial-opt eps=0.01": "warp1",
    "leggy-spatial-opt eps=0.003": "warp03",
    "ME": "me",
    "minimax eps=0.01": "opt1",
    "minimax eps=0.02": "opt2",
}
TEXTBOOK_FIRST = ["opt1", "opt2", "opt03", "warp1", "warp03", "me"]
TOLERANCES = {"opt1": 0.01, "opt2": 0.02, "opt03": 0.003, "warp1": 0.01, "warp03": 0.003}


def ordered_triples(largest):
    return [(a, b, c) for a in range(1, largest + 1) for b in range(a + 1) for c in range(b + 1)]


def shells_of(family, member):
    if family == "leggy":
        return [(m, 0, 0) for m in range(1, member + 1)]
    if family == "compact":
        within = [q for q in ordered_triples(5) if sum(x * x for x in q) <= member]
        return sorted(within, key=lambda q: (sum(x * x for x in q), q))
    return [q for q in ordered_triples(member[0]) if q <= tuple(member)]


def has_compact_twin(member):
    shells = set(shells_of("box", member))
    return any(shells == set(shells_of("compact", r)) for r in range(1, 23))


def read_entries(paths):
    """{(family, member, variant): entry}, the textbook (2,2M) sets left out: they are closed forms."""
    entries = {}
    for path in paths:
        for entry in json.loads(pathlib.Path(path).read_text(encoding="utf-8")):
            variant = VARIANTS.get(entry["set"].split(" (")[0])
            if variant is None:
                continue
            family = entry["fam"]
            member = entry["n"] if isinstance(entry["n"], int) else tuple(entry["n"])
            shells = [tuple(q) for q in entry["shells"]]
            order = {q: i for i, q in enumerate(shells)}
            wanted = shells_of(family, member)
            if set(wanted) != set(shells):
                raise SystemExit(f"{path}: {family} {member}: not the shells of that stencil")
            if (family, member) == ("compact", 1):
                continue  # in code: seven points have one set of weights
            entry = dict(entry, gamma=[entry["gamma"][0]] + [entry["gamma"][1 + order[q]] for q in wanted])
            entries[family, member, variant] = entry
    return entries


def leggy_minimum(gamma):
    """Least symbol of a leggy stencil, by a scan of its axis function and golden sections: exact to rounding."""
    def axis(k):
        return gamma[0] / 3 + 2 * sum(g * math.cos(m * k) for m, g in enumerate(gamma[1:], 1))

    n = 40 * len(gamma)
    scan = [axis(math.pi * i / n) for i in range(n + 1)]
    least = min(scan)
    for i in range(1, n):
        if scan[i] > min(scan[i - 1], scan[i + 1]) or scan[i] > min(scan) + 1e-2:
            continue
        low, high = math.pi * (i - 1) / n, math.pi * (i + 1) / n
        for _ in range(60):
            third = (high - low) / 3
            if axis(low + third) < axis(high - third):
                high -= third
            else:
                low += third
        least = min(least, axis((low + high) / 2))
    return 3 * least


def row_numbers(family, entry):
    """Courant number, its limit, weights."""
    courant, gamma = entry["lam"], entry["gamma"]
    if family != "leggy":
        return courant, courant, gamma  # nothing is certified beyond it
    limit = courant * math.sqrt(4 / (2 - leggy_minimum(gamma))) * (1 - 1e-14)
    if courant > limit:
        factor = (limit / courant) ** 2
        gamma = [2 - factor * (2 - gamma[0])] + [factor * g for g in gamma[1:]]
        courant = limit
    return courant, limit, gamma


def proof_of(entry):
    known = {"1D fold theorem": "run_fold", "nc-SDP both sides": "all_mask"}
    return known.get(entry["proof"], "block")


def name_of(family, member, variant):
    text = str(member) if isinstance(member, int) else "".join(map(str, member))
    return f"{family}-{text}/{variant}"


def table_rows(family, entries):
    def position(key):
        return key[1], TEXTBOOK_FIRST.index(key[2])

    lines = []
    for key in sorted((k for k in entries if k[0] == family), key=position):
        _, member, variant = key
        if family == "box" and has_compact_twin(member):
            continue
        entry = entries[key]
        courant, limit, gamma = row_numbers(family, entry)
        order = entry.get("order", 2)
        head = f'{{"{name_of(*key)}", {courant!r}, {limit!r}, {order}, WallProof::{proof_of(entry)},'
        weights = "{" + ", ".join(repr(g) for g in gamma) + "}},"
        lines.append("      " + head)
        lines += textwrap.wrap(weights, 118, initial_indent="       ", subsequent_indent="        ")
    return lines


def replace_table(path, lines):
    text = path.read_text(encoding="utf-8").split("\n")
    start = next(i for i, line in enumerate(text) if "// clang-format off" in line)
    end = next(i for i in range(start, len(text)) if "// clang-format on" in text[i])
    path.write_text("\n".join(text[: start + 1] + lines + text[end:]), encoding="utf-8")


def claim_rows(entries):
    for (family, member, variant), entry in sorted(entries.items(), key=lambda kv: (kv[0][0], kv[0][1], kv[0][2])):
        if family == "box" and has_compact_twin(member):
            continue
        claims = {0.01: entry.get("b1"), 0.02: entry.get("b2")}
        if "beta" in entry:
            claims[TOLERANCES[variant]] = entry["beta"]
        for tolerance, fractions in sorted(claims.items()):
            if fractions is None:
                continue
            fractions = fractions if isinstance(fractions, list) else [fractions]
            numbers = ", ".join(f"{f:.4g}" for f in fractions)
            yield f'    {{"{name_of(family, member, variant)}", {tolerance:g}, {{{numbers}}}}},'


CLAIMS = """// Figures that the makers of the weights measured, each with their own program: written by stencils/design/tabulate.py.
#pragma once

#include <vector>

namespace fdtd {{

struct Claim {{
  const char* name;
  double tolerance;
  std::vector<double> fractions;  // of the wavenumber radius: worst direction, then, where given, 100, 110, 111
}};

// clang-format off
inline const std::vector<Claim> claims{{
{rows}
}};
// clang-format on

}}  // namespace fdtd
"""


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    entries = read_entries(sys.argv[1:])
    for family in ("leggy", "compact", "box"):
        replace_table(ROOT / "stencils" / f"{family}.cpp", table_rows(family, entries))
    claims = CLAIMS.format(rows="\n".join(claim_rows(entries)))
    (ROOT / "tests/unit/stencils/claims.hpp").write_text(claims, encoding="utf-8")


if __name__ == "__main__":
    main()
