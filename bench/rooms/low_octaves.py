#!/usr/bin/env python3
"""Low octaves of a measured room: how much of the differences walls may explain, by kinds of unknowns.

    python3 bench/rooms/low_octaves.py build/release/cli/fdtd ../shared/data/rooms/bras_cr2 --unknowns scan \\
        --from fitted.toml -o bench/results/low-octaves.json

`fit`: `fdtd fit` of scene_initial.toml, waves to --to Hz, with --hold, --spread, --common-spread and --runs. `octaves`: Gauss-Newton by itself, of
absorption exponents by material in the octaves of 63, 125 and 250 Hz, a Jacobian of finite differences at every step.
`scan`: the absorption of --from, and beside it, of one material at a time, one weakly damped admittance of --reactance at 63 Hz, an
inertance (as of a pane) or a spring (as of an air gap), which moves the frequencies of modes; for each the absorption is
refitted by one linear step, and the two best are run. The objective is that of a fit: T20, EDT and C80 of the pairs in just noticeable differences or in
spreads between pairs, whichever are larger, and the prior, scene_initial.toml's absorption within a factor of 2. In `octaves`
and `scan` a material is a sum of resonators at thirds, Q = 4, whose conductance is that of the absorption, and the grid is
fixed. Results are put into the document in place of those of the same unknowns. Needs NumPy and SciPy.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import sys
import tempfile
import tomllib

import numpy as np
import scipy.optimize

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # of studies without rooms, too
from room_studies import begun_document, run, write  # noqa: E402

OCTAVES = (63, 125, 250)
FIGURES = ("T20", "EDT", "C80")
THIRDS = np.array([50, 63, 80, 100, 125, 160, 200, 250, 315])
RESONATORS = np.array([31.5, 40, *THIRDS, 400, 500])
QUALITY = 4.0
PANEL, LAYER, WEAK = 20.0, 800.0, 10.0  # resonances (Hz) of the inertance and of the spring, beyond the octaves; their Q
DURATION = 1.8  # s: decays of 2 s by 54 dB
FIELDS = ("results[]: unknowns, the source that was held out, waves_to (Hz), runs of the program, the objective, an octave (Hz) and a figure; means of "
          "|run - measured| over the pairs that were fitted and those held out, in just noticeable differences.")


def exponent_log(alpha):
    return np.log(-np.log1p(-np.asarray(alpha, float)))


def diffuse_absorption(admittance):
    """Of a real admittance, at random incidence."""
    y = np.asarray(admittance, float)
    return 8 * y * (1 + y / (1 + y) - 2 * y * np.log1p(1 / y))


def resonator(mass, frequency):
    """A branch of weak damping, far from its resonance a lossless one."""
    omega = 2 * np.pi * frequency
    return {"D": mass, "E": mass * omega / WEAK, "F": mass * omega**2}


def branches_of(alpha, reactance):
    """A material's branches, from alpha by third and the admittance of a spring (above 0) or an inertance at 63 Hz."""
    known = np.geomspace(1e-5, 0.6, 4000)
    admittance = np.interp(alpha, diffuse_absorption(known), known)
    frequencies = np.geomspace(40, 500, 120)
    target = np.exp(np.interp(np.log(frequencies), np.log(THIRDS), np.log(admittance)))
    ratio = frequencies[:, None] / RESONATORS[None, :]
    conductance = 1 / (1 + (QUALITY * (ratio - 1 / ratio))**2)
    weights, _ = scipy.optimize.nnls(conductance / target[:, None], np.ones(len(frequencies)))
    found = []
    for frequency, weight in zip(RESONATORS, weights):
        if weight > 1e-7:
            omega = 2 * np.pi * frequency
            found.append({"D": QUALITY / weight / omega, "E": 1 / weight, "F": QUALITY / weight * omega})
    omega = 2 * np.pi * 63
    if reactance < -1e-5:
        found.append(resonator(-1 / (omega * reactance) / (1 - (PANEL / 63)**2), PANEL))
    if reactance > 1e-5:
        found.append(resonator(omega / reactance / (1 - (63 / LAYER)**2) / (2 * np.pi * LAYER)**2, LAYER))
    return "[" + ", ".join("{ " + ", ".join(f"{key} = {value:.8g}" for key, value in one.items()) + " }" for one in found) + "]"


