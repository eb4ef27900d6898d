"""Minimax weights: the largest ball of wave vectors on which |v - 1| <= eps in every direction, by linear programmes.

    python minimax.py compact 17 --eps 0.01 -o weights_extra.json --cuts cuts.json
    python minimax.py box 322 --eps 0.02 -o weights_extra.json --cuts cuts.json
    python minimax.py leggy 9 --eps 0.003 -o weights_extra.json

At a given Courant number lambda and radius beta (fraction of pi) all requirements are linear in the weights gamma of S:

    2 cos(lambda |k| (1 + eps)) <= s(k) <= 2 cos(lambda |k| (1 - eps))   for |k| <= beta pi   accuracy
    -2 <= s(k) <= 2                                                      everywhere           stability
    s(k) <= 2 cos(lambda beta pi (1 - eps))                              for |k| > beta pi    no parasite below f_max
    sum of weights 2, second moment 2 lambda^2                                                consistency
    -2 <= gamma_0 + gamma . mu <= 2                                      for every cut mu     masks (certificate.py)

They are infinitely many, so an exchange is used: solve on a working set while maximising the slack sigma (in units of
the tolerance), scan the fine grid, add what it violates.  sigma < 0 on a working set proves the radius out of reach.
beta is bisected on the radial grid; lambda maximises lambda beta^4, the inverse of the node updates that a given
maximum frequency costs, W = 1 / (lambda beta^4). For compact and box stencils the certificate then adds cuts until
both of its bounds hold; cuts are states, good for all stencils, and kept in a pool.
"""
import argparse
import json
import os

import certificate
import measure
import numpy as np
import weights_file
from scipy.optimize import linprog
from shells import box, consistency, cosine_sums, fan, point_count, shells_of, symbol, wedge

MARGIN = 1e-3         # of -2 <= S (and of S <= 2 away from k = 0): what sampling and rounding may use up
TIGHTER = 0.998       # the design's tolerance over the claimed one: what the grid may miss between its points
UPPER_RESIDUAL = 1e-6  # how far above 2 the floating-point upper bound, which is 2 at k = 0, may lie


