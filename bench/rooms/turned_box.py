#!/usr/bin/env python3
"""Reverberation times of a turned box, as a mesh, beside those of the straight one, stencil by stencil.

    python3 bench/rooms/turned_box.py build/release/cli/fdtd -o bench/results/xeon-2/turned-box.json

A box of 5 x 4 x 3 m with walls of admittance 0.02 and a floor of 0.08 is run straight, its walls on planes of the grid,
and as a mesh turned about z, and then about x. With --ends the octave of 500 Hz ends at given points a wavelength: the
spacing divides the sides, and the speed of sound is what that takes; --walls makes them strong or reactive. Figures are the mean over sixteen receivers of T20 by octave, the turned
box's over the straight one's on the same spacing, and points a wavelength at the octave's centre. Standard library only.
"""
import argparse
import json
import math
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # of studies without rooms, too
from room_studies import Mesh, bands_in, begun_document, receiver_tables, run, write  # noqa: E402

SIDES, SOURCE = (5.0, 4.0, 3.0), (0.6, 0.5, 0.4)
RECEIVERS = ((3.8, 2.6, 1.2), (4.3, 3.4, 2.5), (0.7, 3.1, 1.0), (2.6, 1.1, 2.2), (3.4, 0.8, 0.6), (4.5, 1.9, 1.7),
             (1.7, 3.5, 2.4), (2.9, 3.0, 0.4), (1.2, 2.2, 0.7), (3.2, 2.0, 2.7), (2.1, 3.1, 1.6), (4.0, 0.5, 1.3),
             (1.5, 0.7, 2.6), (3.6, 3.3, 2.1), (2.3, 0.4, 1.1), (4.6, 2.8, 0.7))
SOUND_SPEED, DURATION, OCTAVES = 343.0, 0.7, (63.0, 125.0, 250.0, 500.0)
TURNS = {"30 about z": (30.0, 0.0), "45 and 35": (45.0, 35.0), "20 and 50": (20.0, 50.0)}
# dispersion_error: with it the spacings carry the octave of 500 Hz.
STENCILS = {"leggy-1": 0.15, "leggy-2": 0.04, "leggy-4": 0.04, "leggy-4/warp1": 0.02, "leggy-8": 0.04, "compact-3": 0.04,
            "compact-4": 0.02, "box-111": 0.04, "box-222": 0.02, "box-222/radial03": 0.02}
DIAGONAL = {"45 about z": (45.0, 0.0)}  # with --ends
# Admittances of the walls and of the floor. A spring has the impedance 1 - 4i at 500 Hz, a panel 2 and resonates there.
SPRING, PANEL = "branches = [{ D = 0.0, E = 1.0, F = 12566.0 }]", "branches = [{ D = 2.546e-3, E = 2.0, F = 25133.0 }]"
WEAK = "admittance = 0.02"
WALLS = {"weak": (WEAK, "admittance = 0.08"), "strong floor": (WEAK, "admittance = 0.3"),
         "all 0.1": ("admittance = 0.1", "admittance = 0.1"), "all 0.3": ("admittance = 0.3", "admittance = 0.3"),
         "spring floor": (WEAK, SPRING), "panel floor": (WEAK, PANEL)}
SPACINGS = (1.0 / 8.0, 1.0 / 9.0)  # m: they divide the sides


def turned(point, turn):
    """A point turned by degrees about z, then about x."""
    a, b = (math.radians(angle) for angle in turn)
    x, y = point[0] * math.cos(a) - point[1] * math.sin(a), point[0] * math.sin(a) + point[1] * math.cos(a)
    return [x, y * math.cos(b) - point[2] * math.sin(b), y * math.sin(b) + point[2] * math.cos(b)]


def mesh(turn):
    """The box as OBJ: the floor is a material of its own."""
    box = Mesh()
    box.shell(*SIDES, ceiling="wall")
    return box.moved(lambda corner: turned(corner, turn)).text()


def scene(stencil, spacing, turn, case):
    if turn is None:
        room = f"box = {list(SIDES)}\nwalls = {{ default = \"wall\", z_min = \"floor\" }}"
    else:
        room = "mesh = \"box.obj\"\nwalls = { wall = \"wall\", floor = \"floor\" }"
    places = [turned(place, turn or (0.0, 0.0)) for place in (SOURCE, *RECEIVERS)]
    # Bandwidth and walls as the spacing has them, whatever the errors: those are what is measured.
    return f"""schema = 1
[simulation]
duration = {case['duration']}
grid_spacing = {spacing}
stencil = "{stencil}"
dispersion_error = {case['dispersion_error']}
geometry_error = 10.0
wall_error = {case['wall_error']}
precision = "f64"
device = "cpu"
[air]
sound_speed = {case['sound_speed']}
[above]
method = "none"
[room]
{room}
[materials.wall]
{WALLS[case['walls']][0]}
[materials.floor]
{WALLS[case['walls']][1]}
[[source]]
name = "S"
position = {places[0]}
{receiver_tables(places[1:])}"""


