"""Values that users give, checked or an error with their place; those of a scene are put at the keys of its document."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from reprlib import repr as short
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _html
from .errors import FileError, SceneError, misplaced

if TYPE_CHECKING:
    from .materials import Material


def number(value: Any, place: str, hint: str = "") -> float:
    """A number; neither a truth value nor a text is one. The scene's check refuses NaN and infinity."""
    array = _array(value, place)
    if array is None or array.ndim != 0:
        raise misplaced(place, f"a number is needed, not {short(value)}", hint)
    return float(array)


def numbers(values: Any, place: str, hint: str = "") -> list[float]:
    """Numbers as a list, as :func:`number`; one number alone is a list of one."""
    array = _array(values, place)
    if array is None:
        raise misplaced(place, f"numbers are needed, not {short(values)}", hint)
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
    array = _array(value, place)
    if array is None or array.ndim != 0 or not float(array).is_integer():
        raise misplaced(place, f"a whole number is needed, not {short(value)}")
    found = float(array)
    if least is not None and found < least:
        raise misplaced(place, f"{short(value)} is no whole number from {least} up")
    return int(found)


def positive(value: Any, place: str, hint: str = "") -> float:
    """A finite number above 0."""
    found = number(value, place, hint)
    if not 0.0 < found < math.inf:
        raise misplaced(place, f"{short(value)} is not a finite number above 0", hint)
    return found


def finite(values: Any, place: str, name: str, samples: bool = True) -> NDArray[np.float64]:
    """Real numbers of any shape, all finite; the error names the first that is not, by its indices from 0.

    Along the last axis are samples, unless `samples` is off.
    """
    array = _array(values, place)
    if array is None:
        what = "" if name == place else f"{name}: "
        raise misplaced(place, f"{what}real numbers are needed, not {short(values)}")
    if not np.isfinite(array).all():
        at = [int(i) for i in np.argwhere(~np.isfinite(array))[0]]
        sample = f"sample {at.pop()} of " if samples and at else ""
        counted = "" if array.ndim == 0 else "sample and element numbers count from 0"
        raise misplaced(place, f"{sample}{name}{at or ''} is not finite", counted)
    return array


def _array(values: Any, place: str) -> NDArray[np.float64] | None:
    """Real numbers as an array, None where one is a truth value, a text or something else; an error where JAX traces them."""
    try:
        array = np.asarray(values)
        if array.dtype.kind in "fiuO" and not _has_other(values, array):
            return np.asarray(array, dtype=float)
    except (TypeError, ValueError, OverflowError) as error:
        if type(error).__name__ == "TracerArrayConversionError":  # of JAX, which need not be installed
            raise misplaced(
                place, "JAX traces them, so that their numbers are not known",
                "call it outside jax.jit, jax.grad and jax.vmap; WallModel.jax() is a function for these",
            ) from None  # fmt: skip
    return None


def _has_other(values: Any, array: NDArray[Any]) -> bool:
    """Whether True, False or None is among the numbers of a list, where numpy takes them for 1, 0 and NaN."""
    if isinstance(values, np.ndarray) and array.dtype != object:
        return False
    listed = values if isinstance(values, (list, tuple)) and array.ndim == 1 else np.asarray(values, dtype=object).ravel()
    return any(value is None or isinstance(value, (bool, np.bool_)) for value in listed)


