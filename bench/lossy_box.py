"""Reverberation times of a box with absorbing walls beside those of its exact modes, stencil by stencil.

    python3 bench/lossy_box.py build/release/cli/fdtd -o bench/results/lossy-box.json

The box of 4.1 x 3.3 x 2.7 m has walls of absorption .06, .10, .16, .24 in the octaves from 125 to 1000 Hz. The program
fits branches to them, Y(s) = sum 1 / (D s + E + F / s); for walls of that admittance the modes of a box are exact:
along an axis of length L

    k tan(k L / 2 - n pi / 2) = i (omega / c) Y(i omega),

n half waves, and omega = c |k| couples the axes; a fixed point for each mode finds omega and its decay. The exact
response is the sum of all modes up to 2 kHz (H. Kuttruff, "Room Acoustics", chapter 3). The program measures both, so
that what is compared is the sound alone. Needs NumPy.
"""
import argparse
import json
import pathlib
import struct
import subprocess
import tempfile
import time

import numpy as np

SIDES = (4.1, 3.3, 2.7)
SOURCE = (0.7, 0.9, 0.6)
RECEIVERS = {f"R{i + 1}": at for i, at in enumerate(
    [(3.1, 2.2, 1.9), (2.3, 2.9, 0.8), (0.9, 2.6, 2.1), (3.6, 0.5, 1.2), (2.8, 1.3, 2.3), (1.7, 1.9, 1.4),
     (3.4, 2.8, 0.4), (1.2, 0.4, 1.7)])}
SOUND_SPEED, DURATION = 343.2, 2.0
OCTAVES = (125.0, 250.0, 500.0, 1000.0)
STENCILS = ("auto", "leggy-4", "leggy-4/warp1", "leggy-8/warp03", "compact-9/opt1", "box-222/opt1", "compact-4/radial1",
            "compact-9/radial03", "box-222/radial1")


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
[room]
box = {list(SIDES)}
walls = {{ default = "wall" }}
[materials.wall]
absorption = {{ bands = [125, 250, 500, 1000], alpha = [0.06, 0.10, 0.16, 0.24] }}
[[source]]
name = "S"
position = {list(SOURCE)}
{receivers}"""


def modes(branches, highest):
    """(half waves (n, 3), k (n, 3), omega (n,)), complex, of the modes below `highest` Hz."""
    counts = [int(2.0 * highest * side / SOUND_SPEED) + 2 for side in SIDES]
    n = np.stack([a.ravel() for a in np.meshgrid(*map(np.arange, counts), indexing="ij")], axis=1)
    k = np.pi * n / np.array(SIDES) + 0j
    omega = SOUND_SPEED * np.sqrt((k**2).sum(axis=1))
    keep = (omega.real > 0.0) & (omega.real < 2.0 * np.pi * highest)
    n, k, omega = n[keep], k[keep], omega[keep]
    for _ in range(80):
        s = 1j * omega
        right = 1j * omega / SOUND_SPEED * sum(1.0 / (b["D"] * s + b["E"] + b["F"] / s) for b in branches)
        for d in range(3):
            half, phase = SIDES[d] / 2.0, n[:, d] * np.pi / 2.0
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


def exact_responses(branches, rate, highest=2000.0):
    """Responses at the receivers, (receivers, samples)."""
    n, k, omega = modes(branches, highest)

    def shape(at):
        x = np.array(at) - np.array(SIDES) / 2.0
        return np.where(n % 2 == 0, np.cos(k * x), np.sin(k * x)).prod(axis=1)

    half = np.array(SIDES) / 2.0
    norm = (half + np.where(n % 2 == 0, 1.0, -1.0) * np.sin(2.0 * k * half) / (2.0 * k)).prod(axis=1)
    samples, block = int(DURATION * rate), 64
    out = np.zeros((len(RECEIVERS), samples + block))
    for i in range(0, len(omega), 4000):
        w = omega[i:i + 4000]
        base = np.exp(1j * np.outer(w, np.arange(block) / rate))
        now = np.stack([4.0 * np.pi * SOUND_SPEED**2 / rate * (shape(SOURCE) * shape(at) / norm / omega)[i:i + 4000]
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


def bands_in(document):
    """The first list of bands in a document of the program."""
    if isinstance(document, dict):
        if document.get("bands") and isinstance(document["bands"][0], dict) and "T20" in document["bands"][0]:
            return {band["centre"]: band for band in document["bands"]}
        document = list(document.values())
    for one in document if isinstance(document, list) else ():
        found = bands_in(one)
        if found:
            return found
    return None


def run(program, words, folder):
    done = subprocess.run([program, *words], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr[-600:])
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path, help="the fdtd program")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--stencils", nargs="+", default=STENCILS)
    parser.add_argument("--errors", nargs="+", type=float, default=[0.02, 0.01, 0.003])
    args = parser.parse_args()
    program, exact, results = args.program.resolve(), {}, []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for stencil in args.stencils:
            for error in args.errors:
                (folder / "box.toml").write_text(scene(stencil, error))
                began = time.time()
                found = run(program, ["run", "box.toml", "-o", "out", "--force", "--json"], folder)
                seconds = time.time() - began
                plan = found["plan"]
                branches = found["materials"][0]["branches"]
                key = json.dumps(branches)
                if key not in exact:
                    rate = 6000
                    exact[key] = []
                    for signal in exact_responses(branches, rate):
                        write_wav(folder / "exact.wav", signal, rate)
                        exact[key].append(bands_in(run(program, ["metrics", "exact.wav", "--json"], folder)))
                row = {"stencil": plan["stencil"],
                       "requested": stencil, "dispersion_error": error, "grid": plan["grid"],
                       "seconds": round(seconds, 1)}
                for figure in ("T20", "T30"):
                    row[figure + "_over_exact"] = {}
                    for octave in OCTAVES:
                        ratios = []
                        for receiver, truth in zip(found["receivers"], exact[key]):
                            ours, theirs = bands_in(receiver)[octave][figure], truth[octave][figure]
                            if ours and theirs:
                                ratios.append(round(ours / theirs, 3))
                        # Of the receivers at which both have the figure: their mean, the least and the largest.
                        row[figure + "_over_exact"][f"{octave:g}"] = [
                            round(float(f(ratios)), 3) for f in (np.mean, np.min, np.max)] if ratios else []
                results.append(row)
                print(json.dumps(row), flush=True)
    args.output.write_text(json.dumps({"what": __doc__.splitlines()[0], "command": "bench/lossy_box.py",
                                       "receivers": len(RECEIVERS), "results": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
