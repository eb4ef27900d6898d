#!/usr/bin/env python3
"""Makes engine/planning/costs/cost_table_data.cpp, by which stencil = "auto" decides, from the data under bench/results/.

    python3 bench/cost_table.py            rewrites the file
    python3 bench/cost_table.py --check    fails when it is not what the data say

A cost is CTPN over the CTPN of the leapfrog triad, so figures of machines of different speed are comparable.

    CPU classes              xeon-16/cost.json (bench_cost): the faster of one step a sweep and several, over the median
                             triad of all rows of that precision
    GPU, 9.0 or higher       h200/compare.json (fdtd bench --device cuda), role best: triad of the same run; geometric
                             mean over the grids
    GPU, below 9.0           h200/kernels-f32.json and -f64.json: the fastest kernel without bulk tensor copies (flat,
                             star_march, plane_sums), on an H200: no older GPU was measured

Two rules remove what noise is left. A larger member of a family costs no less than a smaller one: violators that
follow each other are pooled to their geometric mean (isotonic regression of log cost over points). A member without a
figure takes one from its neighbours in points, of its family or, for compact and box, of both, by a power of the
points; below the smallest it takes that one's.

The cost of walls in a step, in triads a face of the grid's voxels that lies on a wall, of boxes and of meshes:

    extra = cost x (1 / of_bare - 1) x nodes / faces

of whole rooms (fdtd profile SCENE), where of_bare is the speed of the room's step over that of the bare kernel of the
same run, cost the figure above, and faces a box's own, or sum (|nx| + |ny| + |nz|) area / spacing^2 over the triangles
of the mesh, each counted once; the mean of a member's records, and less than 1 counts as 1.

    CPU classes              boxes: xeon-16/rooms.json and xeon-2/room-and-hall.json (bench/room.toml at 0.095 and 0.12 m);
                             meshes: xeon-2/hall.json (bench/hall.toml at 0.07 m, one thread); with AVX-512 alone, the
                             other classes take these figures
    GPU classes              boxes: h200/rooms.json (bench/room.toml); meshes: h200/meshes.json (bench/hall.toml at 0.03
                             and 0.057 m); GPUs below 9.0 take the same figures

The two rules hold for these too; beyond the largest known member the power is that which fits all known ones best.
Where f64 lacks all figures, those of f32 hold, and a mesh's walls cost no less than a box's. Standard library only.
"""

import json
import math
import statistics

from generated_table import ROOT, write_or_check

RESULTS = ROOT / "bench" / "results"
OUT = ROOT / "engine" / "planning" / "costs" / "cost_table_data.cpp"
PRECISIONS = ("f32", "f64")
SETS = ("AVX-512", "AVX2", "baseline")  # the order of DeviceClass
WITHOUT_COPIES = ("flat", "star_march", "plane_sums")
HALL = ROOT / "scenes" / "examples" / "hall.obj"  # bench/hall.toml
LEAST_EXTRA = 1.0  # triads a face


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


def slope(known):
    """The power of the points that fits (points, cost) best, at least 0."""
    x, y = ([math.log(pair[i]) for pair in known] for i in (0, 1))
    spread = sum((one - statistics.fmean(x))**2 for one in x)
    return max(0.0, sum((a - statistics.fmean(x)) * b for a, b in zip(x, y)) / spread)


def filled(costs, members, points_of, beyond=None):
    """Costs of all members of one family, of which some are known; beyond: the power from the largest known on, if not
    that of the last two."""
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
        if beyond is not None and points > known[-1][0]:
            full[member] = known[-1][1] * (points / known[-1][0])**beyond(known)
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


def mesh_of(path):
    """Vertices of an OBJ file, and its polygons as lists of vertices."""
    vertices, polygons = [], []
    for line in path.read_text().splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            vertices.append([float(word) for word in words[1:4]])
        elif words[:1] == ["f"]:
            polygons.append([vertices[int(word.split("/")[0]) - 1] for word in words[1:]])
    return vertices, polygons


