"""Reverberation times of a box with absorbing walls beside those of its exact modes, stencil by stencil.

    python3 bench/rooms/lossy_box.py build/release/cli/fdtd -o bench/results/lossy-box.json

The box of 4.1 x 3.3 x 2.7 m has walls of absorption .06, .10, .16, .24 in the octaves from 125 to 1000 Hz. The program
fits branches to them, Y(s) = sum 1 / (D s + E + F / s); for walls of that admittance the modes of a box are exact:
along an axis of length L

    k tan(k L / 2 - n pi / 2) = i (omega / c) Y(i omega),

n half waves, and omega = c |k| couples the axes; a fixed point for each mode finds omega and its decay. The exact
response is the sum of all modes up to 2 kHz (H. Kuttruff, "Room Acoustics", chapter 3). The program measures both, so
that the sound alone is compared.

T30 at one receiver depends on how thousands of modes interfere there. A grid shifts their frequencies by up to
dispersion_error, and a cubic one moves walls by up to a centimetre; the exact modes with these frequencies and sides,
their decays unchanged, are a second reference (`over_exact_on_grid`), whose difference from the first shows how
much of a receiver's difference is interference (`interference`). Needs NumPy and h5py.
"""
import argparse
import concurrent.futures
import itertools
import json
import pathlib
import struct
import sys
import tempfile
import threading
import time

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))  # of studies without rooms, too
from room_studies import bands_in, begun_document, run, write  # noqa: E402

SIDES = (4.1, 3.3, 2.7)
SOURCE = (0.7, 0.9, 0.6)
RECEIVERS = {f"R{i + 1}": at for i, at in enumerate(
    [(3.1, 2.2, 1.9), (2.3, 2.9, 0.8), (0.9, 2.6, 2.1), (3.6, 0.5, 1.2), (2.8, 1.3, 2.3), (1.7, 1.9, 1.4),
     (3.4, 2.8, 0.4), (1.2, 0.4, 1.7)])}
SOUND_SPEED, DURATION = 343.2, 2.0
OCTAVES = (125.0, 250.0, 500.0, 1000.0)
STENCILS = ("auto", "leggy-4", "leggy-4/warp1", "leggy-8/warp03", "compact-9/opt1", "box-222/opt1", "compact-4/radial1",
            "compact-9/radial03", "box-222/radial1", "box-222/radial03")


def scene(stencil, error):
    receivers = "".join(f'[[receiver]]\nname = "{name}"\nposition = {list(at)}\n' for name, at in RECEIVERS.items())
    return f"""schema = 1
[simulation]
duration = {DURATION}
max_frequency = 1414.0
dispersion_error = {error}
stencil = "{stencil}"
[air]
sound_speed = {SOUND_SPEED}
[above]
method = "none"
[room]
box = {list(SIDES)}
walls = {{ default = "wall" }}
[materials.wall]
absorption = {{ bands = [125, 250, 500, 1000], alpha = [0.06, 0.10, 0.16, 0.24] }}
[[source]]
name = "S"
position = {list(SOURCE)}
{receivers}"""


def modes(branches, highest, sides):
    """(half waves (n, 3), k (n, 3), omega (n,)), complex, of the modes below `highest` Hz."""
    counts = [int(2.0 * highest * side / SOUND_SPEED) + 2 for side in sides]
    n = np.stack([a.ravel() for a in np.meshgrid(*map(np.arange, counts), indexing="ij")], axis=1)
    k = np.pi * n / np.array(sides) + 0j
    omega = SOUND_SPEED * np.sqrt((k**2).sum(axis=1))
    keep = (omega.real > 0.0) & (omega.real < 2.0 * np.pi * highest)
    n, k, omega = n[keep], k[keep], omega[keep]
    for _ in range(80):
        s = 1j * omega
        right = 1j * omega / SOUND_SPEED * sum(1.0 / (b["D"] * s + b["E"] + b["F"] / s) for b in branches)
        for d in range(3):
            half, phase = sides[d] / 2.0, n[:, d] * np.pi / 2.0
            one = np.where(n[:, d] == 0, np.sqrt(right / half), k[:, d])
            for _ in range(4):  # Newton's method
                t = np.tan(one * half - phase)
                one = one - (one * t - right) / (t + one * half * (1.0 + t * t))
            k[:, d] = one
        before, omega = omega, SOUND_SPEED * np.sqrt((k**2).sum(axis=1))
        omega = np.where(omega.real < 0.0, -omega, omega)
        if np.abs(omega / before - 1.0).max() < 1e-10:
            return n, k, omega
    raise RuntimeError("the modes did not converge")


