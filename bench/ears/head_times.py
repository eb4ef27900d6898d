"""head_times.py HEAD.sofa: how smooth the interaural time differences of a measured head are over direction.

By order N: what spherical harmonics of the time difference itself to order N leave of it, as channels of that order have no
finer directions; and, along rings of elevation, how far a direction is from the mean of its two neighbours. Time differences
are those of bench_head_ears: the delay of the largest correlation of both ears from 150 to 437 N Hz.
"""

import json
import sys

import h5py
import numpy as np

with h5py.File(sys.argv[1]) as file:
    responses = file["Data.IR"][:]
    rate = float(file["Data.SamplingRate"][0])
    places = file["SourcePosition"][:]

length = 8192
hertz = np.fft.rfftfreq(length, 1 / rate)
spectra = np.fft.rfft(responses, length, axis=2)
delays = np.arange(-1e-3, 1e-3, 1e-6)
azimuth, elevation = np.radians(places[:, 0]), np.radians(places[:, 1])
x, y, z = np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)


def time_differences(highest: float) -> np.ndarray:
    """Microseconds by which sound is later at the right ear."""
    used = (hertz >= 150) & (hertz <= highest)
    cross = spectra[:, 0, used] * np.conj(spectra[:, 1, used])
    turns = np.exp(-2j * np.pi * np.outer(hertz[used], delays))
    return 1e6 * delays[np.argmax((cross @ turns).real, axis=1)]


def left_out(times: np.ndarray, order: int) -> np.ndarray:
    """Polynomials of x, y, z to degree N span the harmonics to order N on the sphere."""
    basis = [
        x**a * y**b * z**c for c in (0, 1) for a in range(order + 1) for b in range(order + 1) if a + b + c <= order
    ]
    matrix = np.array(basis).T
    return times - matrix @ np.linalg.lstsq(matrix, times, rcond=1e-6)[0]


def beside_neighbours(times: np.ndarray) -> np.ndarray:
    found = []
    for ring in np.unique(places[:, 1]):
        (members,) = np.nonzero(places[:, 1] == ring)
        if len(members) < 12:
            continue
        along = times[members[np.argsort(places[members, 0])]]
        found.append(along - (np.roll(along, 1) + np.roll(along, -1)) / 2)
    return np.concatenate(found)


rows = []
for n in (3, 5, 7, 9):
    t = time_differences(437 * n)
    rows.append(
        {
            "order": n,
            "harmonics_leave_p95_us": round(float(np.percentile(np.abs(left_out(t, n)), 95)), 1),
            "beside_neighbours_p95_us": round(float(np.percentile(np.abs(beside_neighbours(t)), 95)), 1),
        }
    )
print(json.dumps({"directions": len(places), "results": rows}, indent=1))
