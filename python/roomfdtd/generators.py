"""Random rooms for data sets: boxes, L-shaped rooms, furnished rooms, and mixtures of them.

A generator is any function of a numpy random generator that returns a :class:`Sample`; those of this module are frozen
dataclasses, whose fields say what is drawn. All numbers are drawn uniformly from ranges (low, high); fields that no room
can be drawn from are refused when the generator is made.
"""

from __future__ import annotations

import abc
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from reprlib import repr as short
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _document, errors
from .errors import FdtdError
from .points import Receiver, Source
from .room import Room
from .scene import Above, Output, Scene

Range = tuple[float, float]
Label = str | float | int

FLOORS = ("concrete-smooth", "linoleum", "marble", "stage-floor", "carpet-thin", "carpet-on-foam", "carpet-heavy")
CEILINGS = ("concrete-smooth", "plasterboard-ceiling", "acoustic-plaster", "gypsum-perforated", "ceiling-tile")
WALLS = (
    "brick-rendered",
    "brick-painted",
    "concrete-rough",
    "plasterboard",
    "wood-lining",
    "glass-3mm",
    "curtain-cotton",
)
FURNITURE = ("wood-on-studs", "wooden-door", "chairs-upholstered", "curtain-velvet", "rockwool-50mm-40")


@dataclass(frozen=True)
class Sample:
    """A room that has been drawn.

    Parameters
    ----------
    scene : Scene
    labels : Mapping of str to str, float or int
        Known facts of the room: columns of the data set's table of rooms.
    """

    scene: Scene
    labels: Mapping[str, Label]


Generator = Callable[[np.random.Generator], Sample]


@dataclass(frozen=True)
class Shape:
    """A geometry, as :meth:`RandomRooms.shape` draws it.

    Parameters
    ----------
    room : callable
        The room for a mapping of surfaces to materials.
    inside : callable
        Whether (x, y, z) lies in the air, at least a distance from all surfaces; both in m.
    size : (float, float, float)
        Of the bounding box from the origin, in m.
    surfaces : tuple of str
        Names of its surfaces: a material is drawn for each.
    labels : Mapping of str to str, float or int
    """

    room: Callable[[Mapping[str, str]], Room]
    inside: Callable[[NDArray[np.float64], float], bool]
    size: tuple[float, float, float]
    surfaces: tuple[str, ...]
    labels: Mapping[str, Label]


