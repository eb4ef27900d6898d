#!/usr/bin/env python3
"""Furnished rooms: each stencil family at its planned grid, and on a ladder of grids, beside a converged run.

    python3 bench/rooms/furnished.py build/release/cli/fdtd -o bench/results/MACHINE/furnished.json

Rooms are meshes made here: a classroom with thin desks and chairs, an office, a studio with a splayed wall and panels,
two rooms joined by a passage in the shape of an L, a plain box (group "judged"), and boxes that hold one kind of
furniture each (group "calibration"), to which the constants of engine/planning/choose/geometry_limit.cpp are fitted. Figures
are means over the receivers of T20, EDT, C50 and G by octave; an error is that of T20 and EDT relative to the converged
run, of C50 and G the difference in dB. The converged run is leggy-4/opt1 on a fine grid; a second family on a fine grid
says how far it is converged. `planned`: each stencil on the grid that the program makes for max_frequency. `ladder`: on
given spacings, whatever the geometry limit says. Standard library only.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # of studies without rooms, too
from room_studies import Mesh, bands_in, begun_document, receiver_tables, write  # noqa: E402

OCTAVES, MAX_FREQUENCY = (125.0, 250.0, 500.0), 750.0  # the octave of 500 Hz ends at 707 Hz
REFERENCES = ("leggy-4/opt1", "compact-3/opt1")
STENCILS = ("auto", "leggy-1", "leggy-2", "leggy-4/opt1", "leggy-4/warp1", "leggy-8", "compact-2/radial03", "compact-3/opt1",
            "compact-3/radial1", "compact-4/opt1", "box-111", "box-222/opt1", "box-222/radial1")
LADDER = (0.15, 0.125, 0.105, 0.088, 0.073)
ADMITTANCES = {"wall": 0.02, "floor": 0.01, "ceiling": 0.12, "glass": 0.02, "wood": 0.03, "metal": 0.005, "panel": 0.2}


def table(mesh, x, y, length, depth, height, thickness=0.025, legs=0.04):
    mesh.block("wood", (x, y, height - thickness), (x + length, y + depth, height))
    for u in (x + 0.03, x + length - 0.03 - legs):
        for v in (y + 0.03, y + depth - 0.03 - legs):
            mesh.block("metal", (u, v, 0.0), (u + legs, v + legs, height - thickness))


def chair(mesh, x, y, back):
    mesh.block("wood", (x, y, 0.44), (x + 0.4, y + 0.4, 0.46))
    at = x + 0.4 if back > 0 else x - 0.02
    mesh.block("wood", (at, y, 0.46), (at + 0.02, y + 0.4, 0.84))


def classroom():
    mesh = Mesh()
    mesh.shell(7.33, 5.87, 2.93)
    for i in range(3):
        for j in range(3):
            x, y = 2.07 + 1.61 * i, 0.57 + 1.73 * j
            table(mesh, x, y, 0.58, 1.31, 0.737)
            mesh.block("wood", (x + 0.05, y + 0.09, 0.35), (x + 0.068, y + 1.22, 0.71))
            for side in (0.13, 0.77):
                chair(mesh, x + 0.66, y + side, 1)
    receivers = [(x, y, 1.2) for x in (2.93, 4.51, 6.83) for y in (1.03, 2.96, 4.87)]
    return mesh, (0.83, 2.61, 1.57), receivers


def office():
    mesh = Mesh()
    mesh.shell(5.63, 4.37, 2.71)
    for i in range(2):
        for j in range(2):
            x, y = 0.81 + 1.93 * i, 0.87 + 0.84 * j
            mesh.block("wood", (x, y, 0.712), (x + 1.6, y + 0.79, 0.74))
            for u in (x, x + 1.572):
                mesh.block("wood", (u, y + 0.05, 0.0), (u + 0.028, y + 0.74, 0.712))
        mesh.block("panel", (0.81 + 1.93 * i, 1.668, 0.76), (2.41 + 1.93 * i, 1.703, 1.33))
    for i in range(3):
        mesh.block("wood", (4.66, 0.31 + 0.83 * i, 0.0), (5.08, 1.11 + 0.83 * i, 1.27))
    x, y = 0.37, 3.71  # a bookcase, open to the front
    mesh.block("wood", (x, y + 0.3, 0.0), (x + 1.83, y + 0.318, 2.0))
    for u in (0.0, 0.9, 1.812):
        mesh.block("wood", (x + u, y, 0.0), (x + u + 0.018, y + 0.3, 2.0))
    for level in range(5):
        for u in (0.018, 0.918):
            mesh.block("wood", (x + u, y, 0.38 * level + 0.05), (x + u + (0.882 if u < 0.5 else 0.894), y + 0.3, 0.38 * level + 0.068))
    mesh.quad("panel", (1.1, 0.7, 2.33), (2.9, 0.7, 2.33), (2.9, 1.9, 2.33), (1.1, 1.9, 2.33))
    receivers = [(1.3, 0.52, 1.21), (3.6, 0.47, 1.19), (1.7, 2.93, 1.22), (3.9, 3.17, 1.2), (4.9, 3.57, 1.5), (2.6, 3.4, 1.6)]
    return mesh, (5.21, 3.91, 1.63), receivers


def studio():
    mesh = Mesh()
    x, far, y, z = 5.71, 5.13, 4.39, 2.83  # the wall at x is splayed by 7.5 degrees
    low = ((0.0, 0.0), (x, 0.0), (far, y), (0.0, y))
    for i in range(4):
        (a, b), (c, d) = low[i], low[(i + 1) % 4]
        mesh.quad("wall", (a, b, 0.0), (c, d, 0.0), (c, d, z), (a, b, z))
    mesh.quad("floor", *((a, b, 0.0) for a, b in reversed(low)))
    mesh.quad("ceiling", *((a, b, z) for a, b in low))
    for i in range(3):
        mesh.block("panel", (0.57 + 1.37 * i, 0.04, 0.91), (1.17 + 1.37 * i, 0.09, 2.11))
        mesh.block("panel", (0.57 + 1.37 * i, 4.30, 0.91), (1.17 + 1.37 * i, 4.35, 2.11))
    mesh.block("panel", (1.33, 1.07, 2.53), (3.13, 3.27, 2.58))
    mesh.block("wood", (0.83, 1.27, 0.71), (1.63, 3.07, 0.74))
    for at in (1.31, 2.99):
        mesh.block("wood", (0.9, at, 0.0), (1.56, at + 0.04, 0.71))
    mesh.block("wood", (4.13, 3.37, 0.0), (4.73, 3.97, 1.12))
    receivers = [(2.13, 2.17, 1.21), (2.93, 1.37, 1.23), (3.61, 2.83, 1.19), (4.47, 1.11, 1.47), (3.1, 3.71, 0.93)]
    return mesh, (0.41, 1.13, 1.27), receivers


def passage():
    mesh = Mesh()
    mesh.shell(6.27, 4.97, 2.61)
    mesh.block("wall", (3.51, 0.0, 0.0), (6.27, 2.03, 2.61))  # the corner that makes the L
    mesh.block("wall", (3.51, 2.03, 0.0), (3.63, 3.07, 2.61))  # a wall beside a passage of .91 m
    mesh.block("wall", (3.51, 3.98, 0.0), (3.63, 4.97, 2.61))
    mesh.block("wall", (3.51, 3.07, 2.05), (3.63, 3.98, 2.61))
    table(mesh, 0.87, 3.11, 1.4, 0.8, 0.74)
    table(mesh, 4.37, 2.63, 1.2, 0.7, 0.74)
    receivers = [(2.71, 3.57, 1.23), (1.17, 1.81, 1.31), (2.83, 0.67, 1.57), (4.41, 3.87, 1.29), (5.63, 2.51, 1.51), (5.17, 4.41, 1.11)]
    return mesh, (0.63, 0.71, 1.53), receivers


def plain():
    mesh = Mesh()
    mesh.shell(5.03, 4.07, 2.97)
    return mesh, (0.63, 0.71, 0.53), [(3.81, 2.57, 1.23), (4.31, 3.37, 2.47), (0.73, 3.13, 1.03), (2.57, 1.11, 2.19), (3.43, 0.83, 0.61)]


SHELL, INSIDE = (5.31, 4.19, 2.87), (0.51, 0.57, 1.43)
PLACES = [(4.83, 3.71, 1.33), (0.67, 3.61, 1.17), (4.71, 0.47, 1.51), (2.61, 2.13, 1.27), (2.53, 3.87, 2.33), (3.67, 0.37, 0.41)]


def plates(thickness=0.02, material="wood"):
    mesh = Mesh()
    mesh.shell(*SHELL)
    for i in range(3):
        for j in range(2):
            x, y, z = 0.73 + 1.43 * i, 0.81 + 1.51 * j, 0.71 + 0.23 * ((i + j) % 3)
            if thickness > 0.0:
                mesh.block(material, (x, y, z), (x + 1.17, y + 0.83, z + thickness))
            else:
                mesh.quad(material, (x, y, z), (x + 1.17, y, z), (x + 1.17, y + 0.83, z), (x, y + 0.83, z))
    return mesh, INSIDE, PLACES


def screens(thickness=0.0):
    mesh = Mesh()
    mesh.shell(*SHELL)
    for i in range(3):
        for j in range(2):
            x, y, z = 0.93 + 1.43 * i, 0.77 + 1.57 * j, 0.47 + 0.31 * ((i + j) % 2)
            along = (0.0, 1.11) if (i + j) % 2 else (1.03, 0.0)
            if thickness > 0.0:
                mesh.block("wood", (x, y, z), (x + max(along[0], 0.018), y + max(along[1], 0.018), z + 1.07))
            else:
                mesh.quad("wood", (x, y, z), (x + along[0], y + along[1], z), (x + along[0], y + along[1], z + 1.07),
                          (x, y, z + 1.07))
    return mesh, INSIDE, PLACES


def blocks(side=0.33, counts=(4, 3)):
    mesh = Mesh()
    mesh.shell(*SHELL)
    for i in range(counts[0]):
        for j in range(counts[1]):
            x, y, z = 0.81 + 4.0 / counts[0] * i, 0.79 + 3.0 / counts[1] * j, 0.37 + 0.53 * ((i + 2 * j) % 3)
            mesh.block("wood", (x, y, z), (x + side, y + 1.1 * side, z + 0.9 * side))
    return mesh, INSIDE, PLACES


def posts():
    mesh = Mesh()
    mesh.shell(*SHELL)
    for i in range(6):
        for j in range(5):
            x, y = 0.77 + 0.71 * i, 0.73 + 0.67 * j
            mesh.block("wood", (x, y, 0.0), (x + 0.06, y + 0.06, 1.81))
    return mesh, INSIDE, PLACES


def shelves():
    mesh = Mesh()
    mesh.shell(*SHELL)
    for y in (0.61, 2.93):
        for level in range(6):
            mesh.block("wood", (1.03, y, 0.21 + 0.34 * level), (4.03, y + 0.37, 0.23 + 0.34 * level))
    return mesh, INSIDE, PLACES


ROOMS = {
    "judged": {"plain box": plain, "classroom": classroom, "office": office, "studio": studio, "passage": passage},
    "calibration": {"plates of 20 mm": plates, "plates of 20 mm, absorbing": lambda: plates(material="panel"),
                    "plates without thickness": lambda: plates(0.0), "plates of 80 mm": lambda: plates(0.08),
                    "screens without thickness": screens, "screens of 18 mm": lambda: screens(0.018),
                    "blocks of 330 mm": blocks, "blocks of 170 mm": lambda: blocks(0.17, (6, 5)), "posts of 60 mm": posts,
                    "shelves": shelves}}


def scene(room, stencil, words, device, duration):
    mesh, source, receivers = room
    used = "".join(f"[materials.{name}]\nadmittance = {ADMITTANCES[name]}\n" for name in mesh.quads)
    return f"""schema = 1
