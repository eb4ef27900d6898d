"""Weights whose symbol is nearly a function of |k| alone, for rendering by a map of frequencies.

    python radial.py compact 4 --tolerance 0.01 --edge 0.905 --speed map
    python radial.py box 222 --tolerance 0.003 --edge 0.855 0.865 0.875 --level 0.3

The symbol s need not be that of the wave equation: if s(k) = c(|k|), the record read at w with 2 cos w = c(omega h /
c_air) is free of dispersion (stencils/frequency_map.hpp; Savioja and Valimaki 2003).  Here c is the mean of s over
directions plus four even powers,

    c(kappa) = 2 + sum_q gamma_q n_q (sin(kappa |q|) / (kappa |q|) - 1) + sum_{m=1..4} a_m x^(m+1),
    x = (kappa / (beta pi))^2,

so that both are linear in the unknowns gamma and a.  At an edge beta, with e = tolerance:

    spread       s(kappa / (1 - e) d) <= c(kappa) <= s(kappa / (1 + e) d) for kappa <= beta pi in every direction d: the
                 phase velocity lies within e;
    stability    -2 + 0.0015 <= s <= 2 on the Brillouin zone;
    one branch   s(k) <= c(beta pi) for |k| >= beta pi / (1 - e);
    speed        the slowest group is as fast as possible: -ds/dkappa >= g sqrt(4 - s^2) in every direction
                 (--speed direction), or -dc/dkappa >= g sqrt(4 - c^2) (--speed map).

The last is a product of unknowns: the root is taken from the iterate before, steps of gamma are bounded by a trust
region, and a step is kept if the slowest group has become faster.

--level bounds, in dB, by how much the level of a point source in one direction may differ from that of the map, up to
.9 of the edge, and by three times as much beyond.  Far from the source the amplitude goes with 1/(|grad s| sqrt(K)),
K the Gaussian curvature of the surface of one frequency (M. J. Lighthill 1960).  With that surface at
kappa (1 + e(d)), e = (c - s)/(kappa c'), to first order

    ln(amplitude) = e + (Laplacian of e on the unit sphere)/2 - (s' - c' + c'' kappa e)/c',

linear in the unknowns once c' and c'' are those of the iterate before.

A run needs g^-1 beta^-4 node updates a cubic metre, up to a factor: of several edges the cheapest is taken.  The sets of
stencils/radial.cpp are designs of this kind; their claims are derived anew by the catalogue's test, from the weights
alone.
"""
import argparse
import json

import numpy as np
from scipy.optimize import linprog
from shells import cosine_sums, fan, points, shell_sizes, shells_of, wedge

FLOOR = 0.0015  # of s above -2
POWERS = 4
DECIBELS = 20.0 / np.log(10.0)