@dataclass(frozen=True, kw_only=True)
class RandomRooms(abc.ABC):
    """The draws that all generators of this module make.

    Parameters
    ----------
    length, width, height : (float, float)
        Of the bounding box, in m.
    sources, receivers : int
        In each room.
    margin : float
        Least distance of sources and receivers from all surfaces, and from each other, in m.
    floors, ceilings, walls, furniture : sequence of str
        Names of materials of the library; one is drawn for each surface.
    duration : float or "auto"
        Of the responses, in s.
    max_frequency : float
        Hz.
    stencil : str
    sample_rate : int
        Of the responses, in Hz.
    above : Above
        Geometry above the waves' band, to 0.45 of `sample_rate`; ``{"method": "none"}``: waves alone.
    """

    length: Range = (3.0, 8.0)
    width: Range = (2.5, 6.0)
    height: Range = (2.4, 3.6)
    sources: int = 1
    receivers: int = 4
    margin: float = 0.4
    floors: Sequence[str] = field(default=FLOORS)
    ceilings: Sequence[str] = field(default=CEILINGS)
    walls: Sequence[str] = field(default=WALLS)
    furniture: Sequence[str] = field(default=FURNITURE)
    duration: float | str = 0.5
    max_frequency: float = 500.0
    stencil: str = "leggy-4"
    sample_rate: int = 8000
    above: Above = field(default_factory=lambda: Above(method="rays"))

    def __post_init__(self) -> None:
        for name in ("length", "width", "height"):
            _range(self, name)
        for name in ("sources", "receivers"):
            _document.whole(getattr(self, name), name, 1)
        if not 0.0 <= _document.number(self.margin, "margin") < math.inf:
            raise errors.misplaced("margin", f"{self.margin!r} is no distance", "state metres from 0 up")
        for name in ("floors", "ceilings", "walls", "furniture"):
            if not _document.texts(getattr(self, name), name):
                raise errors.misplaced(name, "there is no material to draw from", "name materials of the library, as in fdtd materials")
        if self.duration != "auto":
            _document.positive(self.duration, "duration", "state seconds")
        _document.positive(self.max_frequency, "max_frequency", "state Hz")
        _document.whole(self.sample_rate, "sample_rate", 1)

    @abc.abstractmethod
    def shape(self, rng: np.random.Generator) -> Shape:
        """Draw a geometry.

        Parameters
        ----------
        rng : numpy.random.Generator

        Returns
        -------
        Shape
        """

    def __call__(self, rng: np.random.Generator) -> Sample:
        """Draw a room: geometry, materials, sources and receivers, in this order."""
        shape = self.shape(rng)
        materials = {name: self._material(rng, name) for name in shape.surfaces}
        places = self._places(rng, shape)
        scene = Scene(
            shape.room(materials),
            [Source(f"S{i}", place) for i, place in enumerate(places[: self.sources], 1)],
            [Receiver(f"R{i}", place) for i, place in enumerate(places[self.sources :], 1)],
            duration=self.duration,
            max_frequency=self.max_frequency,
            stencil=self.stencil,
            above=self.above,
            output=Output(sample_rate=self.sample_rate),
        )
        names: dict[str, Label] = {f"material_{name}": material for name, material in materials.items()}
        return Sample(scene, dict(shape.labels) | names)

    def _material(self, rng: np.random.Generator, surface: str) -> str:
        lists = {"floor": self.floors, "ceiling": self.ceilings, "furniture": self.furniture}
        return str(rng.choice(list(lists.get(surface, self.walls))))

    def _size(self, rng: np.random.Generator) -> tuple[float, float, float]:
        x, y, z = (round(float(rng.uniform(*limits)), 3) for limits in (self.length, self.width, self.height))
        return x, y, z

    def _places(self, rng: np.random.Generator, shape: Shape) -> list[list[float]]:
        places: list[NDArray[np.float64]] = []
        for _ in range(200 * (self.sources + self.receivers)):
            place = np.round(rng.uniform(0.0, shape.size), 3)
            apart = all(np.linalg.norm(place - other) >= self.margin for other in places)
            if apart and shape.inside(place, self.margin):
                places.append(place)
            if len(places) == self.sources + self.receivers:
                return [[float(x) for x in place] for place in places]
        raise FdtdError(
            f"no place for {self.sources} sources and {self.receivers} receivers in a room of {shape.size} m",
            "take a smaller margin, fewer receivers, or larger rooms",
        )


@dataclass(frozen=True, kw_only=True)
class BoxRooms(RandomRooms):
    """Rectangular rooms: floor, ceiling and four walls, each pair of walls of a material of its own.

    Examples
    --------
    >>> BoxRooms(length=(3, 5), width=(2.5, 4), receivers=2)(np.random.default_rng(1)).scene.plan()
    """

    def shape(self, rng: np.random.Generator) -> Shape:
        size = self._size(rng)

        def room(materials: Mapping[str, str]) -> Room:
            walls = {"floor": materials["floor"], "ceiling": materials["ceiling"]}
            for axis in "xy":
                walls |= {f"{axis}_min": materials[f"{axis}_walls"], f"{axis}_max": materials[f"{axis}_walls"]}
            return Room.box(*size, walls)

        def inside(place: NDArray[np.float64], margin: float) -> bool:
            return _within(place, (0.0, 0.0, 0.0), size, margin)

        labels = _labels("box", size, size[0] * size[1] * size[2])
        return Shape(room, inside, size, ("floor", "ceiling", "x_walls", "y_walls"), labels)


