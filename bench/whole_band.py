#!/usr/bin/env python3
"""Rooms with their upper octaves by geometry beside waves alone.

    python3 bench/whole_band.py FDTD waves ROOM=MAX_FREQUENCY ... -o bench/results/whole-band-waves.json
    python3 bench/whole_band.py FDTD differences ROOM ... [--set KEY=VALUE ...] [-o bench/results/whole-band-auto.json]

Rooms are the scenes of bench/whole_band/. `waves` runs them without [above] to MAX_FREQUENCY, and writes their figures
of merit by receiver in the octaves that end below it, beside those that the file has of other rooms. `differences` runs
them with waves to 1000 Hz and geometry above, and prints the mean differences to these, absolutes in brackets; with -o it
writes them too. Standard
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


def run_of(fdtd, room, settings):
    """The document of a run."""
    with tempfile.TemporaryDirectory() as folder:
        words = [fdtd, "run", str(HERE / "whole_band" / f"{room}.toml"), "-o", f"{folder}/out", "--json"]
        for setting in settings:
            words += ["--set", setting]
        run = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(run.stdout)


def by_octave(document):
    """{octave: {receiver: {figure: value}}} of a run's document."""
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
        found = by_octave(run_of(fdtd, room, [f"simulation.max_frequency={highest}", "above.method=none"]))
        document["rooms"][room] = {
            "waves_to": float(highest),
            "octaves": {octave: values
                        for octave, values in found.items() if 1.42 * float(octave) < float(highest)}
        }
    document["date"] = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d")
    out.write_text(json.dumps(document, indent=1) + "\n")


def differences(fdtd, rooms, settings, out):
    truth = json.loads((HERE / "results" / "whole-band-waves.json").read_text())["rooms"]
    results = []
    for room in rooms:
        document = run_of(fdtd, room, ["simulation.max_frequency=1000", "above.method=rays"] + settings)
        found = by_octave(document)
        for octave, due in truth[room]["octaves"].items():
            words = []
            rays = document["rays"]
            row = {"room": room, "waves_to": 1000, "rays": 0 if rays.get("end") == "silent" else rays["count"], "octave": int(octave)}
            for name in FIGURES:
                pairs = [(found[octave][receiver][name], due[receiver][name]) for receiver in due]
                relative = name in ("T20", "EDT")
                errors = [100 * (one / other - 1) if relative else one - other for one, other in pairs]
                mean, absolute = sum(errors) / len(errors), sum(map(abs, errors)) / len(errors)
                words.append(f"{name} {mean:+.2f} ({absolute:.2f})")
                row[name] = {"mean": round(mean, 3), "absolute": round(absolute, 3)}
            results.append(row)
            print(room, octave, *words)
    if not out:
        return
    git = subprocess.run(["git", "rev-parse", "HEAD"], cwd=HERE, stdout=subprocess.PIPE, text=True, check=True)
    words = " ".join(["python3 bench/whole_band.py FDTD differences", *rooms] + [f"--set {one}" for one in settings])
    lines = [json.dumps(row, separators=(",", ":")) for row in results]
    out.write_text("{\n" + f' "what": "Waves to 1000 Hz and geometry above less the waves of whole-band-waves.json: T20 and EDT in '
                   'per cent, C50, C80 and G in dB; means over the receivers, and of the absolutes.",\n'
                   f' "date": "{datetime.datetime.now(datetime.UTC):%Y-%m-%d}",\n "commit": "{git.stdout.strip()}",\n'
                   f' "command": "{words}",\n "results": [\n  ' + ",\n  ".join(lines) + "\n ]\n}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fdtd")
    parser.add_argument("what", choices=("waves", "differences"))
    parser.add_argument("rooms", nargs="+")
    parser.add_argument("-o", type=pathlib.Path)
    parser.add_argument("--set", action="append", default=[])
    words = parser.parse_args()
    if words.what == "waves":
        waves(words.fdtd, words.rooms, words.o or HERE / "results" / "whole-band-waves.json")
    else:
        differences(words.fdtd, words.rooms, words.set, words.o)


if __name__ == "__main__":
    main()