class Design:
    """The rows of the linear programmes at one edge; unknowns: gamma of the shells, then a."""

    def __init__(self, shells, tolerance, edge, directions=11, radii=44, zone=25):
        self.shells, self.tolerance, self.edge = shells, tolerance, edge * np.pi
        self.sizes = shell_sizes(shells)
        self.lengths = np.array([np.sqrt(sum(x * x for x in q)) for q in shells])
        self.kappa = self.edge * np.linspace(1.0 / radii, 1.0, radii)
        self.fan = fan(directions)
        inside = np.einsum("i,dj->dij", self.kappa, self.fan).reshape(-1, 3)
        self.inside_kappa = np.tile(self.kappa, len(self.fan))
        self.outer = self.of_s(inside / (1.0 - tolerance))
        self.inner = self.of_s(inside / (1.0 + tolerance))
        self.here = self.of_s(inside)
        self.slope = self.slope_of_s(inside)
        zone_points = wedge(zone)
        shell = np.concatenate([self.fan * self.edge * f for f in (1.0 / (1.0 - tolerance), 1.03, 1.08)])
        zone_points = np.concatenate([zone_points, shell[shell.max(axis=1) <= np.pi]])
        self.zone = self.of_s(zone_points)
        self.beyond = np.linalg.norm(zone_points, axis=1) >= self.edge / (1.0 - tolerance) * (1.0 - 1e-12)
        self.c = self.of_c(self.kappa)
        self.c_inside = self.of_c(self.inside_kappa)
        self.c_slope = self.slope_of_c(self.kappa)
        self.c_edge = self.of_c(np.array([self.edge]))
        self.spherical = self.laplacian_on_sphere(inside)

    def of_s(self, k):
        """Rows of s - 2."""
        return np.hstack([cosine_sums(self.shells, k) - self.sizes, np.zeros((len(k), POWERS))])

    def slope_of_s(self, k):
        """Rows of ds/dkappa along each wave vector."""
        unit = k / np.linalg.norm(k, axis=1)[:, None]
        columns = [sum(-np.sin(k @ np.array(p)) * (unit @ np.array(p)) for p in points(q)) for q in self.shells]
        return np.hstack([np.stack(columns, axis=1), np.zeros((len(k), POWERS))])

    def laplacian_on_sphere(self, k):
        """Rows of the angular part of kappa^2 times the Laplacian of s."""
        kappa = np.linalg.norm(k, axis=1)[:, None]
        columns = []
        for q in self.shells:
            p = np.array(points(q), float)
            across = (p**2).sum(axis=1) - ((k / kappa) @ p.T)**2
            columns.append(-(np.cos(k @ p.T) * across).sum(axis=1))
        return np.hstack([kappa**2 * np.stack(columns, axis=1),
                          np.zeros((len(k), POWERS))]) - 2.0 * kappa * self.slope_of_s(k)

    def level_rows(self, x):
        """Rows of the level of each direction at each radius, dB, with c' and c'' of x."""
        kappa, step = self.inside_kappa, 1e-4
        slope = self.slope_of_c(kappa)
        first = slope @ x
        second = (self.slope_of_c(kappa + step) - self.slope_of_c(kappa - step)) @ x / (2.0 * step)
        excess = (self.c_inside - self.here) / (kappa * first)[:, None]
        curved = -self.spherical / (kappa * first)[:, None]
        gradient = (self.slope - slope) / first[:, None] + excess * (second * kappa / first)[:, None]
        return DECIBELS * (excess + 0.5 * curved - gradient)

    def of_c(self, kappa):
        """Rows of c - 2."""
        z = np.outer(kappa, self.lengths)
        x = (kappa / self.edge)**2
        return np.hstack([self.sizes * (np.sinc(z / np.pi) - 1.0), x[:, None]**np.arange(2, POWERS + 2)])

    def slope_of_c(self, kappa):
        z = np.outer(kappa, self.lengths)
        x = kappa / self.edge
        m = np.arange(2, POWERS + 2)
        return np.hstack([self.sizes * self.lengths * (np.cos(z) / z - np.sin(z) / z**2),
                          2.0 * m * x[:, None]**(2 * m - 1) / self.edge])

    def fixed_rows(self):
        """All constraints but the speed, A x <= b."""
        a = [self.outer - self.c_inside, self.c_inside - self.inner, self.zone, -self.zone,
             self.zone[self.beyond] - self.c_edge]
        b = [np.zeros(len(self.outer) * 2), np.zeros(len(self.zone)), np.full(len(self.zone), 4.0 - FLOOR),
             np.zeros(int(self.beyond.sum()))]
        return np.vstack(a), np.concatenate(b)

    def speed(self, x, by_map):
        """Slowest group, cells a step."""
        s, slope = (self.c @ x, self.c_slope @ x) if by_map else (self.here @ x, self.slope @ x)
        return float(np.min(-slope / np.sqrt(np.maximum(-s * (4.0 + s), 1e-9))))

    def solve(self, by_map, level=None, steps=20):
        """(x, g), or None where the spread, or the level, cannot be held at this edge."""
        best, trust = None, None
        root = 2.0 * np.sin(0.6 * (self.kappa if by_map else self.inside_kappa))  # of waves of .6 cells a step
        for _ in range(steps):
            x = self.step(by_map, root, best and best[0], trust)
            if x is None:
                break
            g = self.speed(x, by_map)
            if best is None or g > best[1] * (1.0 + 1e-6):
                trust = 0.03 if best is None else trust
                best = (x, g)
                root = self.root(x, by_map)
            else:
                trust /= 3.0
                if trust < 1e-5:
                    break
        return best if best is None or level is None else self.within_level(best[0], by_map, level)

    def root(self, x, by_map):
        s = (self.c if by_map else self.here) @ x
        return np.sqrt(np.maximum(-s * (4.0 + s), 1e-9))

    def within_level(self, x, by_map, level, steps=40):
        """The same from x on with a bound of levels: first into the bound, then faster groups within it."""
        bound = np.where(self.inside_kappa <= 0.9001 * self.edge, level, 3.0 * level)
        best, trust = None, 0.01
        for _ in range(steps):
            rows = self.level_rows(x)
            found = self.step(by_map, self.root(x, by_map), x, trust, (np.vstack([rows, -rows]), np.r_[bound, bound]))
            if found is None:
                trust *= 2.0 if best is None else 1.0 / 3.0
            elif best is None or self.speed(found, by_map) > best[1] * (1.0 + 1e-5):
                x = found
                if np.max(np.abs(self.level_rows(x) @ x) - bound) < 0.02 * level:
                    best = (x, self.speed(x, by_map))
            else:
                trust /= 3.0
                x = best[0]
            if not 1e-4 < trust < 0.5:
                break
        return best

    def step(self, by_map, root, x, trust, more=None):
        """The programme's solution near x with the speed's root, and rows `more` (A, b); None if there is none."""
        fixed, right = self.fixed_rows()
        if more is not None:
            fixed, right = np.vstack([fixed, more[0]]), np.r_[right, more[1]]
        n, slope = fixed.shape[1], self.c_slope if by_map else self.slope
        bounds = [(None, None)] * n
        if x is not None:
            bounds = [(v - trust, v + trust) if i < len(self.shells) else (None, None) for i, v in enumerate(x)]
        found = linprog(np.r_[np.zeros(n), -1.0],
                        A_ub=np.vstack([np.c_[fixed, np.zeros(len(fixed))], np.c_[slope, root]]),
                        b_ub=np.r_[right, np.zeros(len(slope))], bounds=bounds + [(0.0, None)], method="highs")
        return found.x[:-1] if found.status == 0 else None