def across(polygons):
    """The area of polygons seen along each axis, summed over their triangles."""
    area = [0.0, 0.0, 0.0]
    for corners in polygons:
        for b, c in zip(corners[1:], corners[2:]):
            u, v = ([q - p for q, p in zip(corner, corners[0])] for corner in (b, c))
            for d in range(3):
                area[d] += abs(u[d - 2] * v[d - 1] - u[d - 1] * v[d - 2]) / 2.0
    return area


def faces_of(row, scene):
    nx, ny, nz = row["grid"]
    if scene == "bench/room.toml":
        return 2.0 * (nx * ny + nx * nz + ny * nz)
    vertices, polygons = mesh_of(HALL)
    h = [(max(v[d] for v in vertices) - min(v[d] for v in vertices)) / row["grid"][d] for d in range(3)]
    return sum(area * h[d] / math.prod(h) for d, area in enumerate(across(polygons)))


def extras(rows, costs):
    """Triads a face by member, of rooms whose scene is given; costs: of members, f32 and f64."""
    found = [{}, {}]
    for row, scene in rows:
        precision, member = PRECISIONS.index(row["precision"]), row["stencil"].split("/")[0]
        extra = costs[precision][member] * (1.0 / row["of_bare"] - 1.0) * row["nodes"] / faces_of(row, scene)
        found[precision].setdefault(member, []).append(extra)
    return [{member: max(LEAST_EXTRA, statistics.fmean(one)) for member, one in of.items()} for of in found]


def in_scene(path, scene):
    return [(row, scene) for row in load(path)["results"] if row.get("scene", scene) == scene]


def filled_extras(costs, points):
    full = {}
    for name in dict.fromkeys(map(family, points)):
        members = [(member, points[member]) for member in points if family(member) == name]
        full.update(rising(filled(costs, members, points, slope), members))
    return full


def wall_columns(columns, points):
    """Of each class [f32, f64] of (box, mesh) by member."""
    room, hall = "bench/room.toml", "bench/hall.toml"
    boxes = in_scene("xeon-16/rooms.json", room) + in_scene("xeon-2/room-and-hall.json", room)
    sources = {"cpu": (boxes, in_scene("xeon-2/hall.json", hall)),
               "gpu": (in_scene("h200/rooms.json", room), in_scene("h200/meshes.json", hall))}  # yapf: disable
    made = {}
    for kind, costs in (("cpu", columns[0]), ("gpu", columns[-1])):
        kinds = []
        for rows in sources[kind]:
            by_precision = extras(rows, costs)
            if not by_precision[1]:
                by_precision[1] = by_precision[0]
            kinds.append([filled_extras(one, points) for one in by_precision])
        made[kind] = [{member: (box[member], max(box[member], mesh[member])) for member in points}
                      for box, mesh in zip(*kinds)]
    return [made["cpu"]] * len(SETS) + [made["gpu"]] * 2


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
    walls = wall_columns(columns, points)
    return [(member, [[column[0][member], column[1][member]] for column in columns],
             [[column[0][member], column[1][member]] for column in walls]) for member in points]


def text():
    lines = [
        "// Written by bench/cost_table.py from the measurements under bench/results/: do not edit.",
        '#include "engine/planning/costs/cost_table.hpp"', "", "namespace fdtd {", "namespace {", "",
        "// CTPN over the triad's, f32 and f64: CPU with AVX-512, with AVX2, without, GPU below 9.0, GPU 9.0 or higher; then,",
        "// of the same, triads a face of the walls of a box and of a mesh.",
        "// clang-format off", "constexpr CostRow rows[] = {"
    ]
    for member, classes, walls in table():
        cells = ", ".join("{{" + ", ".join(f"{cost:.2f}" for cost in pair) + "}}" for pair in classes)
        faces = ", ".join("{{" + ", ".join(f"{{{box:.0f}, {mesh:.0f}}}" for box, mesh in pair) + "}}" for pair in walls)
        lines.append(f'  {{"{member}", {{{{{cells}}}}},\n   {{{{{faces}}}}}}},')
    return "\n".join(lines + [
        "};", "// clang-format on", "", "}  // namespace", "",
        "std::span<const CostRow> cost_rows() { return rows; }", "", "}  // namespace fdtd", ""
    ])


if __name__ == "__main__":
    write_or_check(OUT, text, __doc__)