class Room:
    """Runs of the measured room, and their figures in steps of one just noticeable difference."""

    def __init__(self, options):
        self.program, self.folder, self.highest, self.threads = options.program, options.folder, options.to, options.threads
        self.jobs = options.jobs
        folder, hold = options.folder, options.hold
        self.scene = tomllib.loads((folder / "scene_initial.toml").read_text(encoding="utf-8"))
        document = json.loads((folder / "measured.json").read_text(encoding="utf-8"))
        bands = document["bands_hz"]
        self.rows = [(octave, figure, *pair.split(" ")) for octave in OCTAVES for figure in FIGURES for pair in document["pairs"]]
        self.raw = np.array([document["pairs"][f"{source} {receiver}"][figure.lower()][bands.index(octave)] or np.nan
                             for octave, figure, source, receiver in self.rows], float)
        self.measured = self.steps(self.raw)
        self.held = np.array([source == hold for _, _, source, _ in self.rows])
        self.deviation = np.ones(len(self.rows))
        for octave in OCTAVES:
            for figure in FIGURES:
                here = self.where(octave, figure)
                self.deviation[here] = max(1.0, np.nanstd(self.measured[here & ~self.held], ddof=1))
        self.runs = 0

    def where(self, octave, figure=None):
        return np.array([row[0] == octave and figure in (None, row[1]) for row in self.rows])

    def steps(self, values):
        is_time = np.array([row[1] != "C80" for row in self.rows])
        return np.where(is_time, np.log(np.where(is_time, values, 1.0)) / np.log(1.05), values)

    def figures_of(self, list_of_materials):
        """The figures of a run with each, --jobs at a time."""
        self.runs += len(list_of_materials)
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            return list(pool.map(self.figures, list_of_materials))

    def figures(self, materials):
        with tempfile.TemporaryDirectory() as name:
            return self.figures_in(pathlib.Path(name), materials)

    def figures_in(self, scratch, materials):
        shutil.copy(self.folder / self.scene["room"]["mesh"], scratch)
        air = ", ".join(f"{key} = {str(value).lower()}" for key, value in self.scene["air"].items())
        text = (f"schema = 1\nsimulation = {{ duration = {DURATION}, stencil = \"leggy-2/warp03\", "
                f"grid_spacing = {83.0 / self.highest:.4g}, wall_error = 0.05 }}\n"
                f"above.method = \"none\"\nair = {{ {air} }}\nroom.mesh = \"{self.scene['room']['mesh']}\"\n")
        for kind in ("source", "receiver"):
            for one in self.scene[kind]:
                text += f"[[{kind}]]\nname = \"{one['name']}\"\nposition = {one['position']}\n"
        for name, branches in materials.items():
            text += f"[materials.{name}]\nbranches = {branches}\n"
        (scratch / "scene.toml").write_text(text, encoding="utf-8")
        run(self.program, ["run", str(scratch / "scene.toml"), "-o", str(scratch / "out"), "--force", "--json", "--quiet",
                           "--threads", str(self.threads)], None)
        match = run(self.program, ["match", str(scratch / "out"), str(self.folder / "measured.json"), "--json"], None)
        found = {(octave["centre"], one["figure"], pair["source"], pair["receiver"]): one["run"]
                 for pair in match["pairs"] for octave in pair["octaves"] for one in octave["figures"]}
        values = [found.get(row) for row in self.rows]
        return self.steps(np.array([np.nan if one is None else one for one in values], float))

    def differences(self, steps):
        """In just noticeable differences, of which 5 % of a time is one."""
        is_time = np.array([row[1] != "C80" for row in self.rows])
        return np.where(is_time, (np.where(is_time, 1.05**np.where(is_time, steps, 0.0), 0.0) - self.raw) / (0.05 * self.raw),
                        steps - self.raw)


