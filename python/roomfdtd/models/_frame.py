"""Units and axis of models that state neither: applied, and doubted in the words that the program has for meshes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._model import Model, model_of

Array = NDArray[np.float64]

UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048}
_NAMES = {"mm": "millimetres", "cm": "centimetres", "in": "inches", "ft": "feet", "m": "metres"}  # in the order of their trial
_LOWEST, _HIGHEST, _LONGEST = 1.8, 60.0, 300.0  # m, of rooms
_LOW_ROOM = 2.2  # m: a corridor is as wide
_MORE = 1.5  # one area clearly more than another


def framed(corners: Array, faces: Any, names: Sequence[str], units: str, up: str, notes: Sequence[str] = ()) -> Model:
    """A model of corners in `units`, whose axis `up` points up; with a note where it has not the size of a room, or lies."""
    x, y, z = np.asarray(corners, dtype=float).T * UNITS[units]
    axes = {"x": (y, z, x), "y": (x, -z, y), "z": (x, y, z)}[up]  # as the program turns meshes
    model = model_of(np.column_stack(axes), faces, names, notes)
    sides = np.ptp(model.surface.vertices[np.unique(model.surface.faces)], axis=0)
    doubt = _of_units(sides, units) or _of_up(model, sides, up)
    if doubt:
        model.notes.append(doubt)
    return model


def stated(model: Model, unit: float) -> Model:
    """A model of a file that states its unit, in m; with a note where it has not the size of a room, and would in another one."""
    sides = np.ptp(model.surface.vertices[np.unique(model.surface.faces)], axis=0)
    found = _other_unit(sides, unit)
    if found:
        _, name, made = found
        model.notes.append(
            f"its bounding box is {_text(sides)} in the unit that the file states: are its numbers {name}? Then it is {_text(made)}: "
            "export it again with that unit"
        )
    return model


def _of_units(sides: Array, units: str) -> str:
    found = _other_unit(sides, UNITS[units])
    if not found:
        return ""
    other, name, made = found
    return f'its bounding box is {_text(sides)}: are its numbers {name}? units = "{other}" makes it {_text(made)}'


def _other_unit(sides: Array, unit: float) -> tuple[str, str, Array] | None:
    """The unit in which sides, which are none of a room as read in one of so many m, are those of a room."""
    if 1.0 <= sides.max() <= _LONGEST and sides[2] <= _HIGHEST:
        return None
    for other, name in _NAMES.items():
        made = sides / unit * UNITS[other]
        if UNITS[other] != unit and _LOWEST <= made[2] <= _HIGHEST and made.max() <= _LONGEST:
            return other, name, made
    return None


def _of_up(model: Model, sides: Array, up: str) -> str:
    """Of y and z, which trade places: the other one lies along y of the model that was read, whichever points up."""
    if up == "x":
        return ""
    other = "z" if up == "y" else "y"
    a, b, c = (model.surface.vertices[model.surface.faces[:, i]] for i in range(3))
    x, there, here = np.abs(np.cross(b - a, c - a)).sum(axis=0) / 2
    if there < _MORE * max(here, x) or not _LOW_ROOM <= sides[1] <= _HIGHEST:
        return ""
    return (
        f"with {up} up, {here:.3g} m2 of its facets face up or down and {there:.3g} m2 face along {other}, like a floor and a "
        f'ceiling: is that the axis that points up? up = "{other}" makes its bounding box {_text(sides[[0, 2, 1]])}'
    )


def _text(sides: Array) -> str:
    return f"{sides[0]:.4g} x {sides[1]:.4g} x {sides[2]:.4g} m"
