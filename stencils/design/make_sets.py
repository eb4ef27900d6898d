"""Makes the minimax sets of a whole list, one after the other, into one weights file: what made weights_extra.json.

    python make_sets.py LIST... -o weights_extra.json --cuts cuts.json [--again]

LIST is one or more of: large (compact 17..22 and box 322..400), small (the other compact and box stencils), leggy,
warp, me. compact, box and leggy sets come at the two tolerances of the catalogue. Sets that the file has are kept
unless --again. A box member that is a compact one (box-222 is not, box-220 is compact-8) is copied under its own
name.
"""
import argparse
import sys
import time

import measure
import minimax
import modified_equation
import warp
import weights_file
from shells import BOX_MEMBERS, COMPACT_MEMBERS, LEGGY_MEMBERS, shells_of

LARGE = [("box", q) for q in BOX_MEMBERS if q >= (3, 2, 2)] + [("compact", r) for r in COMPACT_MEMBERS if r >= 17]
SMALL = [("compact", r) for r in COMPACT_MEMBERS if 1 < r < 17]
SMALL += [("box", q) for q in BOX_MEMBERS if (1, 0, 0) < q < (3, 2, 2)]
WIDE = (0.6, 0.66, 0.72, 0.78, 0.84, 0.9)


def compact_twin(family, member):
    """The compact member with the same shells as this box member, or None."""
    if family != "box":
        return None
    mine = set(shells_of(family, member))
    return next((r for r in COMPACT_MEMBERS if set(shells_of("compact", r)) == mine), None)


def tasks(lists):
    """(set name, family, member, maker) in the order in which they are made; maker(pool) returns an entry."""
    def minimax_task(family, member, eps, courants, hint):
        name = ("leggy-opt" if family == "leggy" else "minimax") + f" eps={eps:g}"
        return name, family, member, lambda pool: minimax.design(family, member, eps, pool, list(courants), hint)

    for which in lists:
        if which == "large":
            for eps in (0.01, 0.02):
                yield from (minimax_task(f, m, eps, (0.74, 0.78, 0.82, 0.86), 0.9) for f, m in LARGE)
        elif which == "small":
            for eps in (0.01, 0.02):
                yield from (minimax_task(f, m, eps, WIDE, 0.8) for f, m in SMALL)
        elif which == "leggy":
            for eps, low in ((0.01, 0.22), (0.003, 0.12)):
                scan = [round(low + 0.04 * i, 4) for i in range(4)]
                yield from (minimax_task("leggy", m, eps, scan, 0.9) for m in LEGGY_MEMBERS[1:])
        elif which == "warp":
            for eps in (0.01, 0.003):
                for m in LEGGY_MEMBERS[1:]:
                    yield warp.set_name(eps), "leggy", m, lambda pool, m=m, eps=eps: warp.design(m, eps)
        elif which == "me":
            for family, member in SMALL + LARGE:
                yield ("ME", family, member,
                       lambda pool, family=family, member=member: modified_equation.design(family, member))
        else:
            raise ValueError(f"unknown list {which!r}: large, small, leggy, warp or me")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lists", nargs="+", metavar="LIST")
    parser.add_argument("--cuts", help="pool of cuts (JSON), read and extended")
    parser.add_argument("--again", action="store_true", help="make sets anew that the file has")
    parser.add_argument("-o", "--output", required=True, help="weights file (JSON)")
    args = parser.parse_args()
    pool, failed = minimax.Pool(args.cuts), 0
    for name, family, member, make in tasks(args.lists):
        wanted = dict(set=name, fam=family, n=list(member) if family == "box" else member)
        have = {weights_file.key(e): e for e in weights_file.read(args.output)}
        if weights_file.key(wanted) in have and not args.again:
            continue
        start = time.perf_counter()
        twin = have.get(weights_file.key(dict(wanted, fam="compact", n=compact_twin(family, member))))
        try:
            entry = dict(twin, **wanted) if twin else make(pool)
        except RuntimeError as problem:
            print(f"{weights_file.label(wanted)}: {problem}", flush=True)
            failed += 1
            continue
        problems = measure.check(entry)
        failed += bool(problems)
        weights_file.put(args.output, entry)
        claim = {k: entry[k] for k, _ in weights_file.claims(entry)}
        print(f"{weights_file.label(entry)}: lambda {entry['lam']:.4f} {claim} {entry['proof']} "
              f"{'; '.join(problems) or 'checked'} ({time.perf_counter() - start:.0f} s)", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
