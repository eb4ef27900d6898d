"""Weights whose symbol is nearly a function of |k| alone, for rendering by a map of frequencies.

    python radial.py compact 4 --tolerance 0.01 --edge 0.905 --speed map
    python radial.py box 222 --tolerance 0.003 --edge 0.86 0.885 0.91

The symbol s need not be that of the wave equation: if s(k) = c(|k|), the record read at w with 2 cos w = c(omega h /
c_air) is free of dispersion (stencils/frequency_map.hpp; Savioja and Valimaki 2003).  Here c is the mean of s over
directions plus four even powers,

    c(kappa) = 2 + sum_q gamma_q n_q (sin(kappa |q|) / (kappa |q|) - 1) + sum_{m=1..4} a_m x^(m+1),
    x = (kappa / (beta pi))^2,

so that both are linear in the unknowns gamma and a.  At an edge beta, with e = tolerance:

    spread       s(kappa (1 + e) d) <= c(kappa) <= s(kappa (1 - e) d) for kappa <= beta pi in every direction d;
    stability    -2 + 0.0015 <= s <= 2 on the Brillouin zone;
    one branch   s(k) <= c(beta pi) for |k| >= beta pi (1 + e);
    speed        the slowest group is as fast as possible: -ds/dkappa >= g sqrt(4 - s^2) in every direction
                 (--speed direction), or -dc/dkappa >= g sqrt(4 - c^2) (--speed map).

The last is a product of unknowns: the root is taken from the iterate before, steps of gamma are bounded by a trust
region, and a step is kept if the slowest group has become faster.  A run needs g^-1 beta^-4 node updates a cubic metre,
up to a factor: of several edges the cheapest is taken.  The sets of stencils/radial.cpp are designs of this kind; what
they claim is derived anew by the catalogue's test, from the weights alone.
"""
import argparse
import json

import numpy as np
from scipy.optimize import linprog

from shells import cosine_sums, fan, points, shell_sizes, shells_of, wedge

FLOOR = 0.0015  # of s above -2
POWERS = 4


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
        self.outer = self.of_s(inside * (1.0 + tolerance))
        self.inner = self.of_s(inside * (1.0 - tolerance))
        self.here = self.of_s(inside)
        self.slope = self.slope_of_s(inside)
        zone_points = wedge(zone)
        shell = np.concatenate([self.fan * self.edge * f for f in (1.0 + tolerance, 1.03, 1.08)])
        zone_points = np.concatenate([zone_points, shell[shell.max(axis=1) <= np.pi]])
        self.zone = self.of_s(zone_points)
        self.beyond = np.linalg.norm(zone_points, axis=1) >= self.edge * (1.0 + tolerance) * (1.0 - 1e-12)
        self.c = self.of_c(self.kappa)
        self.c_inside = self.of_c(self.inside_kappa)
        self.c_slope = self.slope_of_c(self.kappa)
        self.c_edge = self.of_c(np.array([self.edge]))

    def of_s(self, k):
        """Rows of s - 2."""
        return np.hstack([cosine_sums(self.shells, k) - self.sizes, np.zeros((len(k), POWERS))])

    def slope_of_s(self, k):
        """Rows of ds/dkappa along each wave vector."""
        unit = k / np.linalg.norm(k, axis=1)[:, None]
        columns = [sum(-np.sin(k @ np.array(p)) * (unit @ np.array(p)) for p in points(q)) for q in self.shells]
        return np.hstack([np.stack(columns, axis=1), np.zeros((len(k), POWERS))])

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

    def solve(self, by_map, steps=20):
        """(x, g), or None where the spread cannot be held at this edge."""
        fixed, right = self.fixed_rows()
        n = fixed.shape[1]
        slope = self.c_slope if by_map else self.slope
        value = self.c if by_map else self.here
        kappa = self.kappa if by_map else self.inside_kappa
        root = 2.0 * np.sin(0.6 * kappa)  # of waves of .6 cells a step
        best, trust = None, None
        for _ in range(steps):
            bounds = [(None, None)] * n
            if best is not None:
                shells = len(self.shells)
                bounds = [(v - trust, v + trust) if i < shells else (None, None) for i, v in enumerate(best[0])]
            found = linprog(np.r_[np.zeros(n), -1.0],
                            A_ub=np.vstack([np.c_[fixed, np.zeros(len(fixed))], np.c_[slope, root]]),
                            b_ub=np.r_[right, np.zeros(len(slope))], bounds=bounds + [(0.0, None)], method="highs")
            if found.status != 0:
                return best
            x = found.x[:-1]
            g = self.speed(x, by_map)
            if best is None or g > best[1] * (1.0 + 1e-6):
                trust = 0.03 if best is None else trust
                best = (x, g)
                s = value @ x
                root = np.sqrt(np.maximum(-s * (4.0 + s), 1e-9))
            else:
                trust /= 3.0
                if trust < 1e-5:
                    break
        return best


def design(family, member, tolerance, edges, by_map):
    """The cheapest set of the given edges, as a dictionary; None if none is possible."""
    shells = shells_of(family, member)
    best = None
    for edge in edges:
        # Rows lie at samples: a tighter tolerance keeps what lies between them within the requested one.
        made = Design(shells, 0.993 * tolerance, edge)
        found = made.solve(by_map)
        if found is None:
            continue
        x, g = found
        cost = 1.0 / (made.speed(x, False) * edge**4)
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
    args = parser.parse_args()
    member = tuple(map(int, args.member)) if args.family == "box" else int(args.member)
    found = design(args.family, member, args.tolerance, args.edge, args.speed == "map")
    print(json.dumps(found, indent=1) if found else "no edge holds the tolerance")


if __name__ == "__main__":
    main()
