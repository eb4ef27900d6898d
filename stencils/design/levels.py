"""Levels of single directions against levels of modes, and what transducers can do about the first.

    python levels.py compact-4/radial03 leggy-4/warp1

Far from a point source the amplitude in a direction goes with 1/(|grad K| sqrt(C)), C the Gaussian curvature of the
surface of wave vectors of one frequency (M. J. Lighthill 1960); L is that over the mean's.  A mode of a rigid box has
the residue 1/(dK/dkappa) of the map whatever its direction.  A source and a receiver that multiply each wave by F(k)
change the first to F^2 L and the second to F^2: the two cannot be right together unless L = 1.

For each set, F = 1 (`flat`) and F = L^(-1/2) times a free function of |k|, a sum over compact-5's 57 points fitted up
to .9 of the band (`shaped`):

    left         what the fit leaves of L, largest of all directions up to .9 of the band, dB
    arrival      of one arrival 1, 4 and 9 wavelengths from the source, in 40 directions at .8, .85 and .9 of the band:
                 rms error of its level, dB, and rms error of its complex amplitude, relative
    modes        rms and largest error of the amplitudes of a rigid box's modes from .75 to .9 of the band, dB
    early        of the first 45 cells' time of a rigid box of 40 x 33 x 27 cells, several images, over 24 pairs up to
                 30 cells apart: rms error of the level from .45 to .9 of the band, dB, and of the response at .8 to
                 .9, relative

Responses are sums over the modes of the scheme's rigid box, exact but for rounding, read by the map of the set.
"""
import argparse
import itertools
import re
from pathlib import Path

import numpy as np
import weights_file
from scipy.optimize import linprog
from shells import fan, points, shells_of

HERE = Path(__file__).resolve().parent
KINDS = {"warp1": "leggy-spatial-opt eps=0.01", "warp03": "leggy-spatial-opt eps=0.003", "opt1": "minimax eps=0.01"}


def decibels(x):
    return 20.0 * np.log10(np.abs(x))


def rms(x):
    return float(np.sqrt(np.mean(np.square(np.abs(x)))))


class Scheme:
    """K = 2 - s over lambda^2, its map G(kappa), the band's edge."""

    def __init__(self, name):
        member, kind = name.split("/")
        family, number = member.split("-")
        self.name, self.kind = name, kind
        shells = shells_of(family, tuple(map(int, number)) if family == "box" else int(number))
        if kind.startswith("radial"):  # the table of ../radial.cpp
            numbers = r"\s*\{([^}]*)\}"
            row = re.search(rf'"{name}",([^{{]*),{numbers},{numbers}', (HERE / "../radial.cpp").read_text())
            head, correction, gamma = ([float(x) for x in part.split(",")] for part in row.groups())
            self.courant, self.edge = head[1], head[2] * np.pi
            self.correction = np.array(correction) / self.courant**2
        else:
            entries = weights_file.read(HERE / "weights.json") + weights_file.read(HERE / "weights_extra.json")
            row = next(e for e in entries if e["fam"] == family and weights_file.label(e).split()[0] == member
                       and e["set"].startswith(KINDS[kind]))
            gamma, self.courant = row["gamma"], row["lam"]
            self.edge = (row.get("beta") or row["b1"])[0] * np.pi
        self.shells = [(np.linalg.norm(q), len(points(q)), g / self.courant**2) for q, g in zip(shells, gamma[1:])]
        self.points = np.array([p for q in shells for p in points(q)], float)
        self.weights = np.concatenate([[g / self.courant**2] * len(points(q)) for q, g in zip(shells, gamma[1:])])

    def map(self, kappa):
        """G: K in the mean over directions, as rendering undoes it."""
        kappa = np.asarray(kappa, float)
        if self.kind.startswith("warp"):
            return kappa**2
        if self.kind.startswith("opt"):
            return 4.0 * np.sin(self.courant * kappa / 2.0)**2 / self.courant**2
        y = (kappa / self.edge)**2
        return (sum(n * g * (1.0 - np.sinc(kappa * r / np.pi)) for r, n, g in self.shells) -
                sum(a * y**(m + 2) for m, a in enumerate(self.correction)))

    def symbol(self, k):
        """K, its gradient and its Hessian at every row of k."""
        phase = k @ self.points.T
        cosines, sines = np.cos(phase) * self.weights, np.sin(phase) * self.weights
        hessian = np.einsum("ni,ij,ik->njk", cosines, self.points, self.points)
        return self.weights.sum() - cosines.sum(1), sines @ self.points, hessian

    def surface(self, directions, kappa):
        """The wave vectors of true wave number kappa in the directions."""
        radius = np.full(len(directions), float(kappa))
        for _ in range(30):
            value, gradient, _ = self.symbol(radius[:, None] * directions)
            radius += np.clip((self.map(kappa) - value) / np.sum(gradient * directions, 1), -0.1, 0.1)
        return radius[:, None] * directions

    def amplitude(self, k):
        """Of the far field of these waves, over the exact one."""
        _, g, h = self.symbol(k)
        adjugate = np.stack([np.cross(h[:, (i + 1) % 3], h[:, (i + 2) % 3]) for i in range(3)], axis=1)
        curvature = np.einsum("ni,nij,nj->n", g, adjugate, g) / np.sum(g * g, 1)**2
        return 2.0 / np.sqrt(np.sum(g * g, 1) * np.maximum(curvature, 1e-9))

    def gain(self, kappa, spectrum):
        """The divisor of rendering: rms over directions of the gain of wave vectors times F^2."""
        x, w = np.polynomial.legendre.leggauss(8)
        height, angle = np.repeat(0.5 + x / 2, 8), np.pi / 4 * (1.0 + np.tile(x, 8))
        across = np.sqrt(1.0 - height**2)
        directions = np.stack([across * np.cos(angle), across * np.sin(angle), height], axis=1)
        k = self.surface(directions, kappa)
        rise = np.sum(self.symbol(k)[1] * directions, 1)
        one = 2.0 * np.linalg.norm(k, axis=1) / rise * spectrum(k)**2
        return np.sqrt(np.sum(np.outer(w, w).ravel() / 4.0 * one**2))


