#!/usr/bin/env python3
"""Makes the tables and figures of README.md and docs/ from the JSON documents under bench/results/.

    python3 bench/tables.py            rewrites the pages between their markers, and the figures
    python3 bench/tables.py --check    fails when a page or a figure is not what the data say

Each table stands between <!-- name --> and <!-- /name --> (PAGES lists pages and names). Standard library only. A
folder of bench/results/ is a machine; every document has its commit, date, machine, driver and command
(cli/study/provenance.cpp writes them). Read here:

    accuracy.json               bench_accuracy
    scaling.json                bench_scaling: rows[] with stencil, gpus, weak, strong, from the model
    voxelise.json               bench_voxelise: rooms[]
    level-rays.json             bench_level_rays: results[] with room, alpha, in_sight, smooth_walls, and levels by place:
                                rays, mirrors; rays, diffuse walls; estimate; D = c lambda/3
    xeon-2/turned-box.json      bench/turned_box.py: results[] with stencil, points, over_straight
    xeon-16/furnished.json      bench/furnished.py: rooms{} with group, converged[], runs[] with stencil, kind, errors by octave
    <machine>/profile.json      fdtd profile --json, on a CPU: results[] with stencil, points, precision, grid, ctpn_ns,
                                triad_ctpn_ns, eff, kernel
    <machine>/rooms.json        fdtd profile bench/room.toml --json: results[], one document of the command each;
                                commit: of one measured again
    <machine>/meshes.json       fdtd profile bench/hall.toml --json: results[] as above with tree (before, after ...)
    <machine>/compare-f32.json  fdtd compare --json, on a CPU: costs[]
    <machine>/compare.json      fdtd compare --device cuda --json FILE: results[] with stencil, points, precision, grid,
                                kernel, role (best, kernel_a, kernel_b ...), ctpn_ns, gpts_per_second, triad_ctpn_ns,
                                eff; costs[]
    <machine>/literature.json   the same with --families literature --counters: results[] of role literature with paper,
                                redundancy{formula, declared, counted}
    <machine>/ranks.json        bench_cuda_ranks: results[] with stencil, scaling, gpus, exchange, efficiency, predicted
    <machine>/tiles.json        fdtd profile --device cuda --tiles all --json FILE: results[] with
                                prediction{best_predicted, predicted, tiles, loss_of_set, loss_of_first}
    <machine>/multigrid.json    fdtd profile --multigrid V --json: results[], one document of the command each
    <machine>/counters.json     fdtd profile --device cuda --counters --json FILE: results[] with counters{...}
"""

import json
import math
import os
import pathlib
import re
import statistics
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
SHOWN = ("leggy-1", "leggy-2", "leggy-3", "leggy-4", "leggy-8", "leggy-20", "compact-2", "compact-3", "compact-5",
         "compact-6", "compact-22", "box-222", "box-333")  # of the catalogue, in the tables of a GPU
BRIEF = ("leggy-1", "leggy-2", "leggy-4", "leggy-8", "compact-3", "box-222")  # in the README


def load(path):
    return json.loads((RESULTS / path).read_text())


def member(one):
    return one["stencil"].split("/")[0]


def times(grid):
    return " x ".join(map(str, grid))


