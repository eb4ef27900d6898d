"""Values that users give, checked or an error with their place; those of a scene are put at the keys of its document."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from reprlib import repr as short
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _html
from .errors import SceneError, misplaced

if TYPE_CHECKING:
    from .materials import Material


def number(value: Any, place: str) -> float:
    """A number; neither a truth value nor a text is one. The scene's check refuses NaN and infinity."""
    array = _array(value)
    if array is None or array.ndim != 0:
        raise misplaced(place, f"a number is needed, not {short(value)}")
    return float(array)


def numbers(values: Any, place: str) -> list[float]:
    """Numbers as a list, as :func:`number`; one number alone is a list of one."""
    array = _array(values)
    if array is None:
        raise misplaced(place, f"numbers are needed, not {short(values)}")
    return [float(value) for value in array.ravel()]


def complex_numbers(values: Any, place: str) -> list[complex]:
    """Complex or real numbers as a list, as :func:`numbers`."""
    try:
        array = np.asarray(values)
        if array.dtype.kind in "fiucO" and not _has_other(values, array):
            return [complex(value) for value in array.astype(complex).ravel()]
    except (TypeError, ValueError, OverflowError):
        pass
    raise misplaced(place, f"complex numbers are needed, not {short(values)}")


def whole(value: Any, place: str, least: int | None = None) -> int:
    """A whole number, from `least` up where one is given."""
    array = _array(value)
    if array is None or array.ndim != 0 or not float(array).is_integer():
        raise misplaced(place, f"a whole number is needed, not {short(value)}")
    found = float(array)
    if least is not None and found < least:
        raise misplaced(place, f"{short(value)} is no whole number from {least} up")
    return int(found)


def positive(value: Any, place: str, name: str = "") -> float:
    """A finite number above 0."""
    found = number(value, place)
    if not 0.0 < found < math.inf:
        raise misplaced(place, f"{name} {short(value)} is not a finite number above 0".lstrip())
    return found


def finite(values: Any, place: str, name: str, samples: bool = True) -> NDArray[np.float64]:
    """Real numbers of any shape, all finite; the error names the first that is not, by its indices from 0.

    Along the last axis are samples, unless `samples` is off.
    """
    array = _array(values)
    if array is None:
        what = "" if name == place else f"{name}: "
        raise misplaced(place, f"{what}real numbers are needed, not {short(values)}")
    if not np.isfinite(array).all():
        at = [int(i) for i in np.argwhere(~np.isfinite(array))[0]]
        sample = f"sample {at.pop()} of " if samples and at else ""
        raise misplaced(place, f"{sample}{name}{at or ''} is not finite", "sample and element numbers count from 0")
    return array


def _array(values: Any) -> NDArray[np.float64] | None:
    """Real numbers as an array, None where one is a truth value, a text or something else."""
    try:
        array = np.asarray(values)
        if array.dtype.kind in "fiuO" and not _has_other(values, array):
            return np.asarray(array, dtype=float)
    except (TypeError, ValueError, OverflowError):
        pass
    return None


def _has_other(values: Any, array: NDArray[Any]) -> bool:
    """Whether True, False or None is among the numbers of a list, where numpy takes them for 1, 0 and NaN."""
    if isinstance(values, np.ndarray) and array.dtype != object:
        return False
    listed = values if isinstance(values, (list, tuple)) and array.ndim == 1 else np.asarray(values, dtype=object).ravel()
    return any(value is None or isinstance(value, (bool, np.bool_)) for value in listed)

_BYTES = {"GB": 1e9, "GiB": 2.0**30, "MB": 1e6, "MiB": 2.0**20}


def table_of(value: Any, place: str) -> dict[str, Any]:
    """A copy of a mapping, or an error with its place."""
    if not isinstance(value, Mapping):
        raise misplaced(place, f"a mapping is needed, not {value!r}")
    return dict(value)


def texts(values: Iterable[str], place: str) -> list[str]:
    """A list of texts; one text alone is a mistake."""
    if isinstance(values, str):
        raise misplaced(place, f"{values!r} is one text", f"give a list: [{values!r}]")
    found = list(values) if isinstance(values, Iterable) else [values]
    for one in found:
        if not isinstance(one, str):
            raise misplaced(place, f"a list of texts is needed, not {one!r}")
    return found


def bytes_of(size: float | str, place: str) -> int:
    """Bytes: a number of them, or a text such as "8GB"."""
    number = math.nan
    if isinstance(size, str):
        parts = re.fullmatch(rf"\s*(\d+\.?\d*(?:[eE][+-]?\d+)?)\s*({'|'.join(_BYTES)})\s*", size)
        if parts is not None:
            number = float(parts[1]) * _BYTES[parts[2]]
    elif isinstance(size, (int, float, np.number)) and not isinstance(size, (bool, np.complexfloating)):
        number = float(size)
    if not 0.0 <= number < 1e18:
        raise misplaced(place, f"{size!r} is no number of bytes", 'leave it out, or give bytes: 8e9 or "8GB"')
    return int(number)


def named(
    walls: Mapping[str, str | Material], own: dict[str, Material]
) -> tuple[dict[str, str], dict[str, Material]]:
    """Walls by the names of materials; a material without a name gets that of its wall."""
    from .materials import Material

    for key, value in own.items():
        if not isinstance(value, Material):
            raise misplaced(f"materials.{key}", f"a Material is needed, not {value!r}", "Material.library(name)")
    names: dict[str, str] = {}
    for wall, material in walls.items():
        if isinstance(material, Material):
            name = next((name for name, other in own.items() if other == material), None)
            if name is None:
                name = wall
                while name in own:
                    name += "_"
                own[name] = material
            names[wall] = name
        else:
            names[wall] = material
    return names, own


def put(document: dict[str, Any], key: str, value: Any) -> None:
    """Sets a key such as ``source.S1.position``; None removes it."""
    from .materials import Material

    at: Any = document
    parts = key.split(".")
    for depth, part in enumerate(parts):
        last = depth == len(parts) - 1
        if isinstance(at, list):
            index: Any = next((i for i, item in enumerate(at) if item.get("name") == part), None)
            if index is None and part.isdigit() and int(part) < len(at):
                index = int(part)
            if index is None:
                raise SceneError(f"{key}: there is no {part!r}", f"its elements: {_html.names(at)}")
        elif isinstance(at, dict):
            index = part
            if not last:
                at.setdefault(part, {})
        else:
            raise SceneError(f"{key}: {'.'.join(parts[:depth])} is no table")
        if not last:
            at = at[index]
        elif value is None:
            at.pop(index, None) if isinstance(at, dict) else at.pop(index)
        else:
            at[index] = dict(value.table) if isinstance(value, Material) else value
