#!/usr/bin/env python3
"""Makes engine/planning/cost_table_data.cpp, by which stencil = "auto" decides, from the data under bench/results/.

    python3 bench/cost_table.py            rewrites the file
    python3 bench/cost_table.py --check    fails when it is not what the data say

A cost is CTPN over the CTPN of the leapfrog triad, so figures of machines of different speed are comparable.

    CPU classes              xeon-16/cost.json (bench_cost): the faster of one step a sweep and several, over the median
                             triad of all rows of that precision
    GPU, 9.0 or higher       h200/compare.json (fdtd compare --device cuda), role best: triad of the same run; geometric
                             mean over the grids
    GPU, below 9.0           h200/kernels-f32.json and -f64.json: the fastest kernel without bulk tensor copies (flat,
                             star_march, plane_sums), on an H200: no older GPU was measured

Two rules remove what noise is left. A larger member of a family costs no less than a smaller one: violators that
follow each other are pooled to their geometric mean (isotonic regression of log cost over points). A member without a
figure takes one from its neighbours in points, of its family or, for compact and box, of both, by a power of the
points; below the smallest it takes that one's. Standard library only.
"""

import json
import math
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
OUT = ROOT / "engine" / "planning" / "cost_table_data.cpp"
PRECISIONS = ("f32", "f64")
SETS = ("AVX-512", "AVX2", "baseline")  # the order of DeviceClass
WITHOUT_COPIES = ("flat", "star_march", "plane_sums")


def load(path):
    return json.loads((RESULTS / path).read_text())


def family(member):
    return member.split("-")[0]


def mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def cpu_costs(data, instruction_set, precision):
    rows = [row for row in data["results"] if row["precision"] == precision]
    triad = statistics.median(row["triad_ctpn_ns"] for row in rows)
    costs = {}
    for row in rows:
        if row["instruction_set"] == instruction_set:
            costs.setdefault(row["stencil"], []).append(row["ctpn_ns"] / triad)
    # With one kernel alone nothing is known of the other.
    return {member: min(values) for member, values in costs.items() if len(values) == 2}


def gpu_costs(data, precision):
    costs = {}
    for row in data["results"]:
        if row["role"] == "best" and row["precision"] == precision:
            costs.setdefault(row["stencil"].split("/")[0], []).append(row["ctpn_ns"] / row["triad_ctpn_ns"])
    return {member: mean(values) for member, values in costs.items()}


def old_gpu_costs(data):
    costs = {}
    for row in data["results"]:
        if row.get("kernel") in WITHOUT_COPIES and row["eff"] > 0.0:
            costs.setdefault(row["stencil"].split("/")[0], []).append(1.0 / row["eff"])
    return {member: min(values) for member, values in costs.items()}


def filled(costs, members, points_of):
    """Costs of all members of one family, of which some are known."""
    leggy = family(members[0][0]) == "leggy"
    known = sorted((points_of[member], cost) for member, cost in costs.items() if (family(member) == "leggy") == leggy)
    full = {}
    for member, points in members:
        if member in costs:
            full[member] = costs[member]
            continue
        if points <= known[0][0]:
            full[member] = known[0][1]
            continue
        above = min(sum(p < points for p, _ in known), len(known) - 1)
        (p0, c0), (p1, c1) = known[above - 1], known[above]
        power = max(0.0, math.log(c1 / c0) / math.log(p1 / p0)) if p1 > p0 else 0.0
        full[member] = c0 * (points / p0)**power
    return full


def rising(costs, members):
    """The same, made to rise with the points: pool adjacent violators of log cost."""
    groups = []
    for points in sorted({points for _, points in members}):
        of = [member for member, p in members if p == points]
        groups.append([sum(math.log(costs[member]) for member in of), of])
        while len(groups) > 1 and groups[-2][0] / len(groups[-2][1]) > groups[-1][0] / len(groups[-1][1]):
            total, more = groups.pop()
            groups[-1][0] += total
            groups[-1][1] = groups[-1][1] + more
    return {member: math.exp(total / len(of)) for total, of in groups for member in of}


def table():
    cpu, gpu = load("xeon-16/cost.json"), load("h200/compare.json")
    points = {row["stencil"].split("/")[0]: row["points"] for row in gpu["results"] if row["role"] == "best"}
    columns = []
    for instruction_set in SETS:
        columns.append([cpu_costs(cpu, instruction_set, precision) for precision in PRECISIONS])
    columns.append([old_gpu_costs(load(f"h200/kernels-{precision}.json")) for precision in PRECISIONS])
    columns.append([gpu_costs(gpu, precision) for precision in PRECISIONS])
    for column in columns:
        for i, costs in enumerate(column):
            column[i] = {}
            for name in dict.fromkeys(map(family, points)):
                members = [(member, points[member]) for member in points if family(member) == name]
                column[i].update(rising(filled(costs, members, points), members))
    return [(member, [[column[0][member], column[1][member]] for column in columns]) for member in points]


def text():
    lines = [
        "// Written by bench/cost_table.py from the measurements under bench/results/: do not edit.",
        '#include "engine/planning/cost_table.hpp"', "", "namespace fdtd {", "namespace {", "",
        "// CTPN over the triad's, f32 and f64: CPU with AVX-512, with AVX2, without, GPU below 9.0, GPU 9.0 or higher.",
        "// clang-format off", "constexpr CostRow rows[] = {"
    ]
    for member, classes in table():
        cells = ", ".join("{{" + ", ".join(f"{cost:.2f}" for cost in pair) + "}}" for pair in classes)
        lines.append(f'  {{"{member}", {{{{{cells}}}}}}},')
    return "\n".join(lines + [
        "};", "// clang-format on", "", "}  // namespace", "",
        "std::span<const CostRow> cost_rows() { return rows; }", "", "}  // namespace fdtd", ""
    ])


def main():
    if sys.argv[1:] == ["--check"]:
        if not OUT.exists() or OUT.read_text() != text():
            sys.exit(f"{OUT.relative_to(ROOT)} is not what the data say: run python3 bench/cost_table.py")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        OUT.write_text(text())


if __name__ == "__main__":
    main()
