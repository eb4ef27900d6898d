"""Figures of the documentation, as SVG (bench/tables.py)."""

import math

from pages.accuracy import scheme
from pages.gpu import gpu_cases
from pages.page import load, times

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