def flat(k):
    return np.ones(len(k))


def fitted(scheme, reach=0.9, radii=14, powers=5):
    """F, and what it leaves of L up to .9 of the band, dB: minimax of F sqrt(L)/m(|k|), m a free polynomial."""
    shells = [np.array(points(q), float) for q in shells_of("compact", 5)]

    def sums(k):
        return np.stack([np.cos(k @ p.T).sum(1) - len(p) for p in shells], axis=1)

    directions, rows, roots, shares = fan(13), [], [], []
    for share in np.linspace(1.0 / radii, 1.0, radii):
        k = scheme.surface(directions, reach * share * scheme.edge)
        rows.append(sums(k))
        roots.append(np.sqrt(scheme.amplitude(k) / scheme.gain(reach * share * scheme.edge, flat)))
        shares.append(np.full(len(k), share))
    rows, roots, shares = np.concatenate(rows), np.concatenate(roots), np.concatenate(shares)
    radial = np.stack([shares**(2 * j + 2) for j in range(powers)], axis=1)
    left = np.hstack([rows * roots[:, None], -radial])
    mean, n = np.ones(len(left)), rows.shape[1]
    floor = np.hstack([np.zeros_like(rows), -radial, np.zeros((len(left), 1))])  # m >= 1/2
    for _ in range(4):  # relative to m of the iterate before
        share = -mean[:, None]
        found = linprog(np.r_[np.zeros(left.shape[1]), 1.0],
                        A_ub=np.vstack([np.hstack([left, share]), np.hstack([-left, share]), floor]),
                        b_ub=np.r_[1.0 - roots, roots - 1.0, np.full(len(left), 0.5)],
                        bounds=[(-2, 2)] * n + [(-0.5, 0.5)] * powers + [(0, None)], method="highs").x
        mean = 1.0 + radial @ found[n:-1]
    level = (1.0 + rows @ found[:n]) * roots / mean
    return (lambda k: 1.0 + sums(k) @ found[:n]), float(np.abs(decibels(level**2)[reach * shares <= 0.9001]).max())


