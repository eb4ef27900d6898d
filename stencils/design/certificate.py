"""The all-mask certificate: bounds of the folded operator over every voxel mask, by a moment semidefinite programme.

    python certificate.py FILE [--only compact-17] [--level L] [--surplus SHARE | --slopes SHARE]
    python certificate.py --radial ../../build/release/cli/fdtd [--only compact-4] [--surplus SHARE | --slopes SHARE]

On a mask the symmetrised fold is S = gamma_0 + sum_q gamma_q (sum over the permutations p of q of the average over
the orders o of its axes of C_{o1}^{p_o1} C_{o2}^{p_o2} C_{o3}^{p_o3}), C_d^m = 2 T_m(X_d), T_m Chebyshev's
polynomials, where X_x, X_y, X_z are symmetric contractions that need not commute. So the minimum and maximum of this
polynomial over ALL triples of symmetric contractions bound the spectrum of S on all masks at once: if they are >= -2
and <= 2 the scheme is stable in every room. They are computed by the moment relaxation of S. Pironio, M. Navascues,
A. Acin (SIAM J. Optim. 20, 2010): minimise sum c_w y_w over y with y_1 = 1, the moment matrix y(u* v) >= 0 and, for
each d, the localising matrix y(u* (1 - X_d^2) v) >= 0, u and v running over words of degree up to `level`.

Three reductions make it fast:
 * Words are products of Chebyshev syllables T_m(X_d), neighbours of different letters: moments lie in [-1, 1], and
   (1 - X^2) U_{a-1} U_{b-1} = (T_{|a-b|} - T_{a+b}) / 2 makes the localising matrix the same kind of table.
 * y may be taken invariant under permutations of the axes and reversal of words: one variable an orbit.
 * The moment matrix then splits by the irreducible representations of S_3 (121 -> 23 + 18 + 40 at level 4), a
   localising matrix by the swap of the other two axes.  1 - X and 1 + X need none: 1 - X = ((1 - X)^2 + 1 - X^2) / 2.
Any subset of words gives a valid bound, so level 5 uses only the words of degree 5 with at most two syllables.

The optimal y is a cutting plane: mu_p = y(shell p), and gamma_0 + gamma . mu >= -2 holds for every certified stencil.
It is computed for every shell that the level can hold, so one cut serves all stencils (minimax.py keeps a pool).
Weights whose minimum m is below -2 have the certificate at a lower Courant number: with K = 2 - S scaled by q^2,
q = 2/sqrt(2 - m), the minimum is -2. --radial prints the largest one of the program's sets for a map of frequencies up
to radius 2, which ../radial.cpp has as shares of the design's Courant number.

The bounds are floating-point ones (the dual objective, about 1e-7), not exact arithmetic.
"""
import argparse
import functools
import itertools
import json
import subprocess

import cvxopt
import numpy as np
import scipy.sparse as sp
import weights_file
from shells import ordered_triples, shell_sizes

PERMUTATIONS = list(itertools.permutations(range(3)))


@functools.cache
def canonical(word):
    """One representative of a word's orbit under permutations of the letters and reversal; a word is a tuple of
    syllables (letter, power)."""
    best = None
    for candidate in (word, word[::-1]):
        names = {}
        renamed = tuple((names.setdefault(d, len(names)), m) for d, m in candidate)
        if best is None or renamed < best:
            best = renamed
    return best


def join(left, right):
    """The product of two words as [(word, coefficient)]: T_a T_b = (T_{a+b} + T_{|a-b|}) / 2 where they meet."""
    if not left or not right or left[-1][0] != right[0][0]:
        return [(left + right, 1.0)]
    (d, a), (_, b) = left[-1], right[0]
    out = [(left[:-1] + ((d, a + b),) + right[1:], 0.5)]
    if a != b:
        out.append((left[:-1] + ((d, abs(a - b)),) + right[1:], 0.5))
    else:
        out += [(w, 0.5 * c) for w, c in join(left[:-1], right[1:])]
    return out


def localise(left, right):
    """u* (1 - X^2) v for u = U_{a-1}(X) left', v = U_{b-1}(X) right', given as the words T_a left', T_b right'."""
    (d, a), (_, b) = left[-1], right[0]
    out = [(left[:-1] + ((d, a + b),) + right[1:], -0.5)]
    if a != b:
        out.append((left[:-1] + ((d, abs(a - b)),) + right[1:], 0.5))
    else:
        out += [(w, 0.5 * c) for w, c in join(left[:-1], right[1:])]
    return out


def words_of_degree(n):
    """All words whose powers add up to n."""
    if n == 0:
        return [()]
    return [w + ((d, m),) for m in range(1, n + 1) for w in words_of_degree(n - m)
            for d in range(3) if not w or w[-1][0] != d]