class GridWaves:
    """The frequency that a grid gives a wave vector, once the map of the stencil is undone."""

    def __init__(self, stencil, plan, result):
        self.stencil, self.plan, self.spacing = stencil, plan, np.array(plan["spacing_xyz"])
        if stencil["frequency_map"] == "radial":
            with h5py.File(result) as file:
                self.numbers = file["/render/frequency_map"][:]

    def chord_squared(self, k):
        """K = 4 sin^2(w/2) of wave vectors in 1/m."""
        lam, cells, total = SOUND_SPEED * self.plan["time_step"] / self.spacing, k * self.spacing, np.zeros(len(k))
        for shell, weight in zip(self.stencil["shells"], self.stencil["weights"][1:]):
            points = {tuple(a * b for a, b in zip(p, s)) for p in itertools.permutations(shell)
                      for s in itertools.product((1, -1), repeat=3)}
            for point in sorted(points):
                axis = np.flatnonzero(point)[0] if self.stencil["family"] == "leggy" else 0
                total += weight * (lam[axis] / self.stencil["courant"])**2 * (1.0 - np.cos(cells @ np.array(point)))
        return np.clip(total, 0.0, 4.0)

    def truth(self, square):
        """omega T that rendering makes of K."""
        if self.stencil["frequency_map"] == "none":
            return 2.0 * np.arcsin(np.sqrt(square) / 2.0)
        if self.stencil["frequency_map"] == "time":
            return np.sqrt(square)
        lam, edge, powers, shells = (self.numbers[0], self.numbers[1], self.numbers[2:6],
                                     self.numbers[6:].reshape(-1, 2))
        kappa = np.linspace(0.0, edge, 20001)
        value = sum(w * (1.0 - np.sinc(kappa * r / np.pi)) for r, w in shells)
        value = value - sum(a * (kappa / edge)**(2 * m + 4) for m, a in enumerate(powers))
        slope, target = (value[-1] - value[-2]) / (kappa[1] - kappa[0]), square / lam**2
        return lam * np.where(target <= value[-1], np.interp(target, value, kappa), edge + (target - value[-1]) / slope)

    def __call__(self, k):
        """(omega in rad/s, gain of each wave's direction over the rms of those of its frequency)."""
        size, e = np.sqrt((k**2).sum(axis=1)), 1e-4
        omega = self.truth(self.chord_squared(k)) / self.plan["time_step"]
        up, down = (self.truth(self.chord_squared(k * f)) / self.plan["time_step"] for f in (1.0 + e, 1.0 - e))
        group = (up - down) / (2.0 * e * size * SOUND_SPEED)
        speed = omega / (SOUND_SPEED * size) * group
        gain = np.where(speed > 0.5, 1.0 / np.maximum(speed, 0.5), 0.0)  # slower: beyond the band, which rendering cuts
        order, window = np.argsort(omega), 40
        total = np.concatenate([[0.0], np.cumsum(gain[order]**2)])
        low = np.maximum(np.arange(len(k)) - window, 0)
        high = np.minimum(np.arange(len(k)) + window, len(k))
        mean = np.empty(len(k))
        mean[order] = np.sqrt((total[high] - total[low]) / (high - low))
        return omega, gain / np.maximum(mean, 1e-12)  # none of a window in the band: 0


