#!/usr/bin/env python3
"""Mesh rooms: the stencil of `auto` beside named ones, and predicted times beside measured ones.

    python3 bench/rooms/mesh_choice.py build/release/cli/fdtd -o bench/results/MACHINE/mesh-choice.json

Rooms are the judged ones of furnished.py (a classroom, an office, a studio, two rooms joined by a passage) and the
example hall, above.method "none". Each is run with `auto` and with every stencil named, once in each of --rounds turns;
seconds are medians. `over_best`: the steps' seconds of `auto` over the least of all stencils named. A stencil that the
program refuses in a room has its message. Standard library only.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # of studies without rooms, too
import furnished  # noqa: E402
from room_studies import begun_document, write  # noqa: E402

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "scenes" / "examples"
STENCILS = ("auto", "leggy-1", "leggy-2/warp03", "leggy-2/warp1", "leggy-3/warp1", "leggy-4/opt1", "leggy-4/warp1",
            "leggy-8/warp1", "compact-3/opt1", "compact-4/opt1", "box-222/opt1", "compact-3/radial1", "compact-4/radial1")
ROOMS = ("classroom", "office", "studio", "passage", "hall")


def prepare(room, folder, args):
    """The scene of a room in a folder of its own, and what --set adds to it."""
    words = [f"simulation.duration={args.duration}", f"simulation.max_frequency={args.frequency[room]}", "above.method=none"]
    if room == "hall":
        return EXAMPLES / "hall.toml", words
    (folder / "room.obj").write_text(furnished.ROOMS["judged"][room]()[0].text())
    text = furnished.scene(furnished.ROOMS["judged"][room](), "auto", "", args.device, args.duration)
    (folder / "room.toml").write_text(text)
    return folder / "room.toml", words


def once(program, scene, words, stencil, device, folder):
    """One run: what it took and what the plan said, or the message of a refusal."""
    sets = [part for word in [*words, f"simulation.stencil={stencil}"] for part in ("--set", word)]
    begun = time.monotonic()
    done = subprocess.run([program, "run", scene, "-o", folder / "out", "--force", "--json", "--device", device, *sets],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return {"refused": done.stderr.strip().splitlines()[-1][-200:] if done.stderr.strip() else str(done.returncode)}
    found = json.loads(done.stdout)
    plan = found["plan"]
    return {"took": plan["stencil"], "nodes": plan["nodes"], "steps": plan["steps"],
            "points_per_wavelength": round(plan["points_per_wavelength"], 2),
            "steps_seconds": found["timing"]["seconds"], "wall_seconds": time.monotonic() - begun,
            "predicted_steps": plan["predicted"]["steps"], "predicted_seconds": plan["predicted_seconds"]}


def study(program, room, args):
    rows = {stencil: [] for stencil in args.stencils}
    with tempfile.TemporaryDirectory() as name:
        scene, words = prepare(room, pathlib.Path(name), args)
        for _ in range(args.rounds):
            for stencil, runs in rows.items():
                if not runs or "refused" not in runs[0]:
                    runs.append(once(program, scene, words, stencil, args.device, pathlib.Path(name)))
    out = []
    for stencil, runs in rows.items():
        row = {"room": room, "asked": stencil, **runs[0]}
        for key in ("steps_seconds", "wall_seconds", "predicted_steps", "predicted_seconds"):
            if key in row:
                row[key] = round(statistics.median(one[key] for one in runs), 3)
        out.append(row)
    named = [row["steps_seconds"] for row in out if row["asked"] != "auto" and "steps_seconds" in row]
    for row in out:
        if row["asked"] == "auto" and named and "steps_seconds" in row:
            row["over_best"] = round(row["steps_seconds"] / min(named), 3)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--rooms", nargs="+", default=ROOMS, choices=ROOMS)
    parser.add_argument("--stencils", nargs="+", default=STENCILS)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--machine", default="", help="processor or GPU, as the document names it")
    parser.add_argument("--duration", type=float, default=0.5, help="s")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--scale", type=float, default=1.0, help="of the highest frequencies, 750 Hz and 300 Hz in the hall")
    args = parser.parse_args()
    args.frequency = {room: (300.0 if room == "hall" else 750.0) * args.scale for room in ROOMS}
    program = args.program.resolve()
    command = f"python3 bench/rooms/mesh_choice.py build/release/cli/fdtd --device {args.device} -o {args.output}"
    document = {**begun_document(__doc__, program, command), "machine": args.machine, "device": args.device,
                "duration": args.duration, "frequencies": args.frequency, "rounds": args.rounds, "results": []}
    for room in args.rooms:
        document["results"] += study(program, room, args)
        write(document, args.output)


if __name__ == "__main__":
    main()