def plain_case(stencil):
    return {"duration": DURATION, "dispersion_error": STENCILS.get(stencil, 0.02), "wall_error": 0.1,
            "sound_speed": SOUND_SPEED, "walls": "weak"}


def ending_case(points, walls):
    """The octave of 500 Hz ends at that many points a wavelength: the spacing, and the case."""
    centre = points * math.sqrt(2.0)
    cells = min(range(4, 16), key=lambda n: abs(math.log(centre * 500.0 / n / SOUND_SPEED)))
    return 1.0 / cells, {"duration": 0.4 if walls.startswith("all") else DURATION, "dispersion_error": 0.3,
                         "wall_error": 2.0, "sound_speed": centre * 500.0 / cells, "walls": walls}


def decays(program, stencil, spacing, turn, case=None):
    """T20 by octave, the mean over the receivers, and the plan."""
    case = case or plain_case(stencil)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "box.toml").write_text(scene(stencil, spacing, turn, case))
        if turn is not None:
            (folder / "box.obj").write_text(mesh(turn))
        found = run(program, ["run", "box.toml", "-o", "out", "--force", "--json"], folder)
    receivers = [bands_in(one) for one in found["receivers"]]
    means = {}
    for octave in OCTAVES:
        times = [bands[octave]["T20"] for bands in receivers if octave in bands and bands[octave]["T20"]]
        if len(times) == len(RECEIVERS):
            means[octave] = sum(times) / len(times)
    return means, found["plan"]


def ends(program, stencil, points, walls):
    """The row of a stencil whose octave of 500 Hz ends there; its ratios are none where the band ends below."""
    spacing, case = ending_case(points, walls)
    straight, _ = decays(program, stencil, spacing, None, case)
    row = {"stencil": stencil, "walls": walls, "ends_at": points, "spacing": round(spacing, 5),
           "sound_speed": round(case["sound_speed"], 2), "straight": None, "over_straight": {}}
    if 500.0 not in straight:
        return row
    row["straight"] = round(straight[500.0], 4)
    for name, turn in {**TURNS, **DIAGONAL}.items():
        found, _ = decays(program, stencil, spacing, turn, case)
        row["over_straight"][name] = round(found[500.0] / straight[500.0], 3) if 500.0 in found else None
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path, help="the fdtd program")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    parser.add_argument("--stencils", nargs="+", default=list(STENCILS))
    parser.add_argument("--spacings", nargs="+", type=float, default=SPACINGS)
    parser.add_argument("--ends", nargs="+", metavar="STENCIL=POINTS", help="points a wavelength at the end of 500 Hz")
    parser.add_argument("--walls", nargs="+", choices=WALLS, default=["weak"], help="with --ends")
    args = parser.parse_args()
    program = args.program.resolve()
    command = f"python3 bench/rooms/turned_box.py build/release/cli/fdtd -o {args.output}"
    if args.ends:
        command += f" --ends {' '.join(args.ends)} --walls {' '.join(map(repr, args.walls))}"
    document, results = begun_document(__doc__, program, command), []
    for one in args.ends or ():
        stencil, points = one.split("=")
        for walls in args.walls:
            results.append(ends(program, stencil, float(points), walls))
            print(json.dumps(results[-1]), flush=True)
    if args.ends:
        args.stencils = []
    for stencil in args.stencils:
        for spacing in args.spacings:
            straight, plan = decays(program, stencil, spacing, None)
            row = {"stencil": plan["stencil"], "spacing": round(spacing, 5),
                   "points": {f"{o:g}": round(SOUND_SPEED / o / spacing, 1) for o in straight},
                   "straight": {f"{o:g}": round(t, 4) for o, t in straight.items()}, "over_straight": {}}
            for name, turn in TURNS.items():
                found, _ = decays(program, stencil, spacing, turn)
                row["over_straight"][name] = {f"{o:g}": round(found[o] / straight[o], 3) for o in straight if o in found}
            results.append(row)
            print(json.dumps(row), flush=True)
    if args.output:
        write({**document, "receivers": len(RECEIVERS), "results": results}, args.output)


if __name__ == "__main__":
    main()