[simulation]
duration = {duration}
stencil = "{stencil}"
precision = "f32"
device = "{device}"
{words}
[above]
method = "none"
[room]
mesh = "room.obj"
units = "m"
up = "z"
{used}[[source]]
name = "S"
position = {list(source)}
{receiver_tables(receivers)}"""


def means(found):
    """T20, EDT, C50 and G by octave, each the mean over the receivers that have it."""
    receivers, out = [bands_in(one) for one in found["receivers"]], {}
    for octave in OCTAVES:
        row = {}
        for name in ("T20", "EDT", "C50", "G"):
            values = [bands[octave][name] for bands in receivers if bands and octave in bands and bands[octave][name] is not None]
            if 2 * len(values) >= len(receivers):
                row[name] = round(sum(values) / len(values), 4)
        out[f"{octave:g}"] = row
    return out


def run(job):
    """One run; a scene that the program refuses gives its message."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "room.obj").write_text(job["room"][0].text())
        (folder / "room.toml").write_text(scene(job["room"], job["stencil"], job["words"], job["device"], job["duration"]))
        begun = time.monotonic()
        done = subprocess.run([job["program"], "run", "room.toml", "-o", "out", "--force", "--json"], cwd=folder,
                              capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": str(job["threads"])})
        seconds = time.monotonic() - begun
    row = {"stencil": job["stencil"], "kind": job["kind"], "seconds": round(seconds, 1)}
    if done.returncode != 0:
        return {**row, "refused": done.stderr.strip()[-600:]}
    found = json.loads(done.stdout)
    plan = found["plan"]
    row |= {"took": plan["stencil"], "spacing": plan["spacing"], "nodes": plan["nodes"], "steps": plan["steps"],
            "limits": {one["what"]: round(one["frequency"], 1) for one in plan["limits"]}, "means": means(found)}
    row["needs"] = {one["what"]: round(one["spacing"], 5) for one in plan.get("spacings_needed", [])}
    return row


def errors(row, reference):
    """By octave: T20 and EDT relative, C50 and G in dB."""
    out = {}
    for octave, exact in reference.items():
        mine = row.get("means", {}).get(octave, {})
        out[octave] = {name: round(mine[name] / exact[name] - 1.0 if name in ("T20", "EDT") else mine[name] - exact[name], 4)
                       for name in exact if name in mine}
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path, help="the fdtd program")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--rooms", nargs="+", help="names of rooms; by default all")
    parser.add_argument("--stencils", nargs="+", default=STENCILS)
    parser.add_argument("--ladder", nargs="*", type=float, default=LADDER, help="spacings in m; none: planned grids alone")
    parser.add_argument("--reference", type=float, default=0.03, help="spacing of the converged run in m")
    parser.add_argument("--duration", type=float, default=0.9)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time, of one thread each")
    parser.add_argument("--converged", type=pathlib.Path, help="take converged runs of the same rooms from this document")
    args = parser.parse_args()
    begun = time.monotonic()
    base = {"program": args.program.resolve(), "device": args.device, "duration": args.duration}
    known = json.loads(args.converged.read_text())["rooms"] if args.converged else {}
    command = f"python3 bench/rooms/furnished.py build/release/cli/fdtd -o {args.output}"
    document = {**begun_document(__doc__, base["program"], command), "rooms": {}}
    for group, rooms in ROOMS.items():
        for name, make in rooms.items():
            if args.rooms and name not in args.rooms and group not in args.rooms:
                continue
            room, jobs = make(), []
            common, out = {**base, "room": room}, {"group": group, "converged": known.get(name, {}).get("converged", []), "runs": []}
            if not out["converged"]:
                for stencil, coarser in zip(REFERENCES, (1.0, 1.2)):
                    out["converged"].append(run({**common, "stencil": stencil, "kind": "converged", "threads": os.cpu_count(),
                                                 "words": f"grid_spacing = {args.reference * coarser}\ngeometry_error = 10.0"}))
                    print(name, json.dumps(out["converged"][-1]), flush=True)
            for spacing in sorted(args.ladder):
                jobs += [{**common, "stencil": stencil, "kind": "ladder", "threads": 1,
                          "words": f"grid_spacing = {spacing}\ngeometry_error = 10.0\ndispersion_error = 0.05"}
                         for stencil in args.stencils if stencil != "auto"]
            jobs += [{**common, "stencil": stencil, "kind": "planned", "threads": 1, "words": f"max_frequency = {MAX_FREQUENCY}"}
                     for stencil in args.stencils]
            with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
                out["runs"] = list(pool.map(run, jobs))
            for row in out["runs"]:
                if "means" in row and "means" in out["converged"][0]:
                    row["errors"] = errors(row, out["converged"][0]["means"])
            document["rooms"][name] = out
            write(document, args.output)
            print(name, len(out["runs"]), "runs,", sum("errors" not in row for row in out["runs"]), "refused,",
                  round(time.monotonic() - begun), "s", flush=True)


if __name__ == "__main__":
    main()
