"""A room with sources and receivers as the text of a scene (TOML) and of its mesh (OBJ). Nothing here needs Blender."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

_BANDS = (31.5, 63.0, 125.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0)
OCTAVES = {6: _BANDS[2:8], 7: _BANDS[2:], 8: _BANDS[1:], 9: _BANDS}  # of so many coefficients, Hz


class Names:
    """Names that files and tables take as they are: no two differ by capitals alone."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def of(self, written: str, otherwise: str) -> str:
        """A name like ``written``, in letters, digits, - and _; ``otherwise`` where nothing of it is left."""
        name = re.sub(r"[^A-Za-z0-9-]+", "_", written)[:40].strip("_") or otherwise
        unique, number = name, 2
        while unique.lower() in self._taken:
            unique, number = f"{name}-{number}", number + 1
        self._taken.add(unique.lower())
        return unique


def library_name(name: str, library: Iterable[str]) -> str | None:
    """The entry of the library that a material is named after: capitals, blanks and Blender's .001 do not count."""
    plain = re.sub(r"[\W_]+", "-", re.sub(r"\.\d{3,}$", "", name.strip().lower())).strip("-")
    return next((entry for entry in library if entry.lower() == plain), None)


def material_table(text: str, library: Iterable[str]) -> dict[str, Any] | None:
    """The keys of ``[materials.NAME]`` for what a user has written of a material; None where it is not understood.

    A name of the library, "rigid", one absorption coefficient for all octaves, or 6 to 9 for the octaves to 4 kHz (6)
    or 8 kHz, between blanks, commas or semicolons; "20 %" is 0.2.
    """
    text = text.strip()
    if text.lower() == "rigid":
        return {"rigid": True}
    entry = library_name(text, library)
    if entry is not None:
        return {"library": entry}
    words = re.split(r"[;,]?\s+|[;,]", re.sub(r"\s+%", "%", text))
    try:
        alpha = [float(word.removesuffix("%")) / (100 if word.endswith("%") else 1) for word in words]
    except ValueError:
        return None
    if not alpha or any(not 0 <= value <= 1 for value in alpha):
        return None
    if len(alpha) == 1:
        alpha = alpha * 7
    if len(alpha) not in OCTAVES:
        return None
    return {"absorption": {"bands": list(OCTAVES[len(alpha)]), "alpha": alpha}}


def dumps(document: Mapping[str, Any]) -> str:
    """A scene as TOML: tables of tables, lists of tables, and values."""
    lines = [f"{_key(name)} = {_value(value)}" for name, value in document.items() if not _is_table(value)]
    for name, value in document.items():
        if isinstance(value, Mapping):
            lines += _table(_key(name), value)
        elif _is_table(value):
            for entry in value:
                lines += ["", f"[[{_key(name)}]]", *(f"{_key(key)} = {_value(item)}" for key, item in entry.items())]
    return "\n".join(lines) + "\n"


def obj_text(vertices: np.ndarray, faces: np.ndarray, wall_of: np.ndarray, walls: list[str]) -> str:
    """A mesh as OBJ, in metres with z up, the facets of one wall after the other."""
    lines = ["# metres, z up", *(f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist())]
    for number, name in enumerate(walls):
        lines += [f"g {name}", f"usemtl {name}"]
        lines += [f"f {a} {b} {c}" for a, b, c in (faces[wall_of == number] + 1).tolist()]
    return "\n".join(lines) + "\n"


def write(path: Path, text: str) -> None:
    """A file that appears as a whole."""
    aside = path.with_name(path.name + ".part")
    aside.write_text(text, encoding="utf-8", newline="\n")
    aside.replace(path)


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, list) and bool(value) and all(isinstance(entry, Mapping) for entry in value)
    )


def _table(name: str, table: Mapping[str, Any]) -> list[str]:
    # A table of a table is written as one line where it holds values alone.
    deeper = {key: value for key, value in table.items() if isinstance(value, Mapping) and name in ("room", "materials")}
    lines = [f"{_key(key)} = {_value(value)}" for key, value in table.items() if key not in deeper]
    head = ["", f"[{name}]"] if lines or not deeper else []
    for key, value in deeper.items():
        lines += _table(f"{name}.{_key(key)}", value)
    return [*head, *lines]


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_value(item)}" for key, item in value.items()) + " }"
    return "[" + ", ".join(_value(item) for item in value) + "]"