_RATE = "state the rate of the responses in Hz, such as 48000"
_OCTAVE = "state centres of octaves in Hz, such as [63, 125]"
_BYTES = {"kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "kiB": 2.0**10, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30}


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


def text(value: Any, place: str, hint: str = "") -> str | None:
    """A text, or None where none is given."""
    if value is not None and not isinstance(value, str):
        raise misplaced(place, f"a text is needed, not {short(value)}", hint)
    return value


def device(value: Any) -> str | None:
    return text(value, "device", '"cpu", "cuda" or "cuda:N"')


def threads(value: Any) -> int:
    return whole(value, "threads", 0)


def path(value: Any, place: str) -> Path:
    """A path, of a text or another path."""
    if not isinstance(value, (str, os.PathLike)) or isinstance(value, bytes):
        raise misplaced(place, f"a path is needed, not {short(value)}")
    return Path(value)


def made(folder: Path) -> Path:
    """A folder, made where there is none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{folder}: no folder can be made there: {error.strerror}", "name another folder") from error
    return folder


def bytes_of(size: float | str, place: str) -> int:
    """Bytes: a number from 1 up, or a text as the program's options take it, such as "8GB"; 0 where none is stated."""
    found = math.nan
    if isinstance(size, str):
        parts = re.fullmatch(r"((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?) *([A-Za-z]+)", size)
        if parts is not None and parts[2] in _BYTES:
            found = float(parts[1]) * _BYTES[parts[2]] or math.nan
    elif isinstance(size, (int, float, np.number)) and not isinstance(size, (bool, np.complexfloating)):
        found = float(size)
    if not (1.0 <= found < 1e15 or found == 0.0):
        hint = f'a number from 1 up, as 8e9, or a text with {", ".join(_BYTES)}, as "8GB"; 0 leaves it to the engine'
        raise misplaced(place, f"{size!r} is no number of bytes", hint)
    return int(found)


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

    if not isinstance(key, str) or not all(parts := key.split(".")):
        raise misplaced("values", f"{key!r} is no key of a scene", "simulation.duration or source.S1.position is one")
    at: Any = document
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


def target_of(place: str, target: ArrayLike) -> NDArray[np.float64]:
    """Responses as a target."""
    wanted = responses(place, target, "target")
    with np.errstate(over="ignore"):
        energy = (wanted**2).sum(axis=-1)
    if not np.isfinite(energy).all():
        raise misplaced(f"{place}: target", f"a sample of {np.abs(wanted).max():.3g} is too large", "scale the responses")
    return wanted


def heard(place: str, target: ArrayLike) -> NDArray[np.float64]:
    """As :func:`target_of`; no response is silent."""
    wanted = target_of(place, target)
    silent = np.argwhere((wanted**2).sum(axis=-1) == 0.0)
    if len(silent):
        source, receiver = silent[0]
        what = f"a response of the target is silent: source {source}, receiver {receiver}, counted from 0"
        raise misplaced(f"{place}: target", what, "leave out the source or the receiver")
    return wanted


def responses(place: str, given: ArrayLike, name: str = "responses") -> NDArray[np.float64]:
    """Finite responses, at least one sample of them."""
    array = finite(given, place, name)
    if array.ndim != 3 or array.size == 0:
        have = "the target has" if name == "target" else "the responses have"
        hint = "give an array such as Result.responses"
        raise misplaced(place, f"{have} shape {array.shape}, not (sources, receivers, samples)", hint)
    return array


def above_zero(place: str, name: str, value: Any, hint: str) -> float:
    """A finite number above 0."""
    return positive(value, f"{place}: {name}", hint=hint)


def rate(place: str, value: Any) -> float:
    """Of responses, in Hz."""
    return above_zero(place, "rate", value, _RATE)


def real(place: str, name: str, value: Any, hint: str = "") -> float:
    """A finite number."""
    found = number(value, f"{place}: {name}", hint)
    if not np.isfinite(found):
        raise misplaced(f"{place}: {name}", f"{found:g} is not finite", hint)
    return found


def octaves(place: str, bands: Sequence[float], of_rate: float, name: str = "bands") -> list[float]:
    """Centres of octaves that a rate has whole, each once."""
    half = rate(place, of_rate) / 2.0
    at = f"{place}: {name}"
    found = [positive(band, at, hint=_OCTAVE) for band in numbers(bands, at, _OCTAVE)]
    if not found:
        raise misplaced(at, "a list of centres of octaves in Hz is needed", _OCTAVE)
    for k, band in enumerate(found):
        if band * np.sqrt(2.0) > half:
            hint = "leave it out, or take responses of a higher rate"
            raise misplaced(at, f"the octave of {band:g} Hz is not within half the rate, {half:g} Hz", hint)
        if band in found[:k]:
            raise misplaced(at, f"{band:g} Hz is named twice", "name each octave once; losses.total weighs them")
    return found


def loss_answer(answer: Any, shape: tuple[int, ...], place: str = "loss") -> tuple[float, NDArray[np.float64]]:
    """The answer of a loss to responses of a shape."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        hint = "return (value, derivatives); roomfdtd.differentiable makes such a loss of a function of PyTorch or JAX"
        raise misplaced(place, "it returns no pair of a value and its derivatives by each sample", hint)
    try:
        if np.iscomplexobj(answer[0]) or np.iscomplexobj(answer[1]):
            raise TypeError
        value, slopes = np.asarray(answer[0], dtype=float), np.asarray(answer[1], dtype=float)
    except (TypeError, ValueError):
        raise misplaced(place, "its value or its derivatives are no real numbers") from None
    if value.size != 1:
        raise misplaced(place, f"its value has shape {value.shape}, and one number is needed")
    if slopes.shape != shape:
        raise misplaced(place, f"its derivatives have shape {slopes.shape}, the responses {shape}")
    if not np.isfinite(value).all() or not np.isfinite(slopes).all():
        raise misplaced(place, "it is not finite, or a derivative is not")
    return float(value.item()), slopes
