"""The properties of a set of weights: bounds of its symbol, fractions of the wavenumber radius, consistency.

    python measure.py weights_extra.json            one line an entry, non-zero status when a check fails

Nothing here trusts what a file claims.  `check` holds every entry to |S| - 2 <= 1e-12 over the Brillouin zone, to its
consistency sums within 1e-14 a unit weight and to its claimed fractions within 0.0025.
"""
import argparse
import sys

import numpy as np
import weights_file
from scipy.optimize import minimize
from shells import consistency, fan, symbol, wedge

DIAGONALS = np.array([(1, 0, 0), (1, 1, 0), (1, 1, 1)]) / np.sqrt([[1], [2], [3]])


def _symbol_1d_range(gamma):
    """Range of a leggy symbol: three times that of one axis, a trigonometric polynomial (scan, then its derivative's
    roots by Newton)."""
    m = np.arange(1, len(gamma))
    k = np.linspace(0.0, np.pi, 64 * len(gamma) + 1)
    g = np.asarray(gamma[1:])
    for _ in range(60):
        slope = -2.0 * np.sin(np.outer(k, m)) @ (g * m)
        bend = -2.0 * np.cos(np.outer(k, m)) @ (g * m * m)
        step = np.divide(slope, bend, out=np.zeros_like(k), where=np.abs(bend) > 1e-12)
        k = np.clip(k - np.clip(step, -0.02, 0.02), 0.0, np.pi)
    values = gamma[0] + 6.0 * np.cos(np.outer(np.r_[k, np.linspace(0, np.pi, 4001)], m)) @ g
    return values.min(), values.max()


def symbol_range(shells, gamma, n=49, starts=24):
    """(min, max) of s over the Brillouin zone: exact by axis for leggy stencils, else the scan of an n-a-side wedge
    and a bounded descent from its `starts` lowest and highest points."""
    if all(q[1] == 0 for q in shells):
        return _symbol_1d_range(gamma)
    k = wedge(n)
    s = symbol(shells, gamma, k)
    order = np.argsort(s)
    bounds = [(0.0, np.pi)] * 3
    low, high = s[order[0]], s[order[-1]]
    for sign, picks in ((1.0, order[:starts]), (-1.0, order[::-1][:starts])):
        def value(x, sign=sign):
            return sign * symbol(shells, gamma, x[None])[0]
        for i in picks:
            options = dict(ftol=1e-16, gtol=1e-12)
            found = sign * minimize(value, k[i], bounds=bounds, method="L-BFGS-B", options=options).fun
            low, high = min(low, found), max(high, found)
    return low, high


def velocity_error(shells, gamma, courant, k, removal=False):
    """v - 1 at every row of k; with `removal` after time-dispersion removal, omega_true T = 2 sin(omega T / 2)."""
    s = np.clip(symbol(shells, gamma, k), -2.0, 2.0)
    omega = np.sqrt(2.0 - s) if removal else np.arccos(s / 2.0)
    return omega / (courant * np.linalg.norm(k, axis=1)) - 1.0


def fraction_along(shells, gamma, courant, directions, tolerance, removal=False, step=0.0025):
    """For each direction the largest beta = |k|/pi <= 1 such that |v - 1| <= tolerance for all smaller radii, as long
    as k stays in the cube |k_d| <= pi; the crossing is bisected."""
    radii = np.arange(1, round(1.0 / step) + 1) * step
    k = (directions[:, None, :] * (np.pi * radii)[None, :, None]).reshape(-1, 3)
    bad = np.abs(velocity_error(shells, gamma, courant, k, removal)) > tolerance
    bad |= (k > np.pi * (1 + 1e-12)).any(axis=1)
    bad = bad.reshape(len(directions), -1)
    out = np.ones(len(directions))
    for i in np.flatnonzero(bad.any(axis=1)):
        j = int(np.argmax(bad[i]))
        low, high = (radii[j - 1] if j else 0.0), radii[j]
        for _ in range(20):
            middle = 0.5 * (low + high)
            kk = directions[i:i + 1] * (np.pi * middle)
            inside = (kk <= np.pi * (1 + 1e-12)).all()
            good = inside and abs(velocity_error(shells, gamma, courant, kk, removal)[0]) <= tolerance
            low, high = (middle, high) if good else (low, middle)
        out[i] = low
    return out


def fractions(shells, gamma, courant, tolerance, removal=False, directions=21):
    """[worst over the fan, 100, 110, 111], floored to 1e-4: what the catalogue claims."""
    worst = fraction_along(shells, gamma, courant, fan(directions), tolerance, removal).min()
    axes = fraction_along(shells, gamma, courant, DIAGONALS, tolerance, removal)
    return [float(np.floor(1e4 * b) / 1e4) for b in (worst, *axes)]


def consistency_defect(shells, gamma, courant):
    """Largest residual of the two consistency sums, relative to the sum of the absolute terms."""
    a, b = consistency(shells, courant)
    return float((np.abs(a @ gamma - b) / np.maximum(1.0, np.abs(a) @ np.abs(gamma))).max())


def polish(shells, gamma, courant):
    """The smallest change of the weights that meets the consistency sums to rounding (an LP leaves 1e-9)."""
    a, b = consistency(shells, courant)
    gamma = np.array(gamma, float)
    for _ in range(3):
        gamma += np.linalg.lstsq(a, b - a @ gamma, rcond=None)[0]
    return gamma


def check(entry):
    """Problems of one entry of a weights file, as a list of lines; empty when every claim holds."""
    shells, gamma, courant = [tuple(q) for q in entry["shells"]], np.array(entry["gamma"]), entry["lam"]
    removal = "spatial" in entry["set"]
    problems = []
    low, high = symbol_range(shells, gamma)
    if low < -2 - 1e-12 or high > 2 + 1e-12:
        problems.append(f"symbol in [{low:.3e}, {high:.3e}]")
    defect = consistency_defect(shells, gamma, courant)
    if defect > 1e-14:
        problems.append(f"consistency sums off by {defect:.1e}")
    for key, tolerance in weights_file.claims(entry):
        claim = entry[key] if isinstance(entry[key], list) else [entry[key]]
        found = fractions(shells, gamma, courant, tolerance, removal)
        if any(abs(c - f) > 0.0025 for c, f in zip(claim, found)):
            problems.append(f"{key}: claims {claim}, measured {found}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="weights file (JSON)")
    failed = 0
    for entry in weights_file.read(parser.parse_args().file):
        problems = check(entry)
        failed += bool(problems)
        print(f"{weights_file.label(entry):40s} K {entry['K']:4d}  " + ("; ".join(problems) or "ok"), flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