@dataclass(frozen=True, kw_only=True)
class LRooms(RandomRooms):
    """L-shaped rooms: a box without a corner, which takes a share of length and of width.

    Parameters
    ----------
    notch : (float, float)
        Share of length, and of width, that the corner takes.
    """

    notch: Range = (0.3, 0.6)

    def __post_init__(self) -> None:
        super().__post_init__()
        if _range(self, "notch")[1] >= 1.0:
            raise errors.misplaced("notch", f"{self.notch!r} leaves no room", "state shares below 1")

    def shape(self, rng: np.random.Generator) -> Shape:
        size = self._size(rng)
        x, y = (round(side * float(1.0 - rng.uniform(*self.notch)), 3) for side in size[:2])
        outline = np.array([(0, 0), (size[0], 0), (size[0], y), (x, y), (x, size[1]), (0, size[1])], dtype=float)
        mesh = _extruded(outline, [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)], size[2])

        def inside(place: NDArray[np.float64], margin: float) -> bool:
            whole = _within(place, (0.0, 0.0, 0.0), size, margin)
            return whole and not (place[0] > x - margin and place[1] > y - margin)

        volume = (size[0] * size[1] - (size[0] - x) * (size[1] - y)) * size[2]
        labels = _labels("l", size, volume) | {"notch_x": size[0] - x, "notch_y": size[1] - y}
        return Shape(lambda walls: Room.from_mesh(mesh, walls), inside, size, ("floor", "ceiling", "walls"), labels)


@dataclass(frozen=True, kw_only=True)
class FurnishedRooms(RandomRooms):
    """Rectangular rooms with blocks on the floor: tables, shelves, seats.

    Parameters
    ----------
    blocks : (int, int)
        Least and largest number of blocks.
    block : (float, float)
        Their side lengths, and heights up to 0.6 of the room's, in m.
    """

    blocks: tuple[int, int] = (2, 5)
    block: Range = (0.4, 1.2)

    def __post_init__(self) -> None:
        super().__post_init__()
        _range(self, "block")
        low, high = (_document.whole(number, "blocks", 0) for number in _pair(self.blocks, "blocks"))
        if low > high:
            raise errors.misplaced("blocks", f"{self.blocks!r} does not rise", "state the least number first, as in (2, 5)")

    def shape(self, rng: np.random.Generator) -> Shape:
        size = self._size(rng)
        outline = np.array([(0, 0), (size[0], 0), (size[0], size[1]), (0, size[1])], dtype=float)
        mesh = _extruded(outline, [(0, 1, 2), (0, 2, 3)], size[2])
        blocks = self._blocks(rng, size)
        if blocks:
            mesh["furniture"] = _joined([_block(low, high) for low, high in blocks])
        surfaces = ("floor", "ceiling", "walls") + (("furniture",) if blocks else ())

        def inside(place: NDArray[np.float64], margin: float) -> bool:
            free = not any(_within(place, low, high, -margin) for low, high in blocks)
            return free and _within(place, (0.0, 0.0, 0.0), size, margin)

        filled = sum(float(np.prod(np.subtract(high, low))) for low, high in blocks)
        labels = _labels("furnished", size, size[0] * size[1] * size[2] - filled) | {"blocks": len(blocks)}
        return Shape(lambda walls: Room.from_mesh(mesh, walls), inside, size, surfaces, labels)

    def _blocks(self, rng: np.random.Generator, size: tuple[float, float, float]) -> list[tuple[Any, Any]]:
        """Corners of blocks that neither meet each other nor touch walls."""
        gap = 0.25
        blocks: list[tuple[Any, Any]] = []
        wanted = int(rng.integers(self.blocks[0], self.blocks[1] + 1))
        for _ in range(50 * wanted):
            if len(blocks) == wanted:
                break
            sides = rng.uniform(*self.block, size=3)
            sides[2] = min(sides[2], 0.6 * size[2])
            room = np.array(size[:2]) - sides[:2] - 2 * gap
            if np.any(room <= 0.0):
                continue
            low = np.round(np.array([*(gap + rng.uniform(0.0, room)), 0.0]), 3)
            high = np.round(low + sides, 3)
            apart = all(np.any(low[:2] > b[:2] + gap) or np.any(high[:2] < a[:2] - gap) for a, b in blocks)
            if apart:
                blocks.append((low, high))
        return blocks


