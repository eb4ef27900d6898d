"""Pages with tables, and the documents under bench/results/ that they are made of (bench/tables.py)."""

import json
import os
import pathlib
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RESULTS = ROOT / "bench" / "results"


def load(path):
    return json.loads((RESULTS / path).read_text())


def member(one):
    return one["stencil"].split("/")[0]


def times(grid):
    return " x ".join(map(str, grid))


def table(heads, rows):
    return (["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)] +
            ["| " + " | ".join(map(str, row)) + " |" for row in rows] + [""])


class Page:
    """A page, and how it links to files of the repository."""

    def __init__(self, path):
        self.path = path

    def link(self, text, path):
        return f"[{text}]({os.path.relpath(ROOT / path, (ROOT / self.path).parent)})"

    def data(self, path):
        return self.link("data", f"bench/results/{path}")

    def origin(self, document, path):
        commit = f" at {document['commit']}" if document["commit"] else ""
        return f"`{document['command']}`{commit} on {document['date']} ({self.data(path)})"


def text(*sentences):
    """A paragraph; links keep together."""
    return textwrap.wrap(" ".join(sentences), 118, break_long_words=False, break_on_hyphens=False) + [""]


def machines(name):
    """The machines with a document of that name, in order."""
    return sorted(path.parent.name for path in RESULTS.glob(f"*/{name}"))
