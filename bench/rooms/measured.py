#!/usr/bin/env python3
"""Rooms that were measured: runs beside the measurement, in just noticeable differences by octave.

    python3 bench/rooms/measured.py build/release/cli/fdtd ../shared/data/rooms/bras_cr2 --to 5700 --device cuda \\
        -o bench/results/measured-rooms.json

FOLDER holds a room: measured.json and scenes scene_fitted.toml (absorption that others fitted to the measurement) and
scene_initial.toml (absorption without it, blind). Each scene is run with waves alone to each frequency of --to, compared
with `fdtd match`, and condensed to one result a run, octave and set of sources. --calibrated names a scene that `fdtd fit`
made, and --hold the source that it left out. With -o the results are put into the document, in place of those of the same
room, absorption, frequency and device. Standard library only.
"""
import argparse
import json
import os
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # of studies without rooms, too
from room_studies import run, write  # noqa: E402

FIGURES = ("EDT", "T20", "T30", "C50", "C80", "D50", "Ts", "G")
WHAT = "Differences of runs from measured rooms in just noticeable differences (ISO 3382-1:2009, table A.1)."
FIELDS = ("results[]: a run, an octave (Hz) and a set of sources; of each figure the number of pairs, the mean of |run - measured| "
          "and of run - measured in just noticeable differences, and the mean values of the run and of the measurement (s, dB, "
          "fractions of 1). sources: all, or one by its name.")


def mean(values):
    return sum(values) / len(values)


def digits(value):
    return float(f"{value:.4g}")


def octave_result(match, octave, source):
    """The figures of an octave, of the pairs of one source or of all."""
    out = {}
    for name in FIGURES:
        found = [
            one for pair in match["pairs"] if source in ("all", pair["source"])
            for band in pair["octaves"] if band["centre"] == octave
            for one in band["figures"] if one["figure"] == name and one["jnd"] is not None
        ]
        if found:
            out[name] = {
                "pairs": len(found),
                "jnd": digits(mean([abs(one["jnd"]) for one in found])),
                "signed": digits(mean([one["jnd"] for one in found])),
                "run": digits(mean([one["run"] for one in found])),
                "measured": digits(mean([one["measured"] for one in found]))
            }
    return out


def measured(program, folder, name, scene, highest, options):
    """The head of a run, and its results."""
    settings = [f"simulation.max_frequency={highest:g}", "above.method=none", *options.set]
    with tempfile.TemporaryDirectory() as temporary:
        out = f"{temporary}/out"
        words = ["run", str(scene), "-o", out, "--device", options.device, "--json"]
        for setting in settings:
            words += ["--set", setting]
        document = run(program, words, None)
        match = run(program, ["match", out, str(folder / "measured.json"), "--json"], None)
    head = {"room": folder.name, "absorption": name, "waves_to": highest, "device": document["plan"]["device"]}
    about = head | {
        "stencil": document["plan"]["stencil"],
        "spacing": digits(document["plan"]["spacing"]),
        "seconds": digits(document["timing"]["seconds"]),
        "program": run(program, ["doctor", "--json"], None)["build"],
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "set": settings
    }
    if name == "calibrated" and options.hold:
        about["hold"] = options.hold
    sources = ["all", *dict.fromkeys(pair["source"] for pair in match["pairs"])]
    results = [
        head | {"sources": source, "octave": octave["centre"]} | figures
        for source in sources for octave in match["means"]
        if (figures := octave_result(match, octave["centre"], source))
    ]
    return about, results


def merged(before, after):
    """Those of `before` that no run of `after` replaces, and `after`."""
    key = lambda one: tuple(one[name] for name in ("room", "absorption", "waves_to", "device"))  # noqa: E731
    replaced = {key(one) for one in after}
    return [one for one in before if key(one) not in replaced] + after


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--to", type=float, nargs="+", default=[250.0], help="frequencies up to which waves are run, Hz")
    parser.add_argument("--absorption", nargs="*", default=["fitted", "initial"], choices=["fitted", "initial"])
    parser.add_argument("--calibrated", type=pathlib.Path, help="a scene that fdtd fit made")
    parser.add_argument("--hold", help="the source that the fit left out")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("-o", type=pathlib.Path)
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    scenes = {name: options.folder / f"scene_{name}.toml" for name in options.absorption}
    if options.calibrated:
        scenes["calibrated"] = options.calibrated
    document = {"what": WHAT, "fields": FIELDS, "runs": [], "results": []}
    if options.o and options.o.exists():
        document |= json.loads(options.o.read_text(encoding="utf-8"))
    shown = "python3 bench/rooms/measured.py " + " ".join(
        os.path.basename(word) if os.path.isabs(word) else word for word in sys.argv[1:])
    for name, scene in scenes.items():
        for highest in options.to:
            about, results = measured(program, options.folder, name, scene, highest, options)
            for one in results:
                if one["sources"] == "all":
                    print(name, f"{highest:g}", f"{one['octave']:g}",
                          *(f"{figure} {one[figure]['jnd']:.2f}" for figure in FIGURES if figure in one), flush=True)
            document["runs"] = merged(document["runs"], [about | {"command": shown}])
            document["results"] = merged(document["results"], results)
            if options.o:
                write(document, options.o)


if __name__ == "__main__":
    main()