def table(heads, rows):
    return (["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)] +
            ["| " + " | ".join(map(str, row)) + " |" for row in rows] + [""])


class Page:
    """A page, and how it links to files of the repository."""

    def __init__(self, path):
        self.path = path

    def link(self, text, path):
        return f"[{text}]({os.path.relpath(ROOT / path, (ROOT / self.path).parent)})"

    def data(self, path):
        return self.link("data", f"bench/results/{path}")

    def origin(self, document, path):
        commit = f" at {document['commit']}" if document["commit"] else ""
        return f"`{document['command']}`{commit} on {document['date']} ({self.data(path)})"


def text(*sentences):
    """A paragraph; links keep together."""
    return textwrap.wrap(" ".join(sentences), 118, break_long_words=False, break_on_hyphens=False) + [""]


def machines(name):
    """The machines with a document of that name, in order."""
    return sorted(path.parent.name for path in RESULTS.glob(f"*/{name}"))


# --- accuracy -------------------------------------------------------------------------------------------------------


def scheme(one):
    return one["stencil"] + (", time dispersion removed" if one["time_dispersion_removal"] else "")


def eigenfrequencies(page, wanted=None):
    """Eigenfrequency errors: a row a scheme, a column a grid."""
    grids, rows = [], {}
    for one in load("accuracy.json")["results"]:
        if times(one["grid"]) not in grids:
            grids.append(times(one["grid"]))
        rows.setdefault((scheme(one), one["points"]), {})[times(one["grid"])] = one["error"]
    return table(["stencil", "points"] + [f"{grid} cells" for grid in grids],
                 [[name, points] + [f"{errors[grid]:.1e}" for grid in grids]
                  for (name, points), errors in rows.items() if wanted is None or name in wanted])


def accuracy(page):
    return text(
        "Rigid 5 : 4 : 3 box on the grid, walls included: largest relative error of the first 20 eigenfrequencies"
        f" against the exact ones (`bench_accuracy`, {page.data('accuracy.json')}).") + eigenfrequencies(page)


def accuracy_brief(page):
    return eigenfrequencies(page, ("leggy-1/taylor", "leggy-4/taylor", "leggy-4/opt1",
                                   "leggy-4/taylor, time dispersion removed", "compact-5/opt1", "box-222/opt1"))


def voxelise(page):
    data = load("voxelise.json")
    return text(f"{data['triangles']} triangles on {data['machine']} (`bench_voxelise`, {page.data('voxelise.json')}):"
                ) + table(["voxels", "air", "wall faces", "seconds", "bytes a voxel at most"], [[
                    f"{room['voxels']:.2g}", f"{room['air']:.2g}", f"{room['faces']:.2g}", f"{room['seconds']:.2f}",
                    f"{room['bytes_a_voxel']:.1f}"
                ] for room in data["rooms"]])


def turned_box(page):
    """The smallest and the largest ratio of T20 by points a wavelength, turns together."""
    path = "xeon-2/turned-box.json"
    data, columns, rows = load(path), {}, {}
    for one in data["results"]:
        for octave, points in one["points"].items():
            ratios = [turn[octave] for turn in one["over_straight"].values() if octave in turn]
            columns[points] = rows.setdefault(one["stencil"], {})[points] = f"{min(ratios):.3f} to {max(ratios):.3f}"
    heads = sorted(columns, reverse=True)
    return text("T20 of a box of 5 x 4 x 3 m as a mesh, turned about z by 30 degrees, and about z and x by 45 and 35 and by"
                " 20 and 50 degrees, over that of the straight box, means of"
                f" {data['receivers']} receivers, least to largest of the turns, by points a wavelength at the octave's"
                f" centre (`bench/turned_box.py`, {page.data(path)}):") + table(
                    ["stencil"] + [f"{points:g} points" for points in heads],
                    [[name] + [cells.get(points, "") for points in heads] for name, cells in rows.items()])


def furnished(page):
    """The largest errors of each stencil at its planned grid, over octaves, by room."""
    path = "xeon-16/furnished.json"
    data, rows, names = load(path), {}, []
    for name, room in data["rooms"].items():
        names.append(name)
        for one in room["runs"]:
            if one["kind"] != "planned":
                continue
            if "refused" in one:
                rows.setdefault(one["stencil"], {})[name] = "refused"
                continue
            limit = one["limits"].get("geometry", math.inf)
            if any("T20" not in octave for octave in one["errors"].values()):
                cell = f"to {limit:.0f} Hz"
            else:
                worst = [max(abs(octave[figure]) for octave in one["errors"].values()) for figure in ("T20", "EDT", "C50", "G")]
                cell = "{:.0f}, {:.0f} %; {:.1f}, {:.1f} dB".format(100 * worst[0], 100 * worst[1], *worst[2:])
            rows.setdefault(one["stencil"], {})[name] = cell
    return text("Largest error of T20 and EDT (%), C50 and G (dB) in the octaves of 125 to 500 Hz, means over the receivers, on the"
                " grid planned for 750 Hz against converged runs; `to`: the plan promises less, and responses end there; refused: no octave is left"
                f" (`bench/furnished.py`, {page.data(path)}):") + table(
                    ["room"] + list(rows), [[name] + [cells.get(name, "") for cells in rows.values()] for name in names])


def level_rays(page):
    data = load("level-rays.json")

    def largest(one, model):
        pairs = [zip(one[model], one[f"rays, {walls}"]) for walls in ("mirrors", "diffuse walls")]
        return ", ".join(f"{max(abs(a - b) for a, b in levels):.1f}" for levels in pairs)

    rows, before = [], None
    for one in data["results"]:
        rows.append([
            "" if one["room"] == before else one["room"], one["alpha"], f"{100 * one['in_sight']:.0f} %",
            "smooth" if one["smooth_walls"] else "scatter",
            largest(one, "estimate"),
            largest(one, "D = c lambda/3")
        ])
        before = one["room"]
    return text(f"Largest differences in dB from {data['command'].split()[1]} rays a room, walls as mirrors, walls by "
                f"Lambert's law (`bench_level_rays`, {page.data('level-rays.json')}):") + table(
                    ["room", "α", "in sight", "G takes walls that", "estimate", "D = cλ/3 everywhere"], rows)


# --- speed ----------------------------------------------------------------------------------------------------------


def speed_brief(page):
    """The README's: the bare kernel and a whole room on the GPU, the bare kernel on the CPU; f32."""
    gpu, cpu = load("h200/compare.json"), load("xeon-16/profile.json")
    cases = gpu_cases(gpu["results"])
    largest = max((grid for precision, grid in cases if precision == "f32"), key=math.prod)
    rooms_of = {member(one): one for one in load("h200/rooms.json")["results"] if one["precision"] == "f32"}
    cpus = {member(one): one for one in cpu["results"] if one["precision"] == "f32"}
    rows = []
    for name in BRIEF:
        best = cases["f32", largest][name]["best"]
        rows.append([
            name, best["points"], f"{best['gpts_per_second']:.0f}", f"{best['eff']:.2f}",
            f"{rooms_of[name]['gpts_per_second']:.0f}", f"{cpus[name]['gpts_per_second']:.1f}",
            f"{cpus[name]['eff']:.2f}"
        ])
    return table([
        "stencil", "points", "H200, Gpts/s", "of its triad", "H200, room with walls, Gpts/s", "16 cores, Gpts/s",
        "of their triad"
    ], rows)


def cpu_kernels(page):
    lines = []
    for machine in machines("profile.json"):
        data = load(f"{machine}/profile.json")
        lines += text(
            f"{data['machine']}, {times(data['results'][0]['grid'])} nodes,"
            f" {page.origin(data, machine + '/profile.json')}. The roof is the in-place leapfrog triad of the same"
            " run, timed in turn with each stencil; several steps a sweep exceed it.")
        lines += table(["stencil", "points", "precision", "CTPN, ns", "Gpts/s", "triad CTPN, ns", "eff", "kernel"], [[
            member(one), one["points"], one["precision"], f"{one['ctpn_ns']:.4f}", f"{one['gpts_per_second']:.2f}",
            f"{one['triad_ctpn_ns']:.4f}", f"{one['eff']:.2f}", one["kernel"].split("kernel ")[1]
        ] for one in data["results"]])
    return lines


def cpu_shared(page):
    """A later tree, measured while others used the machine."""
    lines = []
    for machine in machines("shared-machine.json"):
        data = load(f"{machine}/shared-machine.json")
        lines += text(f"A later tree, the machine {data['machine'].split(', ')[-1]},"
                      f" {page.origin(data, machine + '/shared-machine.json')}, each row with a search of its own:")
        lines += table(["stencil", "precision", "CTPN, ns", "triad CTPN, ns", "eff", "kernel"], [[
            member(one) +
            (f" (at {one['commit']})" if "commit" in one else ""), one["precision"], f"{one['ctpn_ns']:.4f}",
            f"{one['triad_ctpn_ns']:.4f}", f"{one['eff']:.2f}", one["kernel"].split("kernel ")[1]
        ] for one in data["results"]])
    return lines


def rooms(page, machine):
    """Whole rooms, all in: walls, receivers and an energy balance now and then."""
    data = load(f"{machine}/rooms.json")
    first = data["results"][0]
    lines = text(
        f"A whole room of {times(first['grid'])} nodes ({page.link('bench/room.toml', 'bench/room.toml')}: impedance"
        f" on all walls, {first['sources']} sources, {first['receivers']} receivers, an energy balance every"
        f" {first['energy_interval']} steps), {page.origin(data, machine + '/rooms.json')}:")
    return lines + table(
        ["stencil", "precision", "bare kernel, Gpts/s", "step with walls", "all in", "all in over bare", "eff"], [[
            member(one) + (f" (again, at {one['commit']})" if "commit" in one else ""), one["precision"],
            f"{1 / one['bare']['ctpn_ns']:.1f}", f"{1 / one['step_ctpn_ns']:.1f}", f"{one['gpts_per_second']:.1f}",
            f"{one['of_bare']:.2f}", f"{one['eff']:.2f}"
        ] for one in data["results"]])


def cpu_rooms(page):
    return [
        line for machine in machines("profile.json") if machine in machines("rooms.json")
        for line in rooms(page, machine)
    ]


def cpu_meshes(page):
    """Rooms before and after a change of how rows beside oblique walls, and edges, are worked."""
    path = "xeon-2/hall.json"
    data = load(path)
    single = data["single_steps"]["results"]
    lines = text(
        f"The example hall ({page.link('bench/hall.toml', 'bench/hall.toml')}) and boxes"
        f" ({page.link('bench/room.toml', 'bench/room.toml')}) on one thread of {data['machine']},"
        f" {page.origin(data, path)}. Medians of several rounds, before and after in turns; single steps:"
        " `--kernel sliding_window` for room and bare kernel.")
    of_any = [dict(one, tree="after") for one in data["results"]] + [dict(one, tree="before") for one in data["before"]]
    cells = {}
    for steps, rows in (("single", single), ("any", of_any)):
        for one in rows:
            key = (one["scene"], tuple(one["grid"]), steps, one["precision"], member(one))
            cells.setdefault(key, {}).setdefault(one["tree"], []).append(one)

    def medians(trees, name):
        return [
            f"{statistics.median(one[name] for one in trees[tree]):.2f}" if tree in trees else ""
            for tree in ("before", "after")
        ]

    return lines + table(["scene", "grid", "steps", "stencil", "precision", "rounds"] +
                         [f"of bare, {tree}" for tree in ("before", "after")] +
                         [f"eff, {tree}" for tree in ("before", "after")], [[
                             scene.removeprefix("bench/").removesuffix(".toml"), times(grid), steps, name, precision,
                             str(len(trees["after"]))
                         ] + medians(trees, "of_bare") + medians(trees, "eff")
                                                                            for (scene, grid, steps, precision,
                                                                                 name), trees in cells.items()])


def cpu_costs(page):
    """The cost of an accuracy: the best of each family."""
    lines = []
    for machine in machines("compare-f32.json"):
        data = load(f"{machine}/compare-f32.json")
        lines += text("Seconds of computing for a second of sound in 100 m3 up to 1 kHz, the best of each family, by"
                      f" {page.origin(data, machine + '/compare-f32.json')}, before several steps a sweep; with walls of plasterboard and what they add to a step, on the grid that all limits need,"
                      " and the limit that sets it (computed again from these times by `fdtd compare --times`):")
        lines += costs(data)
    return lines


def costs(data):
    rows = []
    for error in sorted({cost["dispersion_error"] for cost in data["costs"]}, reverse=True):
        row = [f"{100 * error:g} %"]
        for family in ("leggy", "compact", "box"):
            # Stencils that miss a limit are last in their family.
            best = next((c for c in data["costs"] if c["dispersion_error"] == error and c["family"] == family), None)
            row.append(f"{best['seconds']:.3g} s, {best['stencil']} ({best['limited_by']})"
                       if best else "none reaches it")
        rows.append(row)
    return table(["dispersion error", "leggy", "compact", "box"], rows)


def gpu_cases(results):
    """Results by precision and grid, in the document's order: {(precision, grid): {stencil: {role: result}}}."""
    cases = {}
    for one in results:
        case = cases.setdefault((one["precision"], tuple(one["grid"])), {})
        case.setdefault(member(one), {})[one["role"]] = one
    return cases


ROLES = {"kernel_a": "KernelA", "kernel_b": "KernelB"}


def gpu_rates(data):
    """A table a precision, of its largest grid, with the eff of the smaller ones beside it."""
    cases, lines = gpu_cases(data["results"]), []
    others = [role for role in dict.fromkeys(one["role"] for one in data["results"]) if role != "best"]
    for precision in ("f32", "f64"):
        grids = sorted((grid for p, grid in cases if p == precision), key=math.prod, reverse=True)
        if not grids:
            continue
        rows = []
        for name, roles in cases[precision, grids[0]].items():
            if name not in SHOWN or "best" not in roles:
                continue
            best = roles["best"]
            smaller = [cases[precision, grid].get(name, {}).get("best") for grid in grids[1:]]
            rows.append(
                [name, best["points"]] +
                [f"{roles[role]['gpts_per_second']:.1f}" if role in roles else "-" for role in others + ["best"]] +
                [f"{best['ctpn_ns']:.5f}", f"{best['triad_ctpn_ns']:.5f}", f"{best['eff']:.2f}"] +
                [f"{one['eff']:.2f}" if one else "-" for one in smaller] + [best["kernel"]])
        lines += [f"{precision}, {times(grids[0])} nodes:", ""]
        lines += table(["stencil", "points"] + [f"{ROLES.get(role, role)}, Gpts/s" for role in others] +
                       ["best, Gpts/s", "CTPN, ns", "triad CTPN, ns", "eff"] +
                       [f"eff, {times(grid)}" for grid in grids[1:]] + ["kernel"], rows)
    return lines


def gpu_kernels(page):
    lines = []
    for machine in machines("compare.json"):
        data = load(f"{machine}/compare.json")
        lines += text(
            f"{data['machine']}, {page.origin(data, machine + '/compare.json')}. The roof is the leapfrog triad of"
            " the same run on the same arrays; KernelA and KernelB are those of DAFx-15.")
        lines += gpu_rates(data)
    return lines


def gpu_costs(page):
    lines = []
    for machine in machines("compare.json"):
        data = load(f"{machine}/compare.json")
        lines += text(
            "Seconds of computing for a second of sound in 100 m3 up to 1 kHz, the best of each family, of the same"
            f" run ({page.data(machine + '/compare.json')}); with walls of plasterboard and what they add to a step, on the grid that all limits need,"
            " and the limit that sets it (computed again from these times by `fdtd compare --times`):") + costs(data)
    return lines


def gpu_literature(page):
    """The kernels of earlier papers beside their own figure of merit: how often u1 is read a point."""
    lines = []
    for machine in machines("literature.json"):
        data = load(f"{machine}/literature.json")
        lines += text(
            f"Kernels of Micikevicius (2009) and of Krotkiewski & Dabrowski (2013), {data['machine']},"
            f" {page.origin(data, machine + '/literature.json')}. Reads of u1 a point: by the paper's formula for the"
            " tile; as the kernel declares them, with the planes that a march reads besides its own; as Nsight Compute"
            " counts them between L2 and the multiprocessors.")
        for precision, grid in gpu_cases(data["results"]):
            shown = [one for one in data["results"] if (one["precision"], tuple(one["grid"])) == (precision, grid)]
            lines += [f"{precision}, {times(grid)} nodes:", ""]
            lines += table([
                "kernel", "stencil", "points", "tile", "Gpts/s", "CTPN, ns", "eff", "reads by formula", "declared",
                "counted"
            ], [[one["kernel"], member(one), one["points"], times(one["tile"][axis] for axis in "xyz"), f"{one['gpts_per_second']:.1f}",
                 f"{one['ctpn_ns']:.5f}", f"{one['eff']:.2f}"] +
                [f"{one['redundancy'][key]:.2f}" if key in one["redundancy"] else "-"
                 for key in ("formula", "declared", "counted")] for one in shown if "error" not in one])
    return lines


def gpu_rooms(page):
    return [
        line for machine in machines("compare.json") if machine in machines("rooms.json")
        for line in rooms(page, machine)
    ]


def gpu_tiles(page):
    lines = []
    for machine in machines("tiles.json"):
        data = load(f"{machine}/tiles.json")
        lines += text(
            f"The model of Tabik et al. against all tiles timed, {page.origin(data, machine + '/tiles.json')}:")
        rows = [(one, one["prediction"]) for one in data["results"]]
        lines += table([
            "stencil", "precision", "kernel", "tiles", "predicted", "best among them", "best predicted, slower by",
            "model's first, slower by"
        ], [[
            member(one), one["precision"], one["kernel"], p["tiles"], p["predicted"],
            "yes" if p["best_predicted"] else "no", f"{100 * p['loss_of_set']:.1f} %",
            f"{100 * p['loss_of_first']:.1f} %"
        ] for one, p in rows])
    return lines


def gpu_multigrid(page):
    lines = []
    for machine in machines("multigrid.json"):
        data = load(f"{machine}/multigrid.json")
        lines += text(f"{data['machine']}, and {data['host']}: {page.origin(data, machine + '/multigrid.json')}.")
        rows = [[
            "GPU" if one["device"] != "cpu" else "CPU",
            times(one["grid"]), "V" if one["visits"] == 1 else "W",
            f"{one['sweeps']} {one['smoother'].capitalize()}", one["cycles_to_single"],
            f"{one['convergence_factor']:.3f}", f"{1e3 * one['cycle_seconds']:.3g}",
            f"{1e3 * one['sweep_seconds']:.3g}", f"{1e3 * one['triad_seconds']:.3g}", f"{one['sweeps_per_cycle']:.1f}"
        ] for one in data["results"]]
        rows.append(["Krotkiewski, Dabrowski", "511^3", "V", "Jacobi", "6 to 7", "", "", "", "", "10 to 12"])
        lines += table([
            "", "nodes", "cycle", "sweeps before, after", "cycles to single precision", "factor", "cycle ms",
            "stencil ms", "triad ms", "cycle / stencil"
        ], rows)
    return lines


def gpu_counters(page):
    lines = []
    for machine in machines("counters.json"):
        data = load(f"{machine}/counters.json")
        lines += text(f"Bytes a point as counted by Nsight Compute, {page.origin(data, machine + '/counters.json')}:")
        rows = [(one, one["counters"]) for one in data["results"]]
        lines += table([
            "stencil", "precision", "kernel", "eff", "ideal", "DRAM", "footprint model", "L2", "L2 hits",
            "instructions", "issue slots used", "shared memory busy"
        ], [[
            member(one), one["precision"], one["kernel"], f"{one['eff']:.2f}", f"{one['declared_bytes_per_point']:g}",
            f"{c['effective_bytes_per_point']:.1f}", f"{one['footprint_bytes_per_point']:.1f}",
            f"{c['l2_bytes_per_point']:.1f}", f"{100 * c['l2_hit_rate']:.0f} %", f"{c['instructions_per_point']:.0f}",
            f"{100 * c['issue_use']:.0f} %", f"{100 * c['shared_use']:.0f} %"
        ] for one, c in rows])
    return lines


def gpu_ranks(page):
    """Several GPUs: measured, and what the model expects of more."""
    lines = []
    for machine in machines("ranks.json"):
        data = load(f"{machine}/ranks.json")
        lines += text(
            f"{data['machine']}, {data['grid']}, {page.origin(data | {'commit': ''}, machine + '/ranks.json')}."
            " Strong: the same grid on all GPUs; weak: as many nodes on each. Efficiency is over one GPU's rate"
            " times their number.")
        lines += table(
            ["stencil", "GPUs", "scaling", "exchange", "ms a step", "Gpts/s", "efficiency", "predicted", "commit"], [[
                one["stencil"], one["gpus"], one["scaling"], one["exchange"], f"{1e3 * one['seconds_per_step']:.3f}",
                f"{one['gpts_per_second']:.0f}", f"{one['efficiency']:.2f}", f"{one['predicted']:.2f}", one["commit"]
            ] for one in data["results"]])
    return lines


def gpu_meshes(page):
    """A mesh, all in, before and after a change of how its walls are worked."""
    lines = []
    for machine in machines("meshes.json"):
        data = load(f"{machine}/meshes.json")
        first = data["results"][0]
        trees = list(dict.fromkeys(one["tree"] for one in data["results"]))
        base = "after" if "after" in trees else trees[-1]  # of which the bare kernel and the triad are shown
        lines += text(
            f"The example hall ({page.link('bench/hall.toml', 'bench/hall.toml')}: oblique walls, a screen, columns,"
            f" an energy balance every {first['energy_interval']} steps), {data['machine']}, f32,"
            f" {page.origin(data, machine + '/meshes.json')}. Each eff is over the triad of its own run;"
            " \"second order\": the walls of today, whose rows are shared less" +
            (f"; \"not kept\": {page.link('what was tried', 'docs/performance/gpu-tried.md')}." if "not kept" in trees else
             "."))
        cells = {(one["nodes"], member(one), one["tree"]): one for one in data["results"]}
        lines += table(["nodes", "stencil", "bare, µs", "triad, µs"] + [f"step, {tree}, µs" for tree in trees] +
                       [f"eff, {tree}" for tree in trees], [[
                           f"{nodes:.2g}", name] + [
                               f"{nodes * after[key] * 1e-3:.0f}" if key else ""
                               for after, key in ((cells[nodes, name, base]["bare"], "ctpn_ns"),
                                                  (cells[nodes, name, base], "triad_ctpn_ns"))
                           ] + [
                               f"{nodes * cells[nodes, name, tree]['ctpn_ns'] * 1e-3:.0f}"
                               if (nodes, name, tree) in cells else "" for tree in trees
                           ] + [
                               f"{cells[nodes, name, tree]['eff']:.2f}" if (nodes, name, tree) in cells else ""
                               for tree in trees
                           ] for nodes, name in sorted({key[:2] for key in cells if key[2] == base},
                                                       key=lambda key: (-key[0], key[1]))])
    return lines


def scaling(page):
    data = load("scaling.json")
    stencils = list(dict.fromkeys(row["stencil"] for row in data["rows"]))
    cells = {(row["stencil"], row["gpus"]): row for row in data["rows"]}
    lines = text(
        f"What the model of bytes, latency and bandwidth expects of more GPUs: {data['grid']},"
        f" {data['gpus_a_machine']} GPUs a machine, {data['within']} within and {data['between']} between machines"
        f" (`bench_scaling`, {page.data('scaling.json')}). Nobody has measured these.")
    return lines + table(["GPUs"] + [f"{stencil}, {kind}" for stencil in stencils
                                     for kind in ("weak", "strong")], [[gpus] + [
                                         f"{cells[stencil, gpus][kind]:.2f}" if kind in cells[stencil, gpus] else "-"
                                         for stencil in stencils for kind in ("weak", "strong")
                                     ] for gpus in sorted({row["gpus"]
                                                           for row in data["rows"]})])


# --- figures --------------------------------------------------------------------------------------------------------

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"
           )  # Okabe and Ito's, which all eyes tell apart


