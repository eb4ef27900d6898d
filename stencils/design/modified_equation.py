"""Modified-equation (2m, 2m) weights: match the wave equation's moments order by order, as far as the points allow.

    python modified_equation.py compact 22 -o weights_extra.json

u^{n+1} + u^{n-1} = 2 cosh(T d_t) u = 2 cos(lambda |k|) u for the exact wave, so for j = 0, 1, 2, ...

    sum over points l of gamma_l (k.l)^{2j} = 2 lambda^{2j} (k.k)^j     coefficient by coefficient.

Orders are met exactly as long as they can be; the first that cannot is met in least squares and the remaining
freedom goes to the next (null-space descent).  The Courant number is the largest on a scan of .005 for which |S| <= 2.
Idea of modified equations: G. R. Shubin, J. B. Bell, SIAM J. Sci. Stat. Comput. 8 (1987).
"""
import argparse
from math import factorial

import certificate
import measure
import numpy as np
import weights_file
from minimax import UPPER_RESIDUAL, parse_member
from shells import point_count, points, shells_of, symbol, wedge


def moment_rows(shells, j):
    """(rows, targets at lambda = 1): coefficients of kx^2a ky^2b kz^2c, a >= b >= c, a + b + c = j."""
    rows, targets = [], []
    for a in range(j, -1, -1):
        for b in range(min(a, j - a), -1, -1):
            c = j - a - b
            if not 0 <= c <= b:
                continue
            weight = factorial(2 * j) / (factorial(2 * a) * factorial(2 * b) * factorial(2 * c))
            sums = [sum(float(x**(2 * a) * y**(2 * b) * z**(2 * c)) for x, y, z in points(q)) for q in shells]
            rows.append([float(j == 0)] + [weight * x for x in sums])
            targets.append(2.0 * factorial(j) / (factorial(a) * factorial(b) * factorial(c)))
    return np.array(rows), np.array(targets)


def weights(shells, courant, orders=7):
    """(gamma, exact order) by null-space descent through `orders` orders."""
    x, free = np.zeros(len(shells) + 1), np.eye(len(shells) + 1)
    order, exact = 0, True
    for j in range(orders):
        if free.shape[1] == 0:
            break
        rows, targets = moment_rows(shells, j)
        scale = 1.0 / np.abs(rows).max(axis=1)
        rest = targets * courant**(2 * j) * scale - (rows * scale[:, None]) @ x
        along = (rows * scale[:, None]) @ free
        y = np.linalg.lstsq(along, rest, rcond=1e-10)[0]
        x = x + free @ y
        exact = exact and np.abs(along @ y - rest).max() < 1e-9
        order = 2 * j if exact else order
        _, singular, vt = np.linalg.svd(along)
        free = free @ vt[int((singular > 1e-9 * max(singular.max(), 1e-30)).sum()):].T
    return measure.polish(shells, x, courant), order


def design(family, member):
    """An entry of the weights file."""
    shells = [tuple(q) for q in shells_of(family, member)]
    coarse, fine = wedge(15), wedge(49)
    for courant in np.arange(1.0, 0.2, -0.005).round(3):
        gamma, order = weights(shells, courant)
        if any(np.abs(symbol(shells, gamma, k)).max() > 2 + 1e-9 for k in (coarse, fine)):
            continue
        low, high = measure.symbol_range(shells, gamma)
        if low >= -2 and high <= 2 + 1e-12:
            break
    else:
        raise RuntimeError(f"{family} {member}: no Courant number from .2 to 1 is stable")
    low, _ = certificate.bound(shells, gamma, 1)
    high, _ = certificate.bound(shells, gamma, -1)
    certified = low >= -2 and high <= 2 + UPPER_RESIDUAL
    return dict(set="ME", fam=family, n=list(member) if family == "box" else member, K=point_count(shells),
                lam=float(courant), shells=[list(q) for q in shells], gamma=gamma.tolist(), order=order,
                b2=measure.fractions(shells, gamma, courant, 0.02), b1=measure.fractions(shells, gamma, courant, 0.01),
                ncmin=float(low), ncmax=float(high), proof="nc-SDP both sides" if certified else "block")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("family", choices=("compact", "box"))
    parser.add_argument("member", help="R or q1q2q3")
    parser.add_argument("-o", "--output", required=True, help="weights file (JSON) to add the set to")
    args = parser.parse_args()
    entry = design(args.family, parse_member(args.family, args.member))
    weights_file.put(args.output, entry)
    print(f"{weights_file.label(entry)}: order {entry['order']} lambda {entry['lam']:.3f} 1 % {entry['b1']} "
          f"{entry['proof']}")


if __name__ == "__main__":
    main()
