"""The figures of the paper draft, docs/paper/paper.md (bench/tables.py): every number of a result comes from here."""

import math
import re
import sys

from pages.accuracy import eigenfrequencies
from pages.gpu import gpu_cases
from pages.measured import NAMES, RAYS, finest, judged, mean_over, rows_of
from pages.page import ROOT, load, member, table, text

PATH = "docs/paper/paper.md"
PRECISIONS = {"f32": "single", "f64": "double"}
SCHEMES = ("leggy-1/taylor", "leggy-4/taylor", "leggy-4/taylor, time dispersion removed", "box-222/opt1")
NAMES_WITH_DIGITS = r"ISO 3382-1|HDF5|IEC 60268-16|C\+\+20|NVIDIA H200|leggy-\d+|SPDX|MIT"


def modes(page):
    return text("Largest relative error of the first 20 eigenfrequencies of a rigid box of 5 : 4 : 3, walls included:"
                ) + eigenfrequencies(page, SCHEMES)


def stability(page):
    data = load("stability.json")
    steps = min(one["steps"] for one in data["stencils"])
    worst = max(one["balance"] for one in data["stencils"])
    return text(f"Each of {len(data['stencils'])} stencils ran {steps} steps in a room that absorbs; the energy that was"
                f" injected, kept and absorbed balanced within {worst:.0e} in {PRECISIONS[data['precision']]} precision.")


def decays(page):
    """Means of eight receivers over exact modes, in the octaves from 250 Hz on."""
    data = load("lossy-box.json")
    ratios = [
        of[0] for one in data["results"] for octave, of in one["over_exact"]["T30"].items()
        if of and float(octave) >= 250.0
    ]
    off = 100.0 * max(abs(ratio - 1.0) for ratio in ratios)
    names = {one["stencil"] for one in data["results"]}
    return text(f"In a box with absorbing walls whose modes are known, T30 in the octaves of 250 to 1000 Hz, the mean of"
                f" {data['receivers']} receivers, was within {off:.1f} % of that of the exact modes, for {len(names)} stencils"
                f" at the grids that the program chose.")


def room(page):
    data, rows = load("measured-rooms.json"), []
    for absorption, of_rays in RAYS.items():
        run = finest(data["runs"], absorption)
        means = rows_of(data, run, judged(run))
        ours = [mean_over(means, figure, 125, 4000) for figure in ("EDT", "T30", "C80")]
        rows.append([NAMES[absorption]] + [f"{one:.1f}" for one in ours] + [f"{one:.1f}" for one in of_rays])
    return text("Seminar room CR2, waves alone: mean of |run - measured| over the octaves of 125 to 4000 Hz in just noticeable"
                " differences, beside published figures of a ray program:") + table(
                    ["absorption", "EDT", "T30", "C80", "rays: EDT", "rays: T30", "rays: C80"], rows)


def speed(page):
    cases = gpu_cases(load("h200/compare.json")["results"])
    largest = max((grid for precision, grid in cases if precision == "f32"), key=math.prod)
    best = cases["f32", largest]["leggy-4"]["best"]
    rooms = [one for one in load("h200/rooms.json")["results"] if member(one) == "leggy-4" and one["precision"] == "f32"]
    return text(f"On an NVIDIA H200 the stencil leggy-4 of {best['points']} points updates {best['gpts_per_second']:.0f} billion"
                f" nodes a second in single precision, {best['eff']:.2f} of the memory-bound leapfrog triad over the same arrays,"
                f" and {rooms[0]['gpts_per_second']:.0f} billion in a room with impedance on all walls.")


BLOCKS = {"paper_modes": modes, "paper_stability": stability, "paper_decays": decays, "paper_room": room, "paper_speed": speed}


def require_no_loose_figures():
    """Ends with a message where the paper states a number outside of its blocks, or cites what paper.bib lacks."""
    page = (ROOT / PATH).read_text()
    body = re.sub(r"\A---\n.*?\n---\n", "", page, flags=re.S)
    body = re.sub(r"<!-- (\w+) -->\n.*?<!-- /\1 -->", "", body, flags=re.S)
    prose = re.sub(rf"\[?@[\w;@ -]+\]?|\]\([^)]*\)|`[^`]*`|{NAMES_WITH_DIGITS}", "", body)
    loose = re.findall(r"[^\n]*\d[^\n]*", prose)
    if loose:
        sys.exit(f"{PATH}: a number that no data give: {loose[0].strip()}: make it by bench/pages/paper.py")
    entries = set(re.findall(r"^@\w+\{(\w+),", (ROOT / PATH).with_suffix(".bib").read_text(), re.M))
    cited = set(re.findall(r"@(\w+)", body))
    if entries != cited:
        sys.exit(f"{PATH}: entries of paper.bib that are not cited, or citations without one: {sorted(entries ^ cited)}")
    words = len(re.sub(r"\A---\n.*?\n---\n", "", page, flags=re.S).split())
    if words > 1300:
        sys.exit(f"{PATH}: {words} words; a paper of this kind has about 1000, tables apart")