@dataclass(frozen=True)
class Mixture:
    """Rooms of several generators.

    Parameters
    ----------
    parts : sequence of (float, generator)
        Weights, of any sum, and generators.

    Examples
    --------
    >>> Mixture([(0.5, BoxRooms()), (0.3, LRooms()), (0.2, FurnishedRooms())])
    """

    parts: Sequence[tuple[float, Generator]]

    def __post_init__(self) -> None:
        hint = "Mixture([(0.7, BoxRooms()), (0.3, LRooms())])"
        for part in self.parts or (None,):
            if not isinstance(part, (tuple, list)) or len(part) != 2 or isinstance(part[1], type) or not callable(part[1]):
                raise errors.misplaced("parts", f"pairs of a weight and a generator are needed, not {short(part)}", hint)
            if not 0.0 <= _document.number(part[0], "parts") < math.inf:
                raise errors.misplaced("parts", f"a weight of {part[0]!r} is not from 0 up", hint)
        if not any(weight for weight, _ in self.parts):
            raise errors.misplaced("parts", "all weights are 0", hint)

    def __call__(self, rng: np.random.Generator) -> Sample:
        weights = np.array([weight for weight, _ in self.parts], dtype=float)
        return self.parts[int(rng.choice(len(self.parts), p=weights / weights.sum()))][1](rng)


def _pair(value: Any, name: str) -> tuple[Any, Any]:
    if not isinstance(value, (tuple, list, np.ndarray)) or len(value) != 2:
        raise errors.misplaced(name, f"a range is needed, not {value!r}", "state (low, high); a fixed number is (x, x)")
    return value[0], value[1]


def _range(rooms: RandomRooms, name: str) -> Range:
    """A range of numbers above 0."""
    low, high = (_document.number(one, name) for one in _pair(getattr(rooms, name), name))
    if not 0.0 < low <= high < math.inf:
        raise errors.misplaced(name, f"({low:g}, {high:g}) is no range above 0", "state the lower number first, as in (2.5, 6.0)")
    return low, high


def _labels(kind: str, size: tuple[float, float, float], volume: float) -> dict[str, Label]:
    return {"kind": kind, "length": size[0], "width": size[1], "height": size[2], "volume": float(volume)}


def _within(place: NDArray[np.float64], low: Any, high: Any, margin: float) -> bool:
    return bool(np.all(place >= np.asarray(low) + margin) and np.all(place <= np.asarray(high) - margin))


Mesh = tuple[NDArray[np.float64], NDArray[np.int64]]


def _extruded(
    outline: NDArray[np.float64], triangles: Sequence[tuple[int, int, int]], height: float
) -> dict[str, Mesh]:
    """A floor of an outline (n, 2) in triangles, a ceiling, and a wall for each of its sides."""
    floor = np.column_stack([outline, np.zeros(len(outline))])
    ceiling = floor + (0.0, 0.0, height)
    faces = np.array(triangles, dtype=np.int64)
    count = len(outline)
    after = [(i, (i + 1) % count) for i in range(count)]
    sides = [face for i, j in after for face in ((i, j, j + count), (i, j + count, i + count))]
    walls = np.array(sides, dtype=np.int64)
    return {
        "floor": (floor, faces),
        "ceiling": (ceiling, faces),
        "walls": (np.concatenate([floor, ceiling]), walls),
    }


def _block(low: NDArray[np.float64], high: NDArray[np.float64]) -> Mesh:
    """A block on the floor, without its bottom."""
    outline = np.array([(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])])
    parts = _extruded(outline, [(0, 1, 2), (0, 2, 3)], float(high[2]))
    return _joined([parts["ceiling"], parts["walls"]])


def _joined(meshes: Sequence[Mesh]) -> Mesh:
    counts = np.cumsum([0, *(len(vertices) for vertices, _ in meshes)])
    return (
        np.concatenate([vertices for vertices, _ in meshes]),
        np.concatenate([faces + count for (_, faces), count in zip(meshes, counts, strict=False)]),
    )
