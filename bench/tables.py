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
    whole-band.json             fdtd run above waves alone: results[] with room, waves_to, rays, seed, octave, differences
    whole-band-auto.json        bench/whole_band.py differences: results[] with room, waves_to, rays, octave, differences
    whole-band-waves.json       bench/whole_band.py waves: rooms{} with waves_to, octaves{} of receivers{} of figures
    measured-rooms.json         bench/rooms/measured.py: runs[], results[] with absorption, waves_to, sources, octave, differences
    low-octaves.json            bench/rooms/low_octaves.py: results[] with unknowns, hold, waves_to, runs, octave, figure, fitted, held
    fit-pull.json               bench/rooms/fit_pull.py: results[] with room, materials, octave, true, fitted, error, deviation, alike
    whole-band-exact.json       bench_whole_band_exact: rows[] of part edge, rays, speech
    xeon-2/turned-box.json      bench/rooms/turned_box.py: results[] with stencil, points, over_straight
    xeon-16/furnished.json      bench/rooms/furnished.py: rooms{} with group, converged[], runs[] with stencil, kind, errors by octave
    <machine>/profile.json      fdtd profile --json, on a CPU: results[] with stencil, points, precision, grid, ctpn_ns,
                                triad_ctpn_ns, eff, kernel
    <machine>/rooms.json        fdtd profile bench/room.toml --json: results[], one document of the command each;
                                commit: of one measured again
    <machine>/meshes.json       fdtd profile bench/hall.toml --json: results[] as above with tree (before, after ...)
    <machine>/rays.json         bench_rays: rows[] with triangles, tree, embree, trace_N, tree_bytes
    <machine>/compare-f32.json  fdtd bench --json, on a CPU: costs[]
    <machine>/compare.json      fdtd bench --device cuda --json FILE: results[] with stencil, points, precision, grid,
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

import re
import sys

from pages import measured, paper
from pages.accuracy import (
    accuracy,
    accuracy_brief,
    furnished,
    level_rays,
    turned_box,
    voxelise,
)
from pages.cpu import (
    cpu_costs,
    cpu_kernels,
    cpu_meshes,
    cpu_rays,
    cpu_rooms,
    cpu_shared,
)
from pages.figures import eigenfrequency_figure, gpu_figure
from pages.gpu import (
    gpu_costs,
    gpu_counters,
    gpu_kernels,
    gpu_literature,
    gpu_meshes,
    gpu_multigrid,
    gpu_ranks,
    gpu_rooms,
    gpu_tiles,
    scaling,
    speed_brief,
)
from pages.page import ROOT, Page
from pages.whole_band import (
    auto,
    box_rays,
    edges,
    higher,
    rays,
    rooms,
    speech,
)

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
    "docs/explanation/measured-rooms.md": {
        "measured_octaves": measured.octaves,
        "measured_times": measured.times,
        "measured_published": measured.published,
        "measured_grids": measured.grids,
        "measured_low": measured.low_octaves
    },
    "docs/how-to/calibrate.md": {
        "fit_pull": measured.fit_pull
    },
    "docs/explanation/whole-band-validation.md": {
        "whole_band_rays_of_box": box_rays,
        "whole_band_edges": edges,
        "whole_band_rooms": rooms,
        "whole_band_auto": auto,
        "whole_band_higher": higher,
        "whole_band_rays": rays,
        "whole_band_speech": speech
    },
    paper.PATH: paper.BLOCKS,
    "docs/performance/cpu.md": {
        "kernels": cpu_kernels,
        "shared": cpu_shared,
        "rooms": cpu_rooms,
        "meshes": cpu_meshes,
        "costs": cpu_costs,
        "rays": cpu_rays
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
        paper.require_no_loose_figures()
        sys.exit(f"not what bench/results/ says: {', '.join(stale)}: run python3 bench/tables.py" if stale else 0)
    for path, new in stale.items():
        (ROOT / path).write_text(new)


if __name__ == "__main__":
    main()
