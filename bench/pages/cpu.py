"""Tables of speed and costs on CPUs, and those that GPUs have as well (bench/tables.py)."""

import statistics

from pages.page import load, machines, member, table, text, times


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
                      " and the limit that sets it (computed again from these times by `fdtd bench --times`):")
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


def cpu_rays(page):
    """Rates of the tree of triangles beside Embree's, and of traces."""
    path = "epyc-2/rays.json"
    data = load(path)
    return text(
        f"Millions of segments a second on one core of {data['processor']} (`{data['command']}`, {page.data(path)}): the tree"
        " of triangles in double precision, Embree in single precision with its robust flag, and traces of one octave with"
        " 1, 10, 100 and 500 receivers.") + table(
            ["triangles", "tree", "Embree", "of Embree", "1", "10", "100", "500", "MB"], [[
                row["triangles"], row["tree"], row["embree"], f"{100 * row['tree'] / row['embree']:.0f} %",
                *(row[f"trace_{count}"] for count in (1, 10, 100, 500)), f"{row['tree_bytes'] / 2**20:.1f}"
            ] for row in data["rows"]])
