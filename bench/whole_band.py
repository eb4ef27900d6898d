#!/usr/bin/env python3
"""Rooms with their upper octaves by geometry beside waves alone.

    python3 bench/whole_band.py FDTD waves ROOM=MAX_FREQUENCY ... -o bench/results/whole-band-waves.json
    python3 bench/whole_band.py FDTD differences ROOM ... [--set KEY=VALUE ...]

Rooms are the scenes of bench/whole_band/. `waves` runs them without [above] to MAX_FREQUENCY, and writes their figures
of merit by receiver in the octaves that end below it, beside those that the file has of other rooms. `differences` runs
them with waves to 1000 Hz and geometry above, and prints the mean differences to these, absolutes in brackets. Standard
library only.
"""
import argparse
import datetime
import json
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
OCTAVES, FIGURES = (500.0, 1000.0, 2000.0), ("T20", "EDT", "C50", "C80", "G")


def figures(fdtd, room, settings):
    """{octave: {receiver: {figure: value}}} of a run."""
    with tempfile.TemporaryDirectory() as folder:
        words = [fdtd, "run", str(HERE / "whole_band" / f"{room}.toml"), "-o", f"{folder}/out", "--json"]
        for setting in settings:
            words += ["--set", setting]
        run = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
    return by_octave(json.loads(run.stdout))


def by_octave(document):
    out = {}
    for receiver in document["receivers"]:
        for band in receiver["metrics"]["bands"]:
            if band["centre"] in OCTAVES:
                out.setdefault(f"{band['centre']:g}", {})[receiver["name"]] = {
                    name: round(band[name], 4)
                    for name in FIGURES
                }
    return out


def waves(fdtd, rooms, out):
    document = json.loads(out.read_text())
    for word in rooms:
        room, highest = word.split("=")
        found = figures(fdtd, room, [f"simulation.max_frequency={highest}", "above.method=none"])
        document["rooms"][room] = {
            "waves_to": float(highest),
            "octaves": {octave: values
                        for octave, values in found.items() if 1.42 * float(octave) < float(highest)}
        }
    document["date"] = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d")
    out.write_text(json.dumps(document, indent=1) + "\n")


def differences(fdtd, rooms, settings):
    truth = json.loads((HERE / "results" / "whole-band-waves.json").read_text())["rooms"]
    for room in rooms:
        found = figures(fdtd, room, ["simulation.max_frequency=1000", "above.method=rays"] + settings)
        for octave, due in truth[room]["octaves"].items():
            words = []
            for name in FIGURES:
                pairs = [(found[octave][receiver][name], due[receiver][name]) for receiver in due]
                relative = name in ("T20", "EDT")
                errors = [100 * (one / other - 1) if relative else one - other for one, other in pairs]
                mean, absolute = sum(errors) / len(errors), sum(map(abs, errors)) / len(errors)
                words.append(f"{name} {mean:+.2f} ({absolute:.2f})")
            print(room, octave, *words)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fdtd")
    parser.add_argument("what", choices=("waves", "differences"))
    parser.add_argument("rooms", nargs="+")
    parser.add_argument("-o", type=pathlib.Path, default=HERE / "results" / "whole-band-waves.json")
    parser.add_argument("--set", action="append", default=[])
    words = parser.parse_args()
    if words.what == "waves":
        waves(words.fdtd, words.rooms, words.o)
    else:
        differences(words.fdtd, words.rooms, words.set)


if __name__ == "__main__":
    main()