def plot(title, x, y, series, roof=None):
    """Lines over two logarithmic axes as SVG. x, y: (label, ticks); series: [(name, [(x, y) ...])]; roof: (name, y)."""
    left, top, width, height = 70, 34, 560, 320

    def across(value):
        return left + width * math.log(value / x[1][0]) / math.log(x[1][-1] / x[1][0])

    def up(value):
        return top + height * (1 - math.log(value / y[1][0]) / math.log(y[1][-1] / y[1][0]))

    out = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 410" font-family="sans-serif" font-size="13">',
        '<rect width="860" height="410" fill="white"/>', f'<text x="{left}" y="20" font-size="15">{title}</text>'
    ]
    for tick in x[1]:
        out.append(f'<path d="M{across(tick):.1f} {top}v{height}" stroke="#ddd"/>'
                   f'<text x="{across(tick):.1f}" y="{top + height + 18}" text-anchor="middle">{tick:g}</text>')
    for tick in y[1]:
        out.append(f'<path d="M{left} {up(tick):.1f}h{width}" stroke="#ddd"/>'
                   f'<text x="{left - 6}" y="{up(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>')
    out.append(f'<text x="{left + width / 2}" y="{top + height + 42}" text-anchor="middle">{x[0]}</text>')
    out.append(f'<text transform="translate(16 {top + height / 2}) rotate(-90)" text-anchor="middle">{y[0]}</text>')
    if roof:
        out.append(f'<path d="M{left} {up(roof[1]):.1f}h{width}" stroke="#444" stroke-dasharray="6 4"/>'
                   f'<text x="{left + width + 8}" y="{up(roof[1]) + 4:.1f}">{roof[0]}</text>')
    for i, (name, points) in enumerate(series):
        colour = COLOURS[i % len(COLOURS)]
        path = "M" + "L".join(f"{across(a):.1f} {up(b):.1f}" for a, b in points)
        out.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{across(a):.1f}" cy="{up(b):.1f}" r="3.5" fill="{colour}"/>' for a, b in points]
        out.append(f'<path d="M{left + width + 10} {top + 60 + 20 * i}h22" stroke="{colour}" stroke-width="3"/>'
                   f'<text x="{left + width + 38}" y="{top + 64 + 20 * i}">{name}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


def eigenfrequency_figure():
    series = {}
    for one in load("accuracy.json")["results"]:
        series.setdefault(scheme(one), []).append((one["grid"][0], one["error"]))
    names = {
        "leggy-1/taylor": "7 points",
        "leggy-4/taylor": "25 points",
        "leggy-4/opt1": "25 points, optimised",
        "leggy-4/taylor, time dispersion removed": "25, time removed",
        "leggy-8/taylor, time dispersion removed": "49, time removed",
        "box-222/opt1": "125 points, optimised"
    }
    return plot("Largest error of a rigid box's first 20 eigenfrequencies",
                ("cells along the longest side", [5, 7, 10, 15]),
                ("relative error", [1e-10, 1e-8, 1e-6, 1e-4, 1e-2, 1]), [(label, series[name])
                                                                         for name, label in names.items()])


def gpu_figure():
    data = load("h200/compare.json")
    cases = gpu_cases(data["results"])
    largest = max((grid for precision, grid in cases if precision == "f32"), key=math.prod)
    case = cases["f32", largest]
    series = []
    for family, label in (("leggy", "leggy"), ("compact", "compact")):
        members = sorted((roles["best"]["points"], roles["best"]["gpts_per_second"]) for name, roles in case.items()
                         if name.startswith(family) and "best" in roles)
        series.append((f"{label}, best kernel", members))
    members = sorted((roles["kernel_a"]["points"], roles["kernel_a"]["gpts_per_second"]) for roles in case.values()
                     if "kernel_a" in roles)
    series.append(("KernelA, all families", members))
    roof = next(iter(case.values()))["best"]["triad_ctpn_ns"]
    return plot(f"Updates a second on one H200, f32, {times(largest)} nodes",
                ("points of the stencil", [7, 13, 27, 57, 125, 251, 461]),
                ("Gpts/s", [2, 5, 10, 20, 50, 100, 200, 500]), series, ("leapfrog triad", 1 / roof))


# --- pages ----------------------------------------------------------------------------------------------------------

PAGES = {
    "docs/explanation/diffusion.md": {
        "level-rays": level_rays
    },
    "README.md": {
        "accuracy": accuracy_brief,
        "speed": speed_brief
    },
    "docs/explanation/validation.md": {
        "accuracy": accuracy,
        "turned_box": turned_box,
        "furnished": furnished,
        "voxelise": voxelise
    },
    "docs/performance/cpu.md": {
        "kernels": cpu_kernels,
        "shared": cpu_shared,
        "rooms": cpu_rooms,
        "meshes": cpu_meshes,
        "costs": cpu_costs
    },
    "docs/performance/gpu.md": {
        "kernels": gpu_kernels,
        "costs": gpu_costs,
        "rooms": gpu_rooms,
        "meshes": gpu_meshes,
        "literature": gpu_literature,
        "tiles": gpu_tiles,
        "counters": gpu_counters,
        "multigrid": gpu_multigrid,
        "ranks": gpu_ranks,
        "scaling": scaling
    }
}
FIGURES = {"docs/explanation/eigenfrequencies.svg": eigenfrequency_figure, "docs/performance/h200.svg": gpu_figure}


def made():
    """Every page and figure as the data say: {path: (as it is, as it should be)}."""
    out = {}
    for path, tables in PAGES.items():
        page = new = (ROOT / path).read_text()
        for name, make in tables.items():
            if f"<!-- {name} -->" not in new:
                sys.exit(f"{path} has no <!-- {name} -->")
            body = "\n".join(make(Page(path))).rstrip() + "\n"
            new = re.sub(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", lambda m, body=body: m[1] + body + m[2], new, flags=re.S)
        out[path] = (page, new)
    for path, draw in FIGURES.items():
        out[path] = ((ROOT / path).read_text() if (ROOT / path).exists() else "", draw())
    return out


def main():
    stale = {path: new for path, (page, new) in made().items() if page != new}
    if "--check" in sys.argv[1:]:
        sys.exit(f"not what bench/results/ says: {', '.join(stale)}: run python3 bench/tables.py" if stale else 0)
    for path, new in stale.items():
        (ROOT / path).write_text(new)


if __name__ == "__main__":
    main()