def design(family, member, tolerance, edges, by_map, level=None):
    """The cheapest set of the given edges, as a dictionary; None if none is possible."""
    shells = shells_of(family, member)
    best = None
    for edge in edges:
        # Rows lie at samples: a tighter tolerance keeps what lies between them within the requested one.
        made = Design(shells, 0.993 * tolerance, edge)
        found = made.solve(by_map, level)
        if found is None:
            continue
        x, g = found
        slowest = made.speed(x, False)
        if not slowest > 0.0:  # the only symbol of that spread is a constant
            continue
        cost = 1.0 / (slowest * edge**4)
        if best is None or cost < best["cost"]:
            gamma = x[:len(shells)]
            second = sum(w * n * r**2 for w, n, r in zip(gamma, made.sizes, made.lengths)) / 3.0
            best = dict(fam=family, n=member, tolerance=tolerance, edge=edge, courant=float(np.sqrt(second / 2.0)),
                        gamma=[float(2.0 - made.sizes @ gamma), *map(float, gamma)],
                        correction=[float(a) for a in x[len(shells):]], speed=g, cost=cost)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("family", choices=["compact", "box"])
    parser.add_argument("member", help="R, or the three digits of a box")
    parser.add_argument("--tolerance", type=float, required=True, help="spread of |k| over directions, e.g. 0.01")
    parser.add_argument("--edge", type=float, nargs="+", required=True, help="edges of the band, |k|h/pi")
    parser.add_argument("--speed", choices=["direction", "map"], default="direction", help="which group is the slowest")
    parser.add_argument("--level", type=float, help="largest error of the level in one direction, dB")
    args = parser.parse_args()
    member = tuple(map(int, args.member)) if args.family == "box" else int(args.member)
    found = design(args.family, member, args.tolerance, args.edge, args.speed == "map", args.level)
    print(json.dumps(found, indent=1) if found else "no edge holds the tolerance")


if __name__ == "__main__":
    main()