def level_of(shells):
    """Half the largest degree, at least 2."""
    return max(2, -(-max(sum(q) for q in shells) // 2))


def basis_words(level):
    """Words that index the moment matrix: all up to degree 4, above that those of at most two syllables."""
    return [w for n in range(level + 1) for w in words_of_degree(n) if n <= 4 or len(w) <= 2]


def isotypic_bases(words, group):
    """Orthonormal bases (columns) that block-diagonalise matrices over `words` invariant under a group of letter
    permutations; the group is given as its irreducible representations, [(dimension, [(permutation, rho_11)])]."""
    index = {w: i for i, w in enumerate(words)}
    used = {p for _, elements in group for p, _ in elements}
    image = {p: [index[tuple((p[d], m) for d, m in w)] for w in words] for p in used}
    blocks = []
    for dimension, elements in group:
        seen, columns = set(), []
        for i in range(len(words)):
            if i in seen:
                continue
            orbit = sorted({image[p][i] for p, _ in elements})
            seen.update(orbit)
            projector = np.zeros((len(orbit), len(orbit)))
            for p, rho in elements:
                for col, j in enumerate(orbit):
                    projector[orbit.index(image[p][j]), col] += rho * dimension / len(elements)
            value, vector = np.linalg.eigh((projector + projector.T) / 2)
            for v in vector.T[value > 0.5]:
                column = np.zeros(len(words))
                column[orbit] = v
                columns.append(column)
        if columns:
            blocks.append(np.array(columns).T)
    return blocks


def _s3_representations():
    plane = np.array([[1, -1, 0], [1, 1, -2]]) / np.sqrt([[2.0], [6.0]])
    matrices = {p: np.eye(3)[list(p)].T for p in PERMUTATIONS}
    trivial = [(p, 1.0) for p in PERMUTATIONS]
    sign = [(p, float(np.linalg.det(matrices[p]))) for p in PERMUTATIONS]
    standard = [(p, float(plane[0] @ matrices[p] @ plane[0])) for p in PERMUTATIONS]
    return [(1, trivial), (1, sign), (2, standard)]


SWAP = [(1, [((0, 1, 2), 1.0), ((0, 2, 1), 1.0)]), (1, [((0, 1, 2), 1.0), ((0, 2, 1), -1.0)])]


@functools.cache
def relaxation(level):
    """(variables: word -> index with the empty word 0, [(n, sparse (n*n, variables)) per block])."""
    variables = {(): 0}
    blocks = []
    moment = basis_words(level)
    local = [w for w in moment if w and w[0][0] == 0]
    for words, entry, group in ((moment, join, _s3_representations()), (local, localise, SWAP)):
        n = len(words)
        rows, cols, values = [], [], []
        for i, u in enumerate(words):
            for j, v in enumerate(words):
                for word, c in entry(u[::-1], v):
                    rows.append(i * n + j)
                    cols.append(variables.setdefault(canonical(word), len(variables)))
                    values.append(c)
        table = (n, np.array(rows), np.array(cols), np.array(values))
        blocks += [(table, basis) for basis in isotypic_bases(words, group)]
    out = []
    for (n, rows, cols, values), basis in blocks:
        table = sp.csr_matrix((values, (rows, cols)), shape=(n * n, len(variables)))
        turn = sp.csr_matrix(basis)
        block = (sp.kron(turn, turn).T.tocsr() @ table).tocsc()
        block.data[np.abs(block.data) < 1e-14] = 0.0
        block.eliminate_zeros()
        out.append((basis.shape[1], block))
    return variables, out


@functools.cache
def moment_rows(level, shells):
    """(P, variables): mu_p = rows @ y, each shell's sum of its folded walks at the state y."""
    variables, _ = relaxation(level)
    rows = np.zeros((len(shells), len(variables)))
    for i, (q, size) in enumerate(zip(shells, shell_sizes(shells))):
        syllables = [(d, m) for d, m in enumerate(q) if m > 0]
        orders = list(itertools.permutations(syllables))
        for order in orders:
            rows[i, variables[canonical(order)]] += size / len(orders)
    return rows


def shells_within(level):
    """Every shell whose folded walks the relaxation of this level can express."""
    variables, _ = relaxation(level)
    def known(q):
        syllables = [(d, m) for d, m in enumerate(q) if m > 0]
        return all(canonical(o) in variables for o in itertools.permutations(syllables))
    return tuple(q for q in ordered_triples(2 * level) if sum(q) <= 2 * level and known(q))


def bound(shells, gamma, side=1, level=None):
    """(value, mu): side = +1 the minimum of S over all triples of contractions, -1 the maximum; `mu` maps every shell
    within the level to its moment at the extremal state.  Raises RuntimeError when the solver finds no dual bound."""
    level = level or level_of(shells)
    variables, blocks = relaxation(level)
    cost = side * (np.asarray(gamma[1:]) @ moment_rows(level, tuple(shells)))
    gs, hs = [], []
    for n, block in blocks:
        coo = block[:, 1:].tocoo()
        entries = (-coo.data).tolist(), coo.row.tolist(), coo.col.tolist()
        gs.append(cvxopt.spmatrix(*entries, (n * n, len(variables) - 1)))
        hs.append(cvxopt.matrix(block[:, 0].toarray().reshape(n, n)))
    options = dict(show_progress=False, abstol=1e-9, reltol=1e-9, feastol=1e-9, maxiters=60)
    solution = cvxopt.solvers.sdp(cvxopt.matrix(cost[1:]), Gs=gs, hs=hs, options=options)
    if solution["dual objective"] is None or solution["x"] is None:
        raise RuntimeError(f"certificate: no bound at level {level} ({solution['status']})")
    y = np.r_[1.0, np.array(solution["x"]).ravel()]
    every = shells_within(level)
    mu = dict(zip(every, moment_rows(level, every) @ y))
    return side * (solution["dual objective"] + cost[0]) + gamma[0], mu


def with_surplus(shells, gamma, courant, share):
    """The polynomial S + share lambda^2/12 sum of A_d^2, A_d = 2 - 2 X_d: what voxels that walls cut add to S at most
    (engine/walls/cut_cells_products.cpp). A^2 = 6 - 4 (2 T_1) + 2 T_2."""
    e = share * courant * courant / 12
    weights = dict(zip(shells, gamma[1:]))
    for q, v in (((1, 0, 0), -4 * e), ((2, 0, 0), e)):
        weights[q] = weights.get(q, 0.0) + v
    return list(weights), [gamma[0] + 18 * e] + list(weights.values())


def with_slopes(shells, gamma, courant, share):
    """The polynomial S + 2 share lambda^2/12 sum of A_d: what the slopes of section 6 of docs/explanation/walls.md, which
    are not in the program, add at most."""
    e = 2 * share * courant * courant / 12
    weights = dict(zip(shells, gamma[1:]))
    weights[1, 0, 0] = weights.get((1, 0, 0), 0.0) - e
    return list(weights), [gamma[0] + 6 * e] + list(weights.values())


def scaled(gamma, square):
    """Weights of S with K = 2 - S scaled by `square`."""
    return [2 - square * (2 - gamma[0])] + [square * g for g in gamma[1:]]


def print_radial(program, only, level, raised):
    """The Courant number up to which each radial set of radius 1 and 2 has the certificate."""
    listed = json.loads(subprocess.run([program, "stencils", "--json"], check=True, capture_output=True).stdout)
    for entry in listed:
        name, shells = entry["name"], [tuple(q) for q in entry["shells"]]
        if "/radial" not in name or max(max(q) for q in shells) > 2 or (only and only not in name):
            continue
        gamma = entry["weights"]
        low, _ = bound(shells, gamma, 1, level)
        q = min(1.0, 2 / (2 - low)**0.5)
        gamma, courant = scaled(gamma, q * q), q * entry["courant"]
        high, _ = bound(*raised(shells, gamma, courant), -1, level)
        print(f"{name:20s} min + 2 = {low + 2:+.2e}   certified at {q:.5f} of its Courant number, {courant:.6f}: "
              f"max - 2 = {high - 2:+.2e}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", help="weights file (JSON)")
    parser.add_argument("--radial", metavar="PROGRAM", help="the radial sets of this fdtd program instead")
    parser.add_argument("--only", help="only entries whose label contains this, e.g. compact-17")
    parser.add_argument("--level", type=int, help="level of the relaxation (default: half the largest degree)")
    parser.add_argument("--surplus", type=float, default=0.0, metavar="SHARE",
                        help="add what cut voxels add to S at most, for its upper end (certified: 0.75, radius 2)")
    parser.add_argument("--slopes", type=float, metavar="SHARE",
                        help="add what slopes would add instead (certified: 1, radius 2)")
    args = parser.parse_args()
    if args.slopes is None:
        raised = functools.partial(with_surplus, share=args.surplus)
    else:
        raised = functools.partial(with_slopes, share=args.slopes)
    if (args.file is None) == (args.radial is None):
        parser.error("give a weights file or --radial")
    if args.radial:
        print_radial(args.radial, args.only, args.level, raised)
        return
    for entry in weights_file.read(args.file):
        name = weights_file.label(entry)
        if entry["fam"] == "leggy" or (args.only and args.only not in name):
            continue
        shells = [tuple(q) for q in entry["shells"]]
        low, _ = bound(shells, entry["gamma"], 1, args.level)
        high, _ = bound(*raised(shells, entry["gamma"], entry["lam"]), -1, args.level)
        verdict = "certified" if low >= -2 and high <= 2 + 1e-6 else "NOT certified"
        print(f"{name:40s} min + 2 = {low + 2:+.2e}   max - 2 = {high - 2:+.2e}   {verdict}", flush=True)


if __name__ == "__main__":
    main()
