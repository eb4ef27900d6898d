"""Tables of errors: eigenfrequencies, turned and furnished rooms, levels (bench/tables.py)."""

import math

from pages.page import load, table, text, times


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
                f" centre (`bench/rooms/turned_box.py`, {page.data(path)}):") + table(
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
                f" (`bench/rooms/furnished.py`, {page.data(path)}):") + table(
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
