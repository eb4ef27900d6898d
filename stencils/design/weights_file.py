"""The weights file: a JSON list with one object a set of weights.

    set     how it was made: "minimax eps=0.01", "leggy-opt eps=0.003", "leggy-spatial-opt eps=0.01 (needs
            time-dispersion removal)", "ME"
    fam, n  family and member (M, R or [q1, q2, q3])            K       points, the centre included
    lam     Courant number these weights are for                 shells  [[q1, q2, q3], ...]
    gamma   weights of S: the centre, then one a shell           proof   why it is stable beside walls (README.md)
    b1, b2  fractions of the wavenumber radius within 1 % and 2 %: worst, 100, 110, 111
    beta    the same within the set's own tolerance (leggy sets)
    ncmin, ncmax   the certificate's bounds of S over all masks, where it was run
"""
import json
import os


def read(path):
    """The list of entries; an empty one when there is no such file."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def key(entry):
    return entry["set"], entry["fam"], json.dumps(entry["n"])


def label(entry):
    member = entry["n"] if isinstance(entry["n"], int) else "".join(map(str, entry["n"]))
    return f"{entry['fam']}-{member} {entry['set'].split(' (')[0]}"


def tolerance_of(entry):
    """The velocity tolerance the set was made for; None for modified-equation weights."""
    words = entry["set"].split("eps=")
    return float(words[1].split()[0]) if len(words) > 1 else None


def claims(entry):
    """(key, tolerance) of every claim on fractions that the entry makes."""
    known = dict(b1=0.01, b2=0.02, beta=tolerance_of(entry))
    return [(name, tol) for name, tol in known.items() if name in entry and tol]


def put(path, entry):
    """Add an entry, or replace the one of the same set, family and member; written whole or not at all."""
    entries = [e for e in read(path) if key(e) != key(entry)] + [entry]
    order = {"leggy": 0, "compact": 1, "box": 2}
    entries.sort(key=lambda e: (e["set"], order[e["fam"]], e["n"] if isinstance(e["n"], list) else [e["n"]]))
    with open(path + ".part", "w", encoding="utf-8") as f:
        f.write("[\n" + ",\n".join(json.dumps(e) for e in entries) + "\n]\n")
    os.replace(path + ".part", path)
