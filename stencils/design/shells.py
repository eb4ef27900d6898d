"""Shells of points, the three stencil families, and the symbol's cosine sums.

A stencil symmetric under the 48 symmetries of the cube is a centre weight and one weight a shell: all permutations and
sign changes of one (q1, q2, q3), q1 >= q2 >= q3 >= 0.  Its symbol is

    s(k) = gamma[0] + sum_p gamma[p] C_p(k),     C_p(k) = sum of cos(k.l) over the points l of shell p,

with k in radians per cell.  `gamma` is therefore an array of P + 1 numbers: the centre, then one a shell.

Families: B. Hamilton, C. J. Webb, A. Gray, S. Bilbao, "Large stencil operations for GPU-based 3-D acoustics
simulations", DAFx-15.
"""
import itertools

import numpy as np

LEGGY_MEMBERS = list(range(1, 21))
COMPACT_MEMBERS = [1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 19, 20, 21, 22]


def ordered_triples(largest):
    """All (q1, q2, q3) with largest >= q1 >= q2 >= q3 >= 0 and q1 >= 1, in lexicographic order."""
    return [(a, b, c) for a in range(1, largest + 1) for b in range(a + 1) for c in range(b + 1)]


BOX_MEMBERS = ordered_triples(4)[:20]


def leggy(m):
    """The 6m+1 points of a (2,2m) star."""
    return [(i, 0, 0) for i in range(1, m + 1)]


def compact(r):
    """Every point with |l|^2 <= r, shells by increasing distance."""
    triples = ordered_triples(int(r**0.5) + 1)
    return sorted((q for q in triples if sum(x * x for x in q) <= r), key=lambda q: (sum(x * x for x in q), q))


def box(last):
    """Every shell up to and including `last` in lexicographic order."""
    last = tuple(last)
    return [q for q in ordered_triples(last[0]) if q <= last]


def shells_of(family, member):
    """Shells of a family's member; member is M, R or (q1, q2, q3)."""
    makers = {"leggy": leggy, "compact": compact, "box": box}
    if family not in makers:
        raise ValueError(f"unknown family {family!r}: leggy, compact or box")
    return makers[family](member)


def points(q):
    """Every point of a shell once."""
    return sorted({tuple(s * x for s, x in zip(signs, p)) for p in itertools.permutations(q)
                   for signs in itertools.product((1, -1), repeat=3)})


def shell_sizes(shells):
    """n_p: the number of points of each shell."""
    return np.array([len(points(q)) for q in shells], float)


def second_moments(shells):
    """m_p = sum of l_x^2 over each shell."""
    return np.array([sum(point[0]**2 for point in points(q)) for q in shells], float)


def point_count(shells):
    """K: all points, the centre included."""
    return 1 + int(shell_sizes(shells).sum())


def cosine_sums(shells, k):
    """C_p(k), shape (len(k), P); k of shape (n, 3)."""
    top = max(q[0] for q in shells)
    powers = np.arange(top + 1)
    cx, cy, cz = (np.cos(np.outer(k[:, d], powers)) for d in range(3))
    columns = np.empty((len(k), len(shells)))
    for i, q in enumerate(shells):
        columns[:, i] = sum(2.0**sum(x > 0 for x in p) * cx[:, p[0]] * cy[:, p[1]] * cz[:, p[2]]
                            for p in set(itertools.permutations(q)))
    return columns


def symbol(shells, gamma, k):
    """s(k) of S for every row of k."""
    return gamma[0] + cosine_sums(shells, k) @ np.asarray(gamma[1:])


def wedge(n):
    """n points a side on the irreducible wedge pi >= kx >= ky >= kz >= 0 of the Brillouin zone."""
    g = np.linspace(0.0, np.pi, n)
    x, y, z = np.indices((n, n, n)).reshape(3, -1)
    keep = (x >= y) & (y >= z)
    return np.stack([g[x[keep]], g[y[keep]], g[z[keep]]], axis=1)


def fan(n):
    """n(n+1)/2 unit directions (1, a, b), 1 >= a >= b >= 0, over the irreducible wedge; n = 21 gives the 231 of the
    catalogue's claims."""
    g = np.linspace(0.0, 1.0, n)
    d = np.array([(1.0, a, b) for a in g for b in g if b <= a])
    return d / np.linalg.norm(d, axis=1)[:, None]


def consistency(shells, courant):
    """(A, b) of A gamma = b: s(0) = 2 and the second-order Laplacian, sum_p gamma_p m_p = 2 lambda^2."""
    a = np.vstack([np.r_[1.0, shell_sizes(shells)], np.r_[0.0, second_moments(shells)]])
    return a, np.array([2.0, 2.0 * courant**2])


def rescale(gamma, factor):
    """Weights of S after K = 2I - S has been multiplied by `factor` (Courant number times sqrt(factor))."""
    out = factor * np.asarray(gamma, float)
    out[0] = 2.0 - factor * (2.0 - gamma[0])
    return out
