#!/usr/bin/env python3
"""Absorption that `fdtd fit` finds in small rooms beside the true one, in deviations that the fit states.

    python3 bench/rooms/fit_pull.py build/release/cli/fdtd -o bench/results/fit-pull.json

Each room, a box or an L-room by turns, has two or three materials of random area and absorption in the octaves of 125 and
250 Hz. A run with the true absorption, waves to 355 Hz, is what is measured; the scene that is fitted to it has exponents
of absorption that are off by random factors, whose logarithm has the deviation ln 1.5, the prior's own. A result is a
material and an octave of a room: absorption, the error of the exponent's logarithm, and the stated deviation of it. Of a
fit that is right in what it states, 95 % of the errors are within two deviations. Minutes on two cores. Standard library
only.
"""
import argparse
import math
import os
import pathlib
import random
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # of studies without rooms, too
from room_studies import Mesh, begun_document, receiver_tables, run, write  # noqa: E402

OCTAVES = (125, 250)
SPREAD = math.log(1.5)
FIELDS = ("results[]: a material of a room in an octave (Hz): area (m2), alpha true, stated in the scene and fitted; error and deviation "
          "of ln(-ln(1 - alpha)); pull: their ratio; alike: whether the fit names it among those that it does not distinguish; runs.")


def exponent_log(alpha):
    return math.log(-math.log1p(-alpha))


def alpha_of(x):
    return -math.expm1(-math.exp(x))


def digits(value):
    return float(f"{value:.4g}")


def box(chance, count):
    """Lines of [room] and the materials' areas; materials m0, m1, (m2) on pairs of opposite walls."""
    sides = [digits(chance.uniform(low, high)) for low, high in ((2.8, 4.2), (2.2, 3.2), (2.0, 2.7))]
    faces = [("x_min", "x_max"), ("y_min", "y_max"), ("z_min", "z_max")]
    areas, walls = [0.0] * count, []
    for axis, pair in enumerate(faces):
        material = min(axis, count - 1)
        areas[material] += 2.0 * sides[(axis + 1) % 3] * sides[(axis + 2) % 3]
        walls += [f'{name} = "m{material}"' for name in pair]
    places = [[digits(side * chance.uniform(0.15, 0.85)) for side in sides] for _ in range(4)]
    return f"box = {sides}\nwalls = {{ {', '.join(walls)} }}\n", None, areas, places


def l_room(chance, count):
    """Likewise; the walls, the floor and, of three materials, the ceiling have one each."""
    x, y, z = (digits(chance.uniform(low, high)) for low, high in ((3.2, 4.4), (2.8, 3.6), (2.1, 2.6)))
    u, v = digits(x * chance.uniform(0.45, 0.6)), digits(y * chance.uniform(0.45, 0.6))
    outline = [(0.0, 0.0), (x, 0.0), (x, v), (u, v), (u, y), (0.0, y)]
    mesh, ceiling = Mesh(), f"m{min(2, count - 1)}"
    for (a, b), (c, d) in zip(outline, outline[1:] + outline[:1]):
        mesh.quad("m0", (a, b, 0.0), (c, d, 0.0), (c, d, z), (a, b, z))
    for material, height in (("m1", 0.0), (ceiling, z)):
        mesh.quad(material, (0.0, 0.0, height), (x, 0.0, height), (x, v, height), (0.0, v, height))
        mesh.quad(material, (0.0, v, height), (u, v, height), (u, y, height), (0.0, y, height))
    floor = x * v + u * (y - v)
    areas = [2.0 * (x + y) * z, floor * (2.0 if count == 2 else 1.0), floor][:count]
    inner = [digits(z * chance.uniform(0.15, 0.85)) for _ in range(4)]
    places = [[digits(x * chance.uniform(0.6, 0.9)), digits(v * chance.uniform(0.2, 0.8)), inner[0]]]
    places += [[digits(u * chance.uniform(0.15, 0.85)), digits(y * chance.uniform(0.15, 0.9)), height] for height in inner[1:]]
    return 'mesh = "room.obj"\n', mesh, areas, places


def scene(room, places, alpha):
    materials = "".join(f"[materials.m{m}]\nabsorption = {{ bands = {list(OCTAVES)}, alpha = {values} }}\n"
                        for m, values in enumerate(alpha))
    return f"""schema = 1
simulation = {{ duration = 1.2, max_frequency = 355.0 }}
above.method = "none"
[room]
{room}{materials}[[source]]
name = "S"
position = {places[0]}
{receiver_tables(places[1:])}"""