class Unknowns:
    """Absorption exponents by material and octave, as a vector."""

    def __init__(self, scene, begin=None):
        self.names = list(scene["materials"])
        self.prior = self.vector(scene)
        self.spread = np.full(len(self.prior), np.log(2.0))
        # The sum of all absorption, about: what any fit finds first.
        self.first = self.vector(begin) if begin else self.prior + np.tile(np.log([2.1, 1.9, 1.0]), len(self.names))

    def vector(self, scene):
        tables = [scene["materials"][name]["absorption"] for name in self.names]
        return exponent_log([[one["alpha"][one["bands"].index(octave)] for octave in OCTAVES] for one in tables]).ravel()

    def materials(self, x, reactance=None):
        """The branches of each; `reactance`: a name and an admittance."""
        alpha = np.clip(-np.expm1(-np.exp(x.reshape(len(self.names), 3))), 1e-4, 0.85)
        return {name: branches_of(np.repeat(alpha[m], 3), reactance[1] if reactance and reactance[0] == name else 0.0)
                for m, name in enumerate(self.names)}


def objective(room, unknowns, x, figures):
    left = ((figures - room.measured) / room.deviation)[~room.held]
    return np.nansum(left**2) + np.sum(((x - unknowns.prior) / unknowns.spread)**2)


