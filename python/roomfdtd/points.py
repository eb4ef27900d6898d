"""Sources and receivers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr as short
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ._document import number, numbers, whole
from .errors import SceneError, misplaced

Pattern = Literal["omni", "subcardioid", "cardioid", "supercardioid", "hypercardioid", "figure-eight"]


def vector(value: ArrayLike, place: str) -> list[float]:
    """Three numbers as a list; the error names their place in the scene."""
    try:
        found = numbers(value, place) if np.ndim(value) == 1 else []
    except (SceneError, ValueError):  # lists of several lengths have no dimension
        found = []
    if len(found) != 3:
        given = value.tolist() if isinstance(value, np.ndarray) else value
        raise misplaced(place, f"three numbers are needed, not {short(given)}", "write (x, y, z)")
    return found


@dataclass(frozen=True)
class Source:
    """A sound source.

    Parameters
    ----------
    name : str
        Part of the names of files where there are several sources.
    position : array_like, shape (3,)
        In m.
    pattern : str
        "omni", "subcardioid", "cardioid", "supercardioid", "hypercardioid" or "figure-eight".
    direction : array_like, shape (3,), optional
        Along the main lobe, of any length; needed for every pattern but "omni", and with a measured directivity.
    signal : path, optional
        A WAV or FLAC file of one channel, relative to the scene's folder; by default an impulse.
    directivity : path, optional
        A SOFA file or a table, relative to the scene's folder: a measured directivity instead of a pattern.
    up : array_like, shape (3,), optional
        Towards the top of a measured source; by default (0, 0, 1).
    on_axis : str, optional
        "flat", the default, divides the measured response on the axis out; "as measured" keeps it.
    measurement : int or str, optional
        Which of several measurements of the file radiates, from 1, or "sum".
    order : int, optional
        Highest order of the harmonics that radiate; by default what the directions hold, at most 3.
    """

    name: str
    position: ArrayLike
    pattern: Pattern = "omni"
    direction: ArrayLike | None = None
    signal: str | Path | None = None
    directivity: str | Path | None = None
    up: ArrayLike | None = None
    on_axis: Literal["flat", "as measured"] | None = None
    measurement: int | Literal["sum"] | None = None
    order: int | None = None

    def table(self) -> dict[str, Any]:
        """The keys of ``[[source]]`` of the scene format."""
        table: dict[str, Any] = {"name": self.name, "position": vector(self.position, f"source.{self.name}.position")}
        if self.signal is not None:
            table["signal"] = str(self.signal)
        table |= _lobe(self.pattern, self.direction, f"source.{self.name}")
        if self.directivity is not None:
            table["directivity"] = str(self.directivity)
        if self.up is not None:
            table["up"] = vector(self.up, f"source.{self.name}.up")
        measured = {"on_axis": self.on_axis, "measurement": self.measurement, "order": self.order}
        return table | {key: value for key, value in measured.items() if value is not None}


@dataclass(frozen=True)
class Receiver:
    """A receiver, or many that the class methods place.

    Parameters
    ----------
    name : str
        Name of its response; many receivers are named NAME_1, NAME_2, ...
    position : array_like, shape (3,), optional
        In m.
    pattern : str
        As for a source, "ambisonic", or "binaural".
    direction : array_like, shape (3,), optional
        Along the main lobe, or in which a head looks; needed for every pattern but "omni" and "ambisonic".
    order : int, optional
        Ambisonic order, 1 to 9; of "binaural" that of the channels from which the ears are made, 3 by default.
    hrtf : str or path, optional
        Responses of the head of "binaural": a SOFA file (SimpleFreeFieldHRIR).
    rotations : array_like, optional
        Degrees by which the head is turned to its left; each has a response.
    places : Mapping, optional
        ``grid``, ``line``, ``arc`` or ``path`` of the scene format instead of ``position``.
    array : path, optional
        A CSV file of microphones about ``position``, relative to the scene's folder: columns x, y and z in m, x to the
        front along ``direction``, and perhaps name. Each is a channel NAME:m01, NAME:m02, ..., or NAME::FRONT of its own
        name.
    up : array_like, shape (3,), optional
        Upwards, of an array, or towards the crown of the head of "binaural"; by default (0, 0, 1).
    """

    name: str
    position: ArrayLike | None = None
    pattern: Pattern | Literal["ambisonic", "binaural"] = "omni"
    direction: ArrayLike | None = None
    order: int | None = None
    places: Mapping[str, Any] | None = None
    array: str | Path | None = None
    hrtf: str | Path | None = None
    up: ArrayLike | None = None
    rotations: ArrayLike | None = None

    @classmethod
    def grid(cls, name: str, start: ArrayLike, stop: ArrayLike, count: Sequence[int], **pattern: Any) -> Receiver:
        """Receivers at equal distances in a box, on a plane or along an axis, x fastest.

        Parameters
        ----------
        name : str
            They are named NAME_1, NAME_2, ...
        start, stop : array_like, shape (3,)
            First receiver and the opposite corner in m.
        count : three ints
            Receivers along x, y and z; 1 along an axis where ``start`` and ``stop`` agree.
        **pattern
            ``pattern``, ``direction`` and ``order`` of all of them.
        """
        table = _ends(f"receiver.{name}.grid", start, stop) | {
            "count": [whole(number, f"receiver.{name}.grid.count") for number in np.ravel(np.asarray(count, dtype=object))]
        }
        return cls(name, places={"grid": table}, **pattern)

    @classmethod
    def line(cls, name: str, start: ArrayLike, stop: ArrayLike, count: int, **pattern: Any) -> Receiver:
        """Receivers at equal distances on a line.

        Parameters
        ----------
        name : str
            They are named NAME_1, NAME_2, ...
        start, stop : array_like, shape (3,)
            First and last receiver in m.
        count : int
            Receivers, both ends included.
        **pattern
            ``pattern``, ``direction`` and ``order`` of all of them.
        """
        key = f"receiver.{name}.line"
        table = _ends(key, start, stop) | {"count": whole(count, f"{key}.count")}
        return cls(name, places={"line": table}, **pattern)

    @classmethod
    def along(cls, name: str, path: str | Path, **pattern: Any) -> Receiver:
        """A receiver that moves.

        Parameters
        ----------
        name : str
            The receivers at the places of its path are named NAME_1, NAME_2, ...
        path : path
            A CSV file, relative to the scene's folder, with the columns t (s, increasing), x, y, z (m) and perhaps yaw
            (degrees to the left, by which every pattern turns).
        **pattern
            ``pattern``, ``direction``, ``order`` and ``hrtf``.
        """
        return cls(name, places={"path": str(path)}, **pattern)

    @classmethod
    def arc(
        cls,
        name: str,
        centre: ArrayLike,
        start: ArrayLike,
        angle: float,
        count: int,
        axis: ArrayLike | None = None,
        **pattern: Any,
    ) -> Receiver:
        """Receivers at equal angles on a circle.

        Parameters
        ----------
        name : str
            They are named NAME_1, NAME_2, ...
        centre, start : array_like, shape (3,)
            Centre of the circle and first receiver in m.
        angle : float
            From the first receiver to the last in degrees, by the right-hand rule about ``axis``; 360: a whole
            circle, whose last receiver stands one step before the first.
        count : int
            Receivers.
        axis : array_like, shape (3,), optional
            By default upwards.
        **pattern
            ``pattern``, ``direction`` and ``order`` of all of them.
        """
        key = f"receiver.{name}.arc"
        table: dict[str, Any] = {"centre": vector(centre, f"{key}.centre"), "from": vector(start, f"{key}.from")}
        if axis is not None:
            table["axis"] = vector(axis, f"{key}.axis")
        table |= {"angle": number(angle, f"{key}.angle"), "count": whole(count, f"{key}.count")}
        return cls(name, places={"arc": table}, **pattern)

    @staticmethod
    def at(name: str, positions: ArrayLike, **pattern: Any) -> list[Receiver]:
        """Receivers at any positions.

        Parameters
        ----------
        name : str
            They are named NAME_1, NAME_2, ...
        positions : array_like, shape (n, 3)
            In m.
        **pattern
            ``pattern``, ``direction`` and ``order`` of all of them.

        Returns
        -------
        list of Receiver
        """
        places = np.atleast_2d(np.asarray(positions, dtype=object))
        digits = len(str(len(places)))
        names = [f"{name}_{i:0{digits}}" for i in range(1, len(places) + 1)]
        return [
            Receiver(one, vector(place, f"receiver.{one}.position"), **pattern)
            for one, place in zip(names, places, strict=True)
        ]

    def table(self) -> dict[str, Any]:
        """The keys of ``[[receiver]]`` of the scene format."""
        table: dict[str, Any] = {"name": self.name}
        if self.position is not None:
            table["position"] = vector(self.position, f"receiver.{self.name}.position")
        table |= dict(self.places or {}) | _lobe(self.pattern, self.direction, f"receiver.{self.name}")
        if self.order is not None:
            table["order"] = whole(self.order, f"receiver.{self.name}.order")
        if self.array is not None:
            table["array"] = str(self.array)
        if self.hrtf is not None:
            table["hrtf"] = str(self.hrtf)
        if self.up is not None:
            table["up"] = vector(self.up, f"receiver.{self.name}.up")
        if self.rotations is not None:
            table["rotations"] = numbers(self.rotations, f"receiver.{self.name}.rotations")
        return table


def sources_of(items: Iterable[Source | ArrayLike]) -> list[dict[str, Any]]:
    """Tables of sources; plain positions are named S1, S2, ..."""
    return [
        item.table() if isinstance(item, Source) else Source(f"S{i}", item).table()
        for i, item in enumerate(_several(items, "sources"), 1)
    ]


def receivers_of(items: Iterable[Receiver | Iterable[Receiver] | ArrayLike]) -> list[dict[str, Any]]:
    """Tables of receivers; plain positions are named R1, R2, ..., and lists of receivers stand for their elements."""
    tables: list[dict[str, Any]] = []
    for i, item in enumerate(_several(items, "receivers"), 1):
        if isinstance(item, Receiver):
            tables.append(item.table())
        elif isinstance(item, list) and item and all(isinstance(each, Receiver) for each in item):
            tables += [each.table() for each in item]
        else:
            tables.append(Receiver(f"R{i}", item).table())
    return tables


def _several(items: Any, what: str) -> list[Any]:
    """Sources or receivers, which are a list even where it is one."""
    found = list(items) if isinstance(items, Iterable) and not isinstance(items, str) else [items]
    if any(np.isscalar(item) for item in found) or isinstance(items, (Source, Receiver)):
        raise misplaced(what, f"a list is needed, not {short(items)}", "write [(x, y, z)]")
    return found


def _ends(place: str, start: ArrayLike, stop: ArrayLike) -> dict[str, Any]:
    return {"from": vector(start, f"{place}.from"), "to": vector(stop, f"{place}.to")}


def _lobe(pattern: str, direction: ArrayLike | None, place: str) -> dict[str, Any]:
    table: dict[str, Any] = {} if pattern == "omni" else {"pattern": pattern}
    return table if direction is None else table | {"direction": vector(direction, f"{place}.direction")}
