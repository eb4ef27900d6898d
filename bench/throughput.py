"""Rooms an hour of data sets of small rooms, beside pyroomacoustics' image sources and rays for the same rooms.

    FDTD_PROGRAM=build/release/cli/fdtd PYTHONPATH=python:bench python3 bench/throughput.py -o bench/results/throughput.json

Boxes of 30 to 60 m3 with a material of the library on each pair of walls, one source, four receivers, responses of .5 s.
Every room is computed by one thread. `processor_seconds` is processor time a room, all in: the draw, the plan, walls, time
steps, rendering, figures of ISO 3382-1, files, and what the data set keeps; with geometry above the waves' band as well
(`--whole-band`, and these alone) to .45 of the image sources' sample rate; `--plans`: to 500 Hz alone, where planning takes
most of the time, without pyroomacoustics. The image sources are those of every reflection
that arrives within .5 s (`all`) or of the first three orders with rays for the rest (`rays`), without figures or files.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import resource
import subprocess
import tempfile
import time

import numpy as np
from room_studies import write
from roomfdtd import dataset, generators, materials

DURATION, RATE = 0.5, 16000
VOLUMES = (30.0, 60.0)  # m3


@dataclasses.dataclass(frozen=True)
class SmallRooms:
    """Boxes of 30 to 60 m3: draws are repeated until the volume is in the range."""

    boxes: generators.BoxRooms

    def __call__(self, rng):
        while True:
            sample = self.boxes(rng)
            if VOLUMES[0] <= sample.labels["volume"] <= VOLUMES[1]:
                return sample


def rooms(frequency, stencil, method):
    boxes = generators.BoxRooms(length=(3.5, 6.0), width=(2.8, 4.5), height=(2.4, 3.0), receivers=4,
                                duration=DURATION, max_frequency=frequency, stencil=stencil,
                                sample_rate=8000 if method == "none" else RATE, above={"method": method})
    return SmallRooms(boxes)


def processor_seconds(compute):
    """Of this process and of the children that it has waited for."""
    def now():
        return sum(usage.ru_utime + usage.ru_stime for usage in
                   (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))
    began = now()
    compute()
    return now() - began


def of_fdtd(frequency, stencil, count, method="none"):
    generator = rooms(frequency, stencil, method)
    with tempfile.TemporaryDirectory() as name:
        dataset(pathlib.Path(name) / "first", generator, 1, seed=9, workers=0, threads=1)  # modules are loaded, caches written
        found = {}

        def compute():
            found["set"] = dataset(pathlib.Path(name) / "rooms", generator, count, seed=1, workers=0, threads=1)

        seconds = processor_seconds(compute)
        data = found["set"]
        assert not data.failures, data.failures[0]
        throughput = data.throughput
        nodes = [data._shelf.document(room)["facts"]["nodes"] for room in data.done]
    return {
        "what": f"fdtd, {stencil}" + ("" if method == "none" else f", geometry to {0.45 * RATE:g} Hz"),
        "max_frequency": frequency,
        "rooms": count,
        "processor_seconds": round(seconds / count, 4),
        "rooms_per_hour_and_core": round(3600 * count / seconds),
        "nodes": round(float(np.median(nodes))),
        "fractions": {name: round(part, 3) for name, part in throughput.fractions.items()},
        "writing": round(throughput.writing, 3),
        "most": throughput.binds,
    }


def peer_version():
    import pyroomacoustics as pra

    return pra.__version__


def absorption(library, name):
    entry = library[name]
    return {"coeffs": list(entry["alpha"]), "center_freqs": list(entry["bands"])}


def of_images(kind, count, library):
    """pyroomacoustics with the same sizes, places and absorption coefficients."""
    import pyroomacoustics as pra

    generator = rooms(500.0, "leggy-4", "none")
    samples = [generator(np.random.default_rng(np.random.SeedSequence(1, spawn_key=(room,)))) for room in range(count)]

    def compute():
        for sample in samples:
            scene, names = sample.scene.document, sample.labels
            walls = {"east": "x_walls", "west": "x_walls", "north": "y_walls", "south": "y_walls", "floor": "floor",
                     "ceiling": "ceiling"}
            of = {wall: pra.Material(absorption(library, names[f"material_{surface}"])) for wall, surface in walls.items()}
            size = scene["room"]["box"]
            order = int(np.ceil(343.0 * DURATION / min(size))) if kind == "all" else 3
            room = pra.ShoeBox(size, fs=RATE, materials=of, max_order=order, ray_tracing=kind == "rays", air_absorption=True)
            room.add_source(scene["source"][0]["position"])
            for receiver in scene["receiver"]:
                room.add_microphone(receiver["position"])
            room.compute_rir()

    seconds = processor_seconds(compute)
    names = {"all": "pyroomacoustics, image sources to .5 s", "rays": "pyroomacoustics, image sources to order 3 and rays"}
    return {"what": names[kind], "sample_rate": RATE, "rooms": count, "processor_seconds": round(seconds / count, 4),
            "rooms_per_hour_and_core": round(3600 * count / seconds)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=24, help="rooms to 500 Hz; a sixth and a 24th of them above")
    parser.add_argument("--whole-band", action="store_true", help="rooms to 500 and 1000 Hz without and with geometry above")
    parser.add_argument("--plans", action="store_true", help="rooms to 500 Hz alone, without pyroomacoustics")
    args = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    library = {entry["name"]: entry for entry in materials()}
    results = []
    if args.whole_band:
        for frequency, fraction in ((500.0, 1), (1000.0, 3)):
            for method in ("none", "rays"):
                results.append(of_fdtd(frequency, "leggy-4", max(1, args.count // fraction), method))
                print(json.dumps(results[-1]))
        results.append(of_images("rays", args.count, library))
        print(json.dumps(results[-1]))
    if args.plans:
        for stencil in ("auto", "leggy-4"):
            results.append(of_fdtd(500.0, stencil, args.count))
            print(json.dumps(results[-1]))
    others = not (args.whole_band or args.plans)
    cases = ((500.0, ("auto", "leggy-4"), 1), (1000.0, ("auto", "leggy-4"), 6), (4000.0, ("leggy-4",), 24))
    for frequency, stencils, fraction in cases if others else ():
        for stencil in stencils:
            results.append(of_fdtd(frequency, stencil, max(1, args.count // fraction)))
            print(json.dumps(results[-1]))
    for kind, fraction in (("rays", 1), ("all", 8)) if others else ():
        results.append(of_images(kind, max(1, args.count // fraction), library))
        print(json.dumps(results[-1]))
    if args.output:
        program = json.loads(subprocess.run([os.environ["FDTD_PROGRAM"], "doctor", "--json"], check=True,
                                            capture_output=True).stdout)
        peer = {} if args.plans else {"pyroomacoustics": peer_version()}
        write({"benchmark": "throughput", "date": time.strftime("%Y-%m-%d"), "processor": program["processor"],
               "program": f'fdtd {program["version"]} ({program["build"]})'} | peer | {"results": results}, args.output)


if __name__ == "__main__":
    main()