class Box:
    """Modes of the rigid box of `size` cells: frequencies (true wave numbers) and amplitudes, the exact ones first."""

    def __init__(self, scheme, size, spectra):
        index = np.array(list(itertools.product(*map(range, size))))[1:]
        k = index * np.pi / np.array(size)
        inside = np.linalg.norm(k, axis=1) < 1.2 * scheme.edge
        self.k, index = k[inside], index[inside]
        number = np.linalg.norm(self.k, axis=1)
        table = np.linspace(0.0, scheme.edge, 4001)
        values, step = scheme.map(table), table[1]
        symbol, _, _ = scheme.symbol(self.k)
        end = (values[-1] - values[-2]) / step
        found = np.interp(symbol, values, table) + np.maximum(symbol - values[-1], 0.0) / end
        slope = np.interp(found, table, np.gradient(values, step))
        share = np.prod(np.where(index > 0, 2.0, 1.0), axis=1) / np.prod(size)
        self.edge, self.number = scheme.edge, number
        kappa = np.linspace(0.02, 1.0, 50) * scheme.edge
        self.fields = [(number, share / number)]
        for spectrum in spectra:
            gain = np.interp(found, kappa, [scheme.gain(x, spectrum) for x in kappa])
            self.fields.append((found, 2.0 * share / slope * spectrum(self.k)**2 / gain))

    def responses(self, source, receiver, times):
        """Exact, then by each spectrum; low-passed just below the edge."""
        shapes = np.prod(np.cos(self.k * source) * np.cos(self.k * receiver), axis=1)
        low_pass = [1.0 / (1.0 + np.exp((w / self.edge - 0.97) / 0.008)) for w, _ in self.fields]
        return np.array([np.sin(np.outer(times, w)) @ (shapes * a * p) for (w, a), p in zip(self.fields, low_pass)])


def spectra_of(responses, times, window, wave_numbers):
    return responses * window @ np.exp(-1j * np.outer(times, wave_numbers))


def arrivals(scheme, spectra, random):
    """[wavelengths][spectrum] of (rms level, rms relative error): the source in a corner is a source in free space."""
    box = Box(scheme, (44, 44, 44), spectra)
    directions = np.abs(random.normal(size=(40, 3)))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    wave_numbers, result = np.array([0.8, 0.85, 0.9]) * scheme.edge, []
    for wavelengths in (1.0, 4.0, 9.0):
        distance = wavelengths * 2.0 * np.pi / (0.85 * scheme.edge)
        times = np.arange(max(0.0, distance - 14.0), distance + 14.0, 0.45)
        window = np.cos(np.pi / 2.0 * (times - distance) / 14.0)**2
        lines = [spectra_of(box.responses(np.zeros(3), distance * d, times), times, window, wave_numbers)
                 for d in directions]
        result.append([(rms([decibels(x[i] / x[0]) for x in lines]), rms([x[i] / x[0] - 1.0 for x in lines]))
                       for i in range(1, len(spectra) + 1)])
    return result


def early(box, size, count, random, pairs=24, end=45.0, farthest=30.0):
    """[spectrum] of (rms level from .45 to .9 of the band, relative error from .8 to .9)."""
    times = np.arange(0.0, end, 0.45)
    window = np.cos(np.pi / 2.0 * np.clip((times / end - 0.7) / 0.3, 0.0, 1.0))**2
    octave, top = np.linspace(0.45, 0.9, 91) * box.edge, np.linspace(0.8, 0.9, 21) * box.edge
    level, error = [], []
    for _ in range(pairs):
        source, receiver = random.uniform(0.1, 0.9, (2, 3)) * size
        while np.linalg.norm(source - receiver) > farthest:
            source, receiver = random.uniform(0.1, 0.9, (2, 3)) * size
        responses = box.responses(source, receiver, times)
        energy = np.sum(np.abs(spectra_of(responses, times, window, octave))**2, axis=1)
        level.append(10.0 * np.log10(energy[1:] / energy[0]))
        spectra = spectra_of(responses, times, window, top)
        error.append(np.linalg.norm(spectra[1:] - spectra[0], axis=1) / np.linalg.norm(spectra[0]))
    return [(rms(np.array(level)[:, i]), rms(np.array(error)[:, i])) for i in range(count)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", help="names of the catalogue: radial, warp or opt1 sets")
    for name in parser.parse_args().sets:
        scheme, size = Scheme(name), (40, 33, 27)
        shaped, left = fitted(scheme)
        spectra = [flat, shaped]
        far = arrivals(scheme, spectra, np.random.default_rng(3))
        box = Box(scheme, size, spectra)
        near = early(box, np.array(size), len(spectra), np.random.default_rng(5))
        band = (box.number > 0.75 * scheme.edge) & (box.number < 0.9 * scheme.edge)
        print(f"{name}: left {left:.2f} dB", flush=True)
        for i, kind in enumerate(("flat", "shaped")):
            modes = decibels(box.fields[i + 1][1] / box.fields[0][1])[band]
            print(f"  {kind:7s} arrival " + ", ".join(f"{a[i][0]:.2f} dB {a[i][1]:.3f}" for a in far) +
                  f"; modes {rms(modes):.2f} {np.abs(modes).max():.2f} dB; early {near[i][0]:.2f} dB {near[i][1]:.3f}",
                  flush=True)


if __name__ == "__main__":
    main()
