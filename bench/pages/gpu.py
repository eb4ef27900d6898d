"""Tables of speed and costs on GPUs, and of several GPUs (bench/tables.py)."""

import math

from pages.cpu import costs, rooms
from pages.page import load, machines, member, table, text, times

SHOWN = ("leggy-1", "leggy-2", "leggy-3", "leggy-4", "leggy-8", "leggy-20", "compact-2", "compact-3", "compact-5",
         "compact-6", "compact-22", "box-222", "box-333")  # of the catalogue, in the tables of a GPU
BRIEF = ("leggy-1", "leggy-2", "leggy-4", "leggy-8", "compact-3", "box-222")  # in the README


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
            " and the limit that sets it (computed again from these times by `fdtd bench --times`):") + costs(data)
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
