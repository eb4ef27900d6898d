#!/usr/bin/env python3
"""Makes the README's tables from the JSON documents under bench/results/.

    python3 bench/tables.py            rewrites README.md between its markers
    python3 bench/tables.py --check    fails when README.md is not what the data say

Each table stands between <!-- name --> and <!-- /name -->. Standard library only.
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"


def load(path):
    return json.loads((RESULTS / path).read_text())


def accuracy():
    """Eigenfrequency errors: a row a scheme, a column a grid."""
    data = load("accuracy.json")
    grids, rows = [], {}
    for one in data["results"]:
        grid = " x ".join(map(str, one["grid"]))
        if grid not in grids:
            grids.append(grid)
        name = one["stencil"] + (", time dispersion removed" if one["time_dispersion_removal"] else "")
        rows.setdefault((name, one["points"]), {})[grid] = one["error"]
    lines = [
        "Rigid 5 : 4 : 3 box on the grid, walls included: largest relative error of the first 20 eigenfrequencies against the exact ones"
        " (`bench_accuracy`, [data](bench/results/accuracy.json)).",
        "",
        "| stencil | points | " + " | ".join(f"{g} cells" for g in grids) + " |",
        "|---|---|" + "---|" * len(grids),
    ]
    for (name, points), errors in rows.items():
        lines.append(f"| {name} | {points} | " + " | ".join(f"{errors[g]:.1e}" for g in grids) + " |")
    return lines


def speed():
    """CTPN beside the triad, for every machine that has a compare document."""
    lines = []
    for path in sorted(RESULTS.glob("*/compare-f32.json")):
        data = json.loads(path.read_text())
        grid = " x ".join(map(str, data["grid"]))
        lines += [
            f"{data['machine']}, f32, {grid} nodes, `{data['command']}` at {data['commit']} on {data['date']}"
            f" ([data]({path.relative_to(ROOT).as_posix()})). The roof is the in-place leapfrog triad of the same run, timed in turn with each stencil.",
            "",
            "| stencil | points | CTPN, ns | Gpts/s | triad CTPN, ns | eff |",
            "|---|---|---|---|---|---|",
        ]
        wanted = {"leggy-1", "leggy-2", "leggy-3", "leggy-4", "leggy-8", "leggy-20", "compact-2", "compact-3", "compact-6", "box-222", "compact-22"}
        for one in data["results"]:
            if one["stencil"].split("/")[0] in wanted:
                lines.append(
                    f"| {one['stencil'].split('/')[0]} | {one['points']} | {one['ctpn_ns']:.4f} | {one['gpts_per_second']:.3f}"
                    f" | {one['triad_ctpn_ns']:.4f} | {one['eff']:.2f} |")
        lines += ["", "What an accuracy costs there: seconds of computing for a second of sound in 100 m3 up to 1 kHz, the best of each family.", "",
                  "| dispersion error | " + " | ".join(("leggy", "compact", "box")) + " |", "|---|---|---|---|"]
        for error in sorted({c["dispersion_error"] for c in data["costs"]}, reverse=True):
            cells = []
            for family in ("leggy", "compact", "box"):
                best = min((c for c in data["costs"] if c["dispersion_error"] == error and c["family"] == family),
                           key=lambda c: c["seconds_at_1000_hz"], default=None)
                cells.append(f"{best['seconds_at_1000_hz']:.3g} s, {best['stencil']}" if best else "none reaches it")
            lines.append(f"| {100 * error:g} % | " + " | ".join(cells) + " |")
        lines.append("")
    return lines or ["Not measured yet."]


def main():
    readme = ROOT / "README.md"
    text = made = readme.read_text()
    for name, table in (("accuracy", accuracy), ("speed", speed)):
        body = "\n".join(table()).rstrip()
        made = re.sub(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", lambda m: m.group(1) + body + "\n" + m.group(2), made, flags=re.S)
    if "--check" in sys.argv[1:]:
        sys.exit(0 if made == text else "README.md is not what bench/results/ says: run python3 bench/tables.py")
    readme.write_text(made)


if __name__ == "__main__":
    main()