class Grid:
    """Fine samples of the ball (directions x radii) and of the Brillouin zone, with their cosine sums."""

    def __init__(self, shells, directions, radii, zone):
        self.shells, self.radii = tuple(shells), np.arange(1, radii + 1) / radii
        k = fan(directions)[:, None, :] * (np.pi * self.radii)[None, :, None]
        self.radius_index = np.broadcast_to(np.arange(radii), k.shape[:2]).ravel()
        self.direction_index = np.broadcast_to(np.arange(len(k))[:, None], k.shape[:2]).ravel()
        k = k.reshape(-1, 3)
        inside = (k <= np.pi * (1 + 1e-12)).all(axis=1)
        self.radius_index, self.direction_index = self.radius_index[inside], self.direction_index[inside]
        self.kappa = np.linalg.norm(k[inside], axis=1)
        self.ball = self._rows(k[inside])
        kz = wedge(zone)
        self.zone_kappa = np.linalg.norm(kz, axis=1)
        keep = self.zone_kappa > 1e-9
        self.zone_k, self.zone_kappa, self.zone = kz[keep], self.zone_kappa[keep], self._rows(kz[keep])
        sparse_dir = self.direction_index % max(1, len(fan(directions)) // 30) == 0
        self.ball_working = sparse_dir & (self.radius_index % max(1, radii // 14) == max(1, radii // 14) - 1)
        self.zone_working = np.zeros(len(kz[keep]), bool)
        self.zone_working[::max(1, len(self.zone_working) // 250)] = True
        self.zone_working[-1] = True

    def _rows(self, k):
        return np.hstack([np.ones((len(k), 1)), cosine_sums(self.shells, k)])

    def add_zone_points(self, k):
        """More zone samples (local extrema found by refinement), part of the working set from now on."""
        self.zone_k = np.vstack([self.zone_k, k])
        self.zone_kappa = np.r_[self.zone_kappa, np.linalg.norm(k, axis=1)]
        self.zone = np.vstack([self.zone, self._rows(k)])
        self.zone_working = np.r_[self.zone_working, np.ones(len(k), bool)]


class Pool:
    """Cutting planes from the certificate: (side, {shell: moment}); side +1 for S >= -2, -1 for S <= 2."""

    def __init__(self, path=None):
        self.path, self.cuts = path, []
        if path and os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                self.cuts = [(side, {tuple(q): mu for q, mu in pairs}) for side, pairs in json.load(f)]

    def add(self, side, mu):
        self.cuts.append((side, mu))
        if self.path:
            with open(self.path, "w", encoding="utf-8") as f:
                json.dump([(s, [[list(q), v] for q, v in m.items()]) for s, m in self.cuts], f)

    def rows(self, shells):
        """(A, b) of A gamma <= b for the cuts that know all these shells."""
        a, b = [], []
        for side, mu in self.cuts:
            if all(q in mu for q in shells):
                row = np.r_[1.0, [mu[q] for q in shells]]
                away = 1.0 - mu[(1, 0, 0)] / 6.0  # 0 at the constant, where S = 2 exactly
                a.append(-side * row)
                b.append(2.0 - MARGIN if side > 0 else 2.0 - MARGIN * min(1.0, max(0.0, 6.0 * away)))
        return np.array(a).reshape(-1, len(shells) + 1), np.array(b)


def solve(grid, courant, beta_index, eps, pool, rounds=40):
    """Weights that meet every requirement on the grid out to the radius grid.radii[beta_index], or None."""
    eps = eps * TIGHTER
    beta = grid.radii[beta_index]
    ball = np.flatnonzero(grid.radius_index <= beta_index)
    phase = courant * grid.kappa[ball]
    upper = 2.0 * np.cos(np.minimum(phase * (1.0 - eps), np.pi))
    lower = 2.0 * np.cos(np.minimum(phase * (1.0 + eps), np.pi))
    half = np.maximum((upper - lower) / 2.0, 1e-12)
    middle = (upper + lower) / 2.0
    cap = 2.0 - MARGIN * np.minimum(1.0, grid.zone_kappa**2)
    cap[grid.zone_kappa > beta * np.pi] = 2.0 * np.cos(min(courant * beta * np.pi * (1.0 - eps), np.pi))
    cut_a, cut_b = pool.rows(grid.shells)
    eq_a, eq_b = consistency(grid.shells, courant)
    n = len(grid.shells) + 1
    grid.ball_working[ball[grid.radius_index[ball] == beta_index][::8]] = True
    for _ in range(rounds):
        w = np.flatnonzero(grid.ball_working[ball])
        rows, one = grid.ball[ball[w]] / half[w, None], np.ones((len(w), 1))
        z = grid.zone[grid.zone_working]
        a = np.vstack([np.hstack([rows, one]), np.hstack([-rows, one]),
                       np.hstack([np.vstack([-z, z, cut_a]), np.zeros((2 * len(z) + len(cut_a), 1))])])
        b = np.r_[upper[w] / half[w], -lower[w] / half[w], np.full(len(z), 2.0 - MARGIN), cap[grid.zone_working], cut_b]
        found = linprog(np.r_[np.zeros(n), -1.0], A_ub=a, b_ub=b, A_eq=np.hstack([eq_a, np.zeros((2, 1))]), b_eq=eq_b,
                        bounds=[(None, None)] * n + [(None, 1.0)], method="highs")
        if found.status != 0 or found.x[-1] < -1e-6:
            return None
        gamma = found.x[:-1]
        excess = np.abs(grid.ball[ball] @ gamma - middle) / half - 1.0
        s = grid.zone @ gamma
        zone_excess = np.maximum(-2.0 + MARGIN - s, s - cap)
        bad, zone_bad = excess > 5e-4, zone_excess > 0.2 * MARGIN
        if not bad.any() and not zone_bad.any():
            return measure.polish(grid.shells, gamma, courant)
        _enlarge(grid.ball_working, ball, excess, bad, grid.direction_index[ball])
        worst = np.flatnonzero(zone_bad)
        grid.zone_working[worst[np.argsort(-zone_excess[worst])[:80]]] = True
    return None


def _enlarge(working, ball, excess, bad, direction):
    """Add each direction's worst violation, the 60 largest of them."""
    found = np.flatnonzero(bad)
    found = found[np.argsort(-excess[found])]
    _, first = np.unique(direction[found], return_index=True)
    working[ball[found[np.sort(first)[:60]]]] = True


def largest_radius(grid, courant, eps, pool, hint):
    """(index, gamma) of the largest feasible radius; gallops from the index `hint`, then bisects."""
    top = min(len(grid.radii) - 1, int(np.floor(len(grid.radii) / courant)) - 1)
    low, gamma, high, step = -1, None, top + 1, max(1, len(grid.radii) // 100)
    i = min(max(hint, 0), top)
    while high - low > 1:
        found = solve(grid, courant, i, eps, pool)
        if found is not None:
            low, gamma = i, found
        else:
            high = i
        if low >= 0 and high <= top or low < 0 and high == 0:
            i = (low + high) // 2
        else:
            i = min(low + step, top) if low >= 0 else max(high - step, 0)
            step *= 2
    return low, gamma


def best_courant(grid, courants, eps, pool, hint):
    """(courant, index, gamma) that maximises courant * radius^4; a scan, then steps of a half around the best."""
    scan = {}

    def visit(courant, at):
        if courant not in scan:
            scan[courant] = (*largest_radius(grid, courant, eps, pool, at),)
        return score(courant)

    def score(courant):
        index = scan[courant][0]
        return courant * grid.radii[index]**4 if index >= 0 else -1.0

    for courant in courants:
        visit(courant, hint)
        hint = scan[courant][0] if scan[courant][0] >= 0 else hint
    step = (courants[1] - courants[0]) if len(courants) > 1 else 0.02
    for _ in range(2):
        step /= 2
        best = max(scan, key=score)
        for courant in (round(best - step, 4), round(best + step, 4)):
            visit(courant, scan[best][0])
    best = max(scan, key=score)
    return best, *scan[best]


def settle(shells, courant, eps, pool, start, certify, say):
    """Final weights at this Courant number: fine grids, symbol bounds refined, certificate with cuts until it holds.
    Returns (gamma, radius, bounds or None)."""
    family_is_leggy = all(q[1] == 0 for q in shells)
    grid = Grid(shells, 41 if family_is_leggy else 31, 400, 65 if family_is_leggy else 49)
    index = min(399, int(round(start * 400)) + 1)
    while index > 0:
        gamma = solve(grid, courant, index, eps, pool)
        if gamma is None:
            index -= 1
            continue
        low, high = measure.symbol_range(shells, gamma)
        if low < -2.0 or high > 2.0 + 1e-12:
            grid.add_zone_points(_extrema(shells, gamma))
            continue
        if not certify:
            return gamma, grid.radii[index], None
        bounds = []
        for side in (1, -1):
            value, mu = certificate.bound(shells, gamma, side)
            bounds.append(value)
            if side * value < (-2.0 if side > 0 else -2.0 - UPPER_RESIDUAL):
                pool.add(side, mu)
        say(f"    radius {grid.radii[index]:.4f}  min + 2 = {bounds[0] + 2:+.1e}  max - 2 = {bounds[1] - 2:+.1e}")
        if bounds[0] >= -2.0 and bounds[1] <= 2.0 + UPPER_RESIDUAL:
            return gamma, grid.radii[index], bounds
    raise RuntimeError("no weights at any radius")


def _extrema(shells, gamma, n=97):
    """Where the symbol leaves [-2, 2] on a finer wedge."""
    k = wedge(n)
    s = symbol(shells, gamma, k)
    bad = np.flatnonzero((s < -2.0) | (s > 2.0 + 1e-12))
    if len(bad) == 0:
        bad = np.array([int(np.argmin(s))])
    return k[bad[np.argsort(-np.abs(s[bad]))[:40]]]


def design(family, member, eps, pool, courants, hint=0.9, certify=True, say=print):
    """An entry of the weights file: the best minimax set of this stencil at this tolerance."""
    shells = [tuple(q) for q in shells_of(family, member)]
    leggy = family == "leggy"
    certify = certify and not leggy
    grid = Grid(shells, 25 if leggy and member > 8 else 15, 200, 65 if leggy and member > 8 else 33)
    tried, best = set(), None
    while True:
        courant, index, _ = best_courant(grid, courants, eps, pool, int(hint * 200) - 1)
        if index < 0:
            raise RuntimeError(f"{family} {member}: no Courant number of {courants} holds {eps}")
        say(f"  {family} {member} {eps}: lambda {courant:.4f} radius {grid.radii[index]:.3f}, {len(pool.cuts)} cuts")
        if best is not None and (courant in tried or courant * grid.radii[index]**4 <= best[0] * 1.004):
            break
        before = len(pool.cuts)
        gamma, radius, bounds = settle(shells, courant, eps, pool, grid.radii[index], certify, say)
        tried.add(courant)
        if best is None or courant * radius**4 > best[0]:
            best = courant * radius**4, courant, radius, gamma, bounds
        if len(pool.cuts) == before:
            break
        courants = [round(courant + d, 4) for d in (-0.04, -0.02, 0.0, 0.02, 0.04)]
        hint = radius
    return entry_of(family, member, shells, eps, *best[1:])


def entry_of(family, member, shells, eps, courant, radius, gamma, bounds):
    name = "leggy-opt" if family == "leggy" else "minimax"
    entry = dict(set=f"{name} eps={eps:g}", fam=family, n=list(member) if family == "box" else member,
                 K=point_count(shells), lam=courant, shells=[list(q) for q in shells], gamma=[float(g) for g in gamma])
    if family == "leggy":
        entry["beta"] = measure.fractions(shells, gamma, courant, eps)
        entry["proof"] = "1D fold theorem"
        return entry
    entry["b2"] = measure.fractions(shells, gamma, courant, 0.02)
    entry["b1"] = measure.fractions(shells, gamma, courant, 0.01)
    if bounds:
        entry["ncmin"], entry["ncmax"] = float(bounds[0]), float(bounds[1])
    entry["proof"] = "nc-SDP both sides" if bounds else "block"
    return entry


def parse_member(family, text):
    """A member from the command line: an integer, or three digits for the box family."""
    if family == "box":
        member = tuple(int(c) for c in text)
        if len(member) != 3 or member not in box(member):
            raise ValueError(f"box member {text!r}: three digits q1 >= q2 >= q3, q1 >= 1")
        return member
    return int(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("family", choices=("leggy", "compact", "box"))
    parser.add_argument("member", help="M, R or q1q2q3")
    parser.add_argument("--eps", type=float, required=True, help="velocity tolerance, e.g. 0.01")
    parser.add_argument("--courants", type=float, nargs="+", help="Courant numbers to scan, equally spaced")
    parser.add_argument("--hint", type=float, default=0.9, help="where to look for the radius first, fraction of pi")
    parser.add_argument("--uncertified", action="store_true", help="no cuts: for the block construction (gram.py)")
    parser.add_argument("--cuts", help="pool of cuts (JSON), read and extended")
    parser.add_argument("-o", "--output", required=True, help="weights file (JSON) to add the set to")
    args = parser.parse_args()
    member = parse_member(args.family, args.member)
    default = (0.15, 0.2, 0.25, 0.3, 0.35) if args.family == "leggy" else (0.7, 0.74, 0.78, 0.82, 0.86)
    pool = Pool(None if args.uncertified else args.cuts)
    entry = design(args.family, member, args.eps, pool, list(args.courants or default), args.hint, not args.uncertified)
    weights_file.put(args.output, entry)
    fractions = entry.get("beta") or (entry["b1"] if args.eps <= 0.01 else entry["b2"])
    print(f"{weights_file.label(entry)}: lambda {entry['lam']:.4f} fractions {fractions} "
          f"W {1 / (entry['lam'] * fractions[0]**4):.2f} {entry['proof']}")


if __name__ == "__main__":
    main()