def exact_responses(branches, rate, sides=SIDES, waves=None, highest=2000.0):
    """Responses at the receivers, (receivers, samples); `waves`: with the frequencies of a grid."""
    n, k, omega = modes(branches, highest, sides)
    gain = 1.0
    if waves is not None:
        found, gain = waves(k.real)
        omega = omega + found - SOUND_SPEED * np.sqrt((k.real**2).sum(axis=1))

    def shape(at):
        x = np.array(at) - np.array(SIDES) / 2.0
        return np.where(n % 2 == 0, np.cos(k * x), np.sin(k * x)).prod(axis=1)

    half = np.array(sides) / 2.0
    norm = (half + np.where(n % 2 == 0, 1.0, -1.0) * np.sin(2.0 * k * half) / (2.0 * k)).prod(axis=1)
    samples, block = int(DURATION * rate), 64
    out = np.zeros((len(RECEIVERS), samples + block))
    for i in range(0, len(omega), 4000):
        w = omega[i:i + 4000]
        base = np.exp(1j * np.outer(w, np.arange(block) / rate))
        now = np.stack([4.0 * np.pi * SOUND_SPEED**2 / rate *
                        (gain * shape(SOURCE) * shape(at) / norm / omega)[i:i + 4000]
                        for at in RECEIVERS.values()])
        for begin in range(0, samples, block):
            out[:, begin:begin + block] += (now @ base).imag
            now = now * np.exp(1j * w * block / rate)
    return out[:, :samples]


def write_wav(path, signal, rate):
    data = (0.5 * signal / np.abs(signal).max()).astype("<f4").tobytes()
    form = b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 3, 1, rate, 4 * rate, 4, 32)
    head = form + b"data" + struct.pack("<I", len(data))
    path.write_bytes(b"RIFF" + struct.pack("<I", len(head) + len(data)) + head + data)


def measured(program, signals, rate, folder):
    """By receiver: the bands that the program finds in a response."""
    found = []
    for signal in signals:
        write_wav(folder / "exact.wav", signal, rate)
        found.append(bands_in(run(program, ["metrics", "exact.wav", "--json"], folder)))
    return found


def compared(ours, theirs):
    """T20 and T30 by octave: mean, least and largest ratio over the receivers at which both have the figure."""
    table = {}
    for figure in ("T20", "T30"):
        table[figure] = {}
        for octave in OCTAVES:
            ratios = [a[octave][figure] / b[octave][figure] for a, b in zip(ours, theirs)
                      if a[octave][figure] and b[octave][figure]]
            table[figure][f"{octave:g}"] = [round(float(f(ratios)), 3) for f in (np.mean, np.min, np.max)] \
                if ratios else []
    return table


def case(program, stencil, error, exact):
    """One row: a run beside the exact modes. `exact`: (lock, references by the branches of the walls), shared."""
    with tempfile.TemporaryDirectory() as name:
        folder, rate = pathlib.Path(name), 6000
        (folder / "box.toml").write_text(scene(stencil, error))
        began = time.time()
        found = run(program, ["run", "box.toml", "-o", "out", "--force", "--json"], folder)
        seconds = time.time() - began
        plan, branches = found["plan"], found["materials"][0]["branches"]
        lock, known = exact
        with lock:  # all rows wait for the first reference, which is most often theirs
            key = json.dumps(branches)
            if key not in known:
                known[key] = measured(program, exact_responses(branches, rate), rate, folder)
        weights = run(program, ["stencils", plan["stencil"], "--json"], folder)[0]
        sides = [n * h for n, h in zip(plan["grid"], plan["spacing_xyz"])]
        waves = GridWaves(weights, plan, folder / "out" / "result.h5")
        on_grid = measured(program, exact_responses(branches, rate, sides, waves), rate, folder)
        ours = [bands_in(receiver) for receiver in found["receivers"]]
        return {"stencil": plan["stencil"], "requested": stencil, "dispersion_error": error, "grid": plan["grid"],
                "seconds": round(seconds, 1), "over_exact": compared(ours, known[key]),
                "over_exact_on_grid": compared(ours, on_grid), "interference": compared(on_grid, known[key])}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path, help="the fdtd program")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--stencils", nargs="+", default=STENCILS)
    parser.add_argument("--errors", nargs="+", type=float, default=[0.02, 0.01, 0.003])
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time; seconds are then those of a busy machine")
    args = parser.parse_args()
    program, exact = args.program.resolve(), (threading.Lock(), {})
    document = begun_document(__doc__, program, "bench/rooms/lossy_box.py")
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        rows = [pool.submit(case, program, stencil, error, exact)
                for stencil in args.stencils for error in args.errors]
        results = []
        for row in rows:
            results.append(row.result())
            print(json.dumps(results[-1]), flush=True)
    write({**document, "jobs": args.jobs, "receivers": len(RECEIVERS), "results": results}, args.output)


if __name__ == "__main__":
    main()