def jacobian(room, unknowns, x, figures):
    """By finite differences; octaves are nearly independent, and are probed together."""
    slopes = np.zeros((len(room.rows), len(x)))
    steps = [np.where(np.arange(len(x)) // 3 == m, 0.3, 0.0) for m in range(len(unknowns.names))]
    for m, probed in enumerate(room.figures_of([unknowns.materials(x + step) for step in steps])):
        for o, octave in enumerate(OCTAVES):
            here = room.where(octave)
            slopes[here, 3 * m + o] = (probed - figures)[here] / 0.3
    return slopes


def best_step(room, unknowns, x, figures, slopes, reach):
    """Of the linear model."""
    used = ~room.held & np.isfinite(figures) & np.isfinite(room.measured) & np.isfinite(slopes).all(axis=1)
    weight = 1 / room.deviation[used]
    left = np.vstack([slopes[used] * weight[:, None], np.diag(1 / unknowns.spread)])
    right = np.concatenate([(room.measured - figures)[used] * weight, (unknowns.prior - x) / unknowns.spread])
    return scipy.optimize.lsq_linear(left, right, (-reach, reach)).x


def stepped(room, unknowns, x, figures):
    """A step of Gauss-Newton, shortened until it is better; nothing where none is."""
    slopes = jacobian(room, unknowns, x, figures)
    for reach in (1.0, 0.5, 0.2):
        there = x + best_step(room, unknowns, x, figures, slopes, reach)
        found = room.figures_of([unknowns.materials(there)])[0]
        if objective(room, unknowns, there, found) < objective(room, unknowns, x, figures):
            return there, found
    return None


def scores_of(room, figures):
    sizes = np.abs(room.differences(figures))
    for octave in OCTAVES:
        for figure in FIGURES:
            here = room.where(octave, figure)
            yield {"octave": octave, "figure": figure, "fitted": digits(np.nanmean(sizes[here & ~room.held]))} | (
                {"held": digits(np.nanmean(sizes[here & room.held]))} if room.held.any() else {})


def digits(value):
    return float(f"{value:.4g}")


def explored(options):
    """Results of Gauss-Newton."""
    room = Room(options)
    unknowns = Unknowns(room.scene)
    x = unknowns.first
    figures = room.figures_of([unknowns.materials(x)])[0]
    for _ in range(options.steps):
        better = stepped(room, unknowns, x, figures)
        if better is None:
            break
        x, figures = better
    rest = {"runs": room.runs, "objective": digits(objective(room, unknowns, x, figures))}
    return [{"unknowns": "octaves"} | rest | one for one in scores_of(room, figures)]


def scanned(options):
    """Results with the absorption of a scene, and with each reactance beside it: by the linear model after its best step, and
    of absorption alone and the two best reactances by runs there."""
    room = Room(options)
    unknowns = Unknowns(room.scene, tomllib.loads(options.begin.read_text(encoding="utf-8")))
    x = unknowns.first
    tried = [None] + [(name, sign * options.reactance) for name in unknowns.names for sign in (-1, 1)]
    runs = room.figures_of([unknowns.materials(x, one) for one in tried])
    slopes, results, objectives = jacobian(room, unknowns, x, runs[0]), [], {}
    for one, figures in zip(tried, runs):
        step = best_step(room, unknowns, x, figures, slopes, 0.5)
        there = figures + slopes @ step
        objectives[one] = objective(room, unknowns, x + step, there), x + step
        results += scores_with(reactance_name(one), room, unknowns, x + step, there)
    # The linear model's best are tried.
    best = sorted(tried[1:], key=lambda one: objectives[one][0])[:2]
    for one in [None, *best]:
        x = objectives[one][1]
        figures = room.figures(unknowns.materials(x, one))
        results += scores_with(reactance_name(one) + ", run", room, unknowns, x, figures)
    return results


def reactance_name(one):
    return f"reactance {one[1]:+g} of {one[0]}" if one else "reactance 0"


def scores_with(name, room, unknowns, x, figures):
    head = {"unknowns": name, "runs": room.runs, "objective": digits(objective(room, unknowns, x, figures))}
    print(head, flush=True)
    return [head | score for score in scores_of(room, figures)]


def fitted(options):
    """Results of `fdtd fit`."""
    with tempfile.TemporaryDirectory() as name:
        scene = shutil.copytree(options.folder, f"{name}/room") + "/scene_initial.toml"
        words = ["fit", scene, str(options.folder / "measured.json"), "-o", f"{name}/room/fitted.toml", "--folder", f"{name}/runs",
                 "--set", "above.method=none", "--set", f"simulation.max_frequency={options.to:g}", "--octaves", "63,125,250",
                 "--spread", f"{options.spread:g}", "--common-spread", f"{options.common_spread:g}", "--runs", str(options.runs), "--json"]
        document = run(options.program, words + (["--hold", options.hold] if options.hold else []), None)
    found = {}
    for one in document["scores"]:
        row = found.setdefault((one["octave"], one["figure"]), {"octave": int(one["octave"]), "figure": one["figure"]})
        row["held" if one["held"] else "fitted"] = digits(one["after"])
    common = "" if options.common_spread > 0.0 else ", by material alone"
    head = {"unknowns": f"fit, spread {options.spread:g} %{common}", "runs": document["stages"][-1]["runs"]}
    return [head | one for one in found.values()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--unknowns", choices=["fit", "octaves", "scan"], default="fit")
    parser.add_argument("--hold", default="", help="the source whose pairs are judged and not fitted")
    parser.add_argument("--to", type=float, default=355.0, help="frequency up to which waves are run, Hz")
    parser.add_argument("--steps", type=int, default=2, help="of Gauss-Newton")
    parser.add_argument("--from", dest="begin", type=pathlib.Path, help="of scan: a scene with fitted absorption")
    parser.add_argument("--reactance", type=float, default=0.02, help="of scan: admittance at 63 Hz")
    parser.add_argument("--spread", type=float, default=50.0, help="of fit: percent")
    parser.add_argument("--common-spread", type=float, default=100.0, help="of fit, of all materials together: percent")
    parser.add_argument("--runs", type=int, default=6, help="of fit, at most")
    parser.add_argument("--threads", type=int, default=0, help="of a run")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    parser.add_argument("-o", type=pathlib.Path)
    options = parser.parse_args()
    if options.unknowns == "scan" and not options.begin:
        parser.error("scan needs --from")
    found = {"fit": fitted, "octaves": explored, "scan": scanned}[options.unknowns](options)
    results = [{"unknowns": one["unknowns"], "hold": options.hold or None, "waves_to": options.to} | one for one in found]
    for one in results:
        print(one, flush=True)
    if options.o:
        document = begun_document(__doc__, options.program, "python3 bench/rooms/low_octaves.py, with the options of each result")
        before = json.loads(options.o.read_text(encoding="utf-8"))["results"] if options.o.exists() else []
        key = lambda one: tuple(one[name] for name in ("unknowns", "hold", "waves_to", "runs"))  # noqa: E731
        replaced = set(map(key, results))
        results = [one for one in before if key(one) not in replaced] + results
        write(document | {"fields": FIELDS, "results": results}, options.o)


if __name__ == "__main__":
    main()
