#!/usr/bin/env python3
"""Writes docs/reference/python.md from the docstrings of roomfdtd.

    PYTHONPATH=python python python/reference.py [--check]

--check compares instead, and ends with 1 where the page is not what would be written.
"""

import inspect
import pathlib
import re
import sys
import textwrap

import roomfdtd
from roomfdtd import generators, losses

PAGE = pathlib.Path(__file__).resolve().parents[1] / "docs" / "reference" / "python.md"

# Chapters in the order of a user's way, each with its names; the test fails on a public name that is in none.
CHAPTERS = {
    "Scenes": (roomfdtd, ["Scene", "Room", "Surface", "Material", "Source", "Receiver", "Air", "Above", "Output"]),
    "Plans and results": (roomfdtd, ["Plan", "Progress", "Result", "Match", "AbovePart", "open_result"]),
    "From other programs": (roomfdtd, ["import_model", "Model", "import_materials", "from_pyroomacoustics"]),
    "Catalogues": (roomfdtd, ["materials", "stencils", "Library"]),
    "Fits": (roomfdtd, ["fit", "Fit"]),
    "Gradients": (
        roomfdtd,
        ["gradient", "optimise", "differentiable", "WallModel", "Gradient", "Optimum", "Parameter", "Coordinate", "SensitivityMap"],
    ),
    "Losses": (losses, ["decay", "spectrum", "clarity", "reverberation_time", "waveform", "total", "Squares"]),
    "Small rooms": (roomfdtd, ["modes", "place", "notches"]),
    "Sweeps": (roomfdtd, ["sweep", "open_sweep", "Sweep"]),
    "Data sets": (roomfdtd, ["dataset", "open_dataset", "DataSet", "Samples", "Throughput"]),
    "Generators of rooms": (
        generators,
        ["Sample", "Shape", "RandomRooms", "BoxRooms", "LRooms", "FurnishedRooms", "Mixture"],
    ),
    "Exceptions": (
        roomfdtd,
        ["FdtdError", "SceneError", "ResourceError", "NumericalError", "FileError", "Interrupted", "Problem"],
    ),
}

HEAD = """\
# Python

This page is written by `python/reference.py` from the docstrings of the package `roomfdtd`; `help()` prints the same.
[How to use it](../how-to/python.md); [notebooks](../notebooks/first-room.md). Lengths are in metres, times in seconds,
frequencies in hertz. Core functions need numpy and h5py; a function that needs more (pandas, xarray, matplotlib,
pyfar, Dask) names it when it is called without it.
"""

SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.M)


def escaped(text):
    """Text for Markdown: ``code`` as `code`, roles of Sphinx as code, no accidental markup outside of it."""
    text = re.sub(r":\w+:`~?([\w.]+)`", r"`\1`", text).replace("``", "`")
    parts = text.split("`")
    return "`".join(part if i % 2 else part.replace("<", "&lt;").replace("*", "\\*") for i, part in enumerate(parts))


def listed(body):
    """Entries `name : type` with their indented text as a list."""
    lines = []
    for line in body.splitlines():
        if line and not line.startswith(" "):
            name, _, kind = line.partition(" : ")
            lines.append(f"- `{name}`" + (f" ({escaped(kind)})" if kind else ""))
        elif line.strip():
            begun = ":" in lines[-1].split("`", 2)[-1]
            lines[-1] += (" " if begun else ": ") + escaped(line.strip())
    return "\n".join(lines)


def example(body):
    code = [line[4:] for line in body.splitlines() if line.startswith((">>> ", "... "))]
    return "```python\n" + "\n".join(code) + "\n```"


def text_of(thing):
    """A docstring as Markdown."""
    parts = SECTION.split(inspect.getdoc(thing) or "")
    out = [escaped(parts[0].strip())]
    for name, body in zip(parts[1::2], parts[2::2]):
        body = body.strip("\n")
        if name == "Examples":
            out.append(example(body))
        else:
            out.append(f"{name}:\n\n{listed(body)}")
    return "\n\n".join(out)


def signature(thing, name, bound=False):
    try:
        made = inspect.signature(thing)
    except (TypeError, ValueError):
        return name
    kept = [p for i, p in enumerate(made.parameters.values()) if not p.name.startswith("_") and not (bound and i == 0)]
    shown = [p.replace(annotation=p.empty) for p in kept]
    return name + re.sub(r"<factory>", "...", str(made.replace(parameters=shown, return_annotation=made.empty)))


def members(kind):
    """Public methods and properties that a class defines itself, in the order of its source."""
    for name, item in vars(kind).items():
        if name.startswith("_") or not (inspect.getdoc(getattr(kind, name, None)) or "").strip():
            continue
        if isinstance(item, property):
            yield f"`{name}`", item.fget
        elif isinstance(item, (classmethod, staticmethod)):
            call = signature(item.__func__, f"{kind.__name__}.{name}", isinstance(item, classmethod))
            yield f"`{call}`", item.__func__
        elif inspect.isfunction(item):
            yield f"`{signature(item, name, True)}`", item


def entry(thing, name):
    dictionary = inspect.isclass(thing) and issubclass(thing, dict)
    plain = dictionary or name in ("Result", "Sweep", "DataSet", "Plan", "Library")  # those that users do not make
    lines = [f"### `{name}`", ""]
    if not plain:
        call = textwrap.wrap(signature(thing, name), 110, subsequent_indent="    ", break_long_words=False)
        lines += ["```python", *call, "```", ""]
    lines += [text_of(thing), ""]
    if dictionary and hasattr(thing, "__annotations__"):
        lines += ["Keys: " + ", ".join(f"`{key}`" for key in thing.__annotations__) + ".", ""]
    elif inspect.isclass(thing):
        for head, item in members(thing):
            lines += [f"**{head}**", "", text_of(item), ""]
    return lines


def page():
    lines = [HEAD]
    for chapter, (module, names) in CHAPTERS.items():
        lines += [f"## {chapter}", ""]
        for name in names:
            lines += entry(getattr(module, name), name)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        sys.exit(None if PAGE.read_text(encoding="utf-8") == page() else f"{PAGE}: run python/reference.py again")
    PAGE.write_text(page(), encoding="utf-8")
