"""Space-only minimax weights of leggy stencils, for use with exact time-dispersion removal.

    python warp.py 4 --eps 0.01 -o weights_extra.json

With 2 - s = lambda^2 Lsym(k), Lsym(k) = sum_m b_m (6 - C_m(k)), the frequency is 2 sin(omega T / 2) = lambda
sqrt(Lsym): if Lsym is |k|^2 within (1 +- eps)^2, all that time stepping adds is a warp of the frequency axis that is
the same for every path and undone exactly on the record.  The linear programme at a radius beta:

    minimise max Lsym   subject to   (1 - eps)^2 |k|^2 <= Lsym <= (1 + eps)^2 |k|^2 for |k| <= beta pi,
                                     Lsym >= ((1 - eps) beta pi)^2 beyond it, sum_m m^2 b_m = 1,

then lambda = 2 / sqrt(max Lsym), the Courant limit, times .9999.  beta is the largest for which it is feasible, or a
smaller one with the larger lambda beta^4.  Exchange over a fine grid as in minimax.py.
"""
import argparse

import measure
import numpy as np
import weights_file
from minimax import TIGHTER, Grid
from scipy.optimize import linprog
from shells import leggy, point_count

BELOW_LIMIT = 0.9999  # of the Courant limit, as the catalogue's closed forms have it


def set_name(eps):
    return f"leggy-spatial-opt eps={eps:g} (needs time-dispersion removal)"


def solve(grid, beta_index, eps, rounds=40):
    """(b_1..b_M, max Lsym) at the radius grid.radii[beta_index], or None when the tolerance cannot be held."""
    eps = eps * TIGHTER
    beta, count = grid.radii[beta_index], len(grid.shells)
    ball = np.flatnonzero(grid.radius_index <= beta_index)
    squared = grid.kappa[ball]**2
    outside = grid.zone_kappa > beta * np.pi
    floor = ((1.0 - eps) * beta * np.pi)**2
    grid.ball_working[ball[grid.radius_index[ball] == beta_index][::8]] = True
    m = np.arange(1, count + 1)
    b, top = None, None
    for _ in range(rounds):
        w = ball[grid.ball_working[ball]]
        rows = (6.0 - grid.ball[w, 1:]) / grid.kappa[w, None]**2
        zone = 6.0 - grid.zone[grid.zone_working, 1:]
        far = 6.0 - grid.zone[grid.zone_working & outside, 1:]
        a = np.vstack([np.c_[rows, np.zeros(len(rows))], np.c_[-rows, np.zeros(len(rows))],
                       np.c_[-far, np.zeros(len(far))], np.c_[zone, -np.ones(len(zone))]])
        rhs = np.r_[np.full(len(rows), (1 + eps)**2), np.full(len(rows), -(1 - eps)**2), np.full(len(far), -floor),
                    np.zeros(len(zone))]
        found = linprog(np.r_[np.zeros(count), 1.0], A_ub=a, b_ub=rhs, A_eq=np.r_[m**2, 0.0][None], b_eq=[1.0],
                        bounds=[(None, None)] * (count + 1), method="highs")
        if found.status != 0:
            return None
        b, top = found.x[:-1] / (m**2 @ found.x[:-1]), found.x[-1]
        value = (6.0 - grid.ball[ball, 1:]) @ b / squared
        excess = np.maximum(value / (1 + eps)**2, (1 - eps)**2 / value) - 1.0
        over_zone = (6.0 - grid.zone[:, 1:]) @ b
        zone_bad = (outside & (over_zone < floor * (1 - 1e-4))) | (over_zone > top * (1 + 1e-5))
        bad = excess > 1e-3 * eps
        if not bad.any() and not zone_bad.any():
            return b, measure_top(b)
        worst = np.flatnonzero(bad)
        worst = worst[np.argsort(-excess[worst])]
        _, first = np.unique(grid.direction_index[ball[worst]], return_index=True)
        grid.ball_working[ball[worst[np.sort(first)[:60]]]] = True
        zone_excess = np.maximum(over_zone / top - 1.0, np.where(outside, 1.0 - over_zone / floor, -1.0))
        grid.zone_working[np.argsort(-zone_excess)[:min(80, int(zone_bad.sum()))]] = True
    return None


def measure_top(b):
    """Exact maximum of Lsym over the Brillouin zone: of S at Courant number 1 it is 2 - min s."""
    low, _ = measure.symbol_range(leggy(len(b)), np.r_[2.0 - 6.0 * b.sum(), b])
    return 2.0 - low


def design(m, eps, steps=6):
    """An entry of the weights file for leggy-m at this tolerance."""
    shells = leggy(m)
    grid = Grid(shells, 41 if m > 8 else 31, 400, 65)
    low, high, found = -1, 400, {}
    while high - low > 1:
        middle = (low + high) // 2
        found[middle] = solve(grid, middle, eps)
        low, high = (middle, high) if found[middle] else (low, middle)
    if low < 0:
        raise RuntimeError(f"leggy {m}: no radius holds {eps}")
    for index in range(max(0, low - steps), low):
        found.setdefault(index, solve(grid, index, eps))
    index = max((i for i, f in found.items() if f), key=lambda i: grid.radii[i]**4 / np.sqrt(found[i][1]))
    b, top = found[index]
    courant = BELOW_LIMIT * 2.0 / np.sqrt(top)
    gamma = measure.polish(shells, np.r_[2.0 - 6.0 * courant**2 * b.sum(), courant**2 * b], courant)
    fractions = measure.fractions(shells, gamma, courant, eps, removal=True)
    return dict(set=set_name(eps), fam="leggy", n=m, K=point_count(shells), lam=float(courant),
                shells=[list(q) for q in shells], gamma=gamma.tolist(), beta=fractions, proof="1D fold theorem")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("member", type=int, help="M")
    parser.add_argument("--eps", type=float, required=True, help="velocity tolerance, e.g. 0.01")
    parser.add_argument("-o", "--output", required=True, help="weights file (JSON) to add the set to")
    args = parser.parse_args()
    entry = design(args.member, args.eps)
    weights_file.put(args.output, entry)
    print(f"{weights_file.label(entry)}: lambda {entry['lam']:.4f} fractions {entry['beta']} "
          f"W {1 / (entry['lam'] * entry['beta'][0]**4):.2f}")


if __name__ == "__main__":
    main()