def studied(program, number, seed, chance, kind, count):
    """The results of a room."""
    room, mesh, areas, places = kind(chance, count)
    true = [[digits(chance.uniform(0.05, 0.3)) for _ in OCTAVES] for _ in range(count)]
    prior = [[digits(alpha_of(exponent_log(one) + SPREAD * chance.gauss(0.0, 1.0))) for one in row] for row in true]
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        if mesh:
            (at / "room.obj").write_text(mesh.text(), encoding="utf-8")
        (at / "true.toml").write_text(scene(room, places, true), encoding="utf-8")
        (at / "room.toml").write_text(scene(room, places, prior), encoding="utf-8")
        run(program, ["run", "true.toml", "-o", "true", "--quiet", "--json"], at)
        fit = run(program, ["fit", "room.toml", "true", "-o", "fitted.toml", "--octaves", ",".join(map(str, OCTAVES)), "--json"],
                  at)
    results = []
    for octave in fit["octaves"]:
        at = OCTAVES.index(int(octave["centre"]))
        alike = {name for group in octave["alike"] for name in group["materials"]} | set(octave["unseen"])
        for one in octave["materials"]:
            m = int(one["material"][1:])
            exponent = -math.log1p(-one["fitted"])
            deviation = one["deviation"] / (exponent * (1.0 - one["fitted"]))
            error = exponent_log(one["fitted"]) - exponent_log(true[m][at])
            results.append({
                "seed": seed, "room": number, "shape": kind.__name__, "materials": count, "material": one["material"],
                "octave": octave["centre"], "area": digits(areas[m]), "true": true[m][at], "prior": one["prior"],
                "fitted": one["fitted"], "error": digits(error), "deviation": digits(deviation),
                "pull": digits(error / deviation), "alike": one["material"] in alike, "runs": octave["runs"],
                "excess": digits(octave["excess"])
            })
    return results


def sum_error(results, name):
    """The rms over rooms and octaves of the relative error of the sum of exponents times area, `name` beside true."""
    parts = {}
    for one in results:
        part = parts.setdefault((one["room"], one["octave"]), [0.0, 0.0])
        for i, value in enumerate((one[name], one["true"])):
            part[i] -= one["area"] * math.log1p(-value)
    return math.sqrt(sum(math.log(found / true)**2 for found, true in parts.values()) / len(parts))


def summary(results):
    share = lambda test: digits(sum(map(test, results)) / len(results))  # noqa: E731
    return {
        "coefficients": len(results),
        "within_two_deviations": share(lambda one: abs(one["pull"]) <= 2.0),
        "within_one_deviation": share(lambda one: abs(one["pull"]) <= 1.0),
        "within_0.02": share(lambda one: abs(one["fitted"] - one["true"]) <= 0.02),
        "prior_within_0.02": share(lambda one: abs(one["prior"] - one["true"]) <= 0.02),
        "sum_error": digits(sum_error(results, "fitted")),
        "prior_sum_error": digits(sum_error(results, "prior")),
        "error": digits(math.sqrt(sum(one["error"]**2 for one in results) / len(results))),
        "deviation": digits(math.sqrt(sum(one["deviation"]**2 for one in results) / len(results))),
        "prior_error": digits(math.sqrt(
            sum((exponent_log(one["prior"]) - exponent_log(one["true"]))**2 for one in results) / len(results)))
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--rooms", type=int, default=32)
    parser.add_argument("--seed", type=int, default=51)
    parser.add_argument("-o", type=pathlib.Path)
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    shown = "python3 bench/rooms/fit_pull.py " + " ".join(
        os.path.basename(word) if os.path.isabs(word) else word for word in sys.argv[1:])
    document = begun_document(__doc__, program, shown) | {"fields": FIELDS}
    results = []
    for number in range(options.rooms):
        chance = random.Random(options.seed * 10007 + number)
        kind, count = (box, l_room)[number % 2], 2 + number // 2 % 2
        results += studied(program, number, options.seed, chance, kind, count)
        print(number, kind.__name__, count, summary(results), flush=True)
    if options.o:
        write(document | {"summary": summary(results), "results": results}, options.o)


if __name__ == "__main__":
    main()
