"""Gram blocks: K = 2I - S as a sum over all positions of a cube of one positive semidefinite matrix.

    python gram.py weights_extra.json [--only compact-18] [--iterations 4000]

Sought is K_b on the (R+1)^3 nodes of a cube with K_b >= 0, K_b 1 = 0 and, for every offset l, the entries K_b[p, p +
l] adding up to the weight of K at l. It exists when the symbol of K is a sum of squares of trigonometric polynomials
of degree R a coordinate, and gives stable walls for any fill of solid nodes (each cube holds K_b folded onto its air
nodes).

Alternating projections in Dykstra's form (J. P. Boyle, R. L. Dykstra, 1986) between
  the affine set: each offset's residual spread evenly over the entries with that difference, and
  the cone: negative eigenvalues clipped, after the constant has been projected out.
Both respect the symmetries of the cube, so K_b may be taken invariant: in the basis of vectors even or odd under each
of the three reflections it is block-diagonal with eight blocks, of which the permutations of the axes leave four
different ones, of sizes e^3, e^2 o, e o^2, o^3 with e = ceil((R+1)/2), o = floor((R+1)/2): for R = 4 27, 18, 12 and 8
instead of 125.
An iteration takes .1 ms at R = 1 and 2 ms at R = 4; 3000 of them leave 1e-9 for every set of the catalogue tried.
"""
import argparse
import itertools

import numpy as np
import weights_file
from shells import points


def parity_bases(n):
    """(even, odd): orthonormal columns over n nodes of a line, symmetric and antisymmetric under its reflection."""
    even, odd = [], []
    for i in range((n + 1) // 2):
        e = np.zeros(n)
        e[i] += 1.0
        e[n - 1 - i] += 1.0
        even.append(e / np.linalg.norm(e))
        if i != n - 1 - i:
            o = np.zeros(n)
            o[i], o[n - 1 - i] = 1.0, -1.0
            odd.append(o / np.linalg.norm(o))
    return np.array(even).T, np.array(odd).T.reshape(n, -1)


class Cube:
    """A cube of (R+1)^3 nodes: offsets between its nodes, its four parity sectors."""

    def __init__(self, radius):
        self.radius, n = radius, radius + 1
        nodes = np.array(list(itertools.product(range(n), repeat=3)))
        self.size = len(nodes)
        offset = np.sort(np.abs(nodes[None] - nodes[:, None]), axis=2)
        key = offset @ np.array([n * n, n, 1])[::-1]
        names, self.shell_of_pair = np.unique(key, return_inverse=True)
        self.shell_of_pair = self.shell_of_pair.ravel()
        self.index = {(v // (n * n), v // n % n, v % n): i for i, v in enumerate(names)}
        self.pairs = np.bincount(self.shell_of_pair)  # entries with an offset of that shell
        even, odd = parity_bases(n)
        self.sectors = []  # (multiplicity, basis): the axes' order of a sector is immaterial for an invariant matrix
        for multiplicity, kinds in ((1, "eee"), (3, "eeo"), (3, "eoo"), (1, "ooo")):
            lines = [even if kind == "e" else odd for kind in kinds]
            basis = np.einsum("ai,bj,ck->abcijk", *lines).reshape(self.size, -1)
            if basis.shape[1]:
                self.sectors.append((multiplicity, basis))

    def targets(self, shells, gamma):
        """Sum of the entries of K_b over all pairs whose offset lies in each shell, the centre first."""
        out = np.zeros(len(self.pairs))
        out[self.index[(0, 0, 0)]] = 2.0 - gamma[0]
        for q, g in zip(shells, gamma[1:]):
            out[self.index[tuple(q)]] = -g * len(points(q))
        return out

    def sums(self, k):
        return np.bincount(self.shell_of_pair, weights=k.ravel(), minlength=len(self.pairs))


def gram_block(shells, gamma, iterations=4000, tolerance=1e-9):
    """(K_b, residual, largest eigenvalue): K_b >= 0 exactly; `residual` is the largest error of a weight of K."""
    cube = Cube(max(q[0] for q in shells))
    tables = [(m, basis, _sector_sums(cube, basis)) for m, basis in cube.sectors]
    target = cube.targets(shells, gamma)
    ones = np.ones(cube.size) / np.sqrt(cube.size)
    constants = [basis.T @ ones for _, basis, _ in tables]
    # The affine correction adds to K_b, for each shell, one number at all entries of that offset: its sector blocks are
    # the sums themselves, so that everything stays inside the sectors.
    sizes = [basis.shape[1] for _, basis, _ in tables]
    blocks = [np.zeros((s, s)) for s in sizes]
    shift = [np.zeros((s, s)) for s in sizes]

    def residual_of(parts):
        return target - sum(m * (table @ x.ravel()) for (m, _, table), x in zip(tables, parts))

    for _ in range(iterations):
        cone = []
        for i, (block, old, c) in enumerate(zip(blocks, shift, constants)):
            x = block + old
            p = np.eye(len(x)) - np.outer(c, c)
            value, vector = np.linalg.eigh(p @ x @ p)
            projected = (vector * np.maximum(value, 0.0)) @ vector.T
            shift[i] = x - projected
            cone.append(projected)
        rest = residual_of(cone) / cube.pairs
        if np.abs(rest * cube.pairs / _shell_counts(cube)).max() < tolerance:
            break
        blocks = [x + (table.T @ rest).reshape(x.shape) for x, (_, _, table) in zip(cone, tables)]
    k = _assemble(cube, tables, cone)
    residual = np.abs(residual_of(cone) / _shell_counts(cube)).max()
    return k, float(residual), float(max(np.linalg.eigvalsh(x)[-1] for x in cone))


def _shell_counts(cube):
    """Points of each shell, in the order of cube.index; 1 for the centre."""
    return np.array([len(points(q)) for q in cube.index], float)


def _sector_sums(cube, basis):
    """(shells, n*n): the shell sums of basis X basis^T as a linear map of X, one copy of the sector."""
    out = np.zeros((len(cube.pairs), basis.shape[1]**2))
    for i in range(len(out)):
        pair = (cube.shell_of_pair == i).reshape(cube.size, cube.size).astype(float)
        out[i] = (basis.T @ pair @ basis).ravel()
    return out


def _assemble(cube, tables, parts):
    """The full (R+1)^3 matrix from its sectors, averaged over the permutations of the axes."""
    n = cube.radius + 1
    k = sum(m * (basis @ x @ basis.T) for (m, basis, _), x in zip(tables, parts)).reshape((n,) * 6)
    orders = list(itertools.permutations(range(3)))
    mean = sum(k.transpose(o + tuple(3 + i for i in o)) for o in orders) / len(orders)
    return mean.reshape(cube.size, cube.size)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="weights file (JSON)")
    parser.add_argument("--only", help="only entries whose label contains this, e.g. compact-18")
    parser.add_argument("--iterations", type=int, default=4000)
    args = parser.parse_args()
    for entry in weights_file.read(args.file):
        name = weights_file.label(entry)
        if entry["fam"] == "leggy" or (args.only and args.only not in name):
            continue
        shells = [tuple(q) for q in entry["shells"]]
        _, residual, largest = gram_block(shells, entry["gamma"], args.iterations)
        print(f"{name:40s} residual {residual:.1e}  largest eigenvalue {largest:.3f}", flush=True)


if __name__ == "__main__":
    main()
