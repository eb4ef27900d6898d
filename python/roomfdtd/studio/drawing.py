"""The room to draw: the document of ``fdtd surface --json`` as bodies in STL, which three.js reads.

Lines are drawn as thin prisms, for WebGL draws lines one pixel wide.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _lazy

MOST_TRIANGLES = 300_000
MOST_NORMALS = 600
MOST_EDGES = 2000
MOST_PLACES = 20_000

# By M. Okabe and K. Ito (Color Universal Design, 2008): colour-blind people distinguish them; then lighter ones of the same hues.
COLOURS = (
    "#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#0072b2", "#d55e00", "#b3a800",
    "#9ad3f2", "#f2c866", "#66c5ab", "#e3b3cd", "#6aaedb", "#e69a66", "#d9d16b",
)  # fmt: skip
LEAK = "#c00000"
TURNED = "#7a3db8"


@dataclass(frozen=True)
class Body:
    """Triangles of one colour: ``name`` of the surface that they are of, ``material`` and ``stl``, a binary file."""

    name: str
    material: str
    colour: str
    stl: bytes

    @property
    def key(self) -> str:
        """The same for the same bytes only."""
        return hashlib.sha256(self.stl).hexdigest()[:20]


@dataclass(frozen=True)
class Mark:
    """A place to look at, and why."""

    position: tuple[float, float, float]
    words: str


def bodies(surface: Mapping[str, Any]) -> list[Body]:
    """A body for each surface; none where the mesh has more than MOST_TRIANGLES."""
    vertices, triangles = _arrays(surface)
    if len(triangles) > MOST_TRIANGLES:
        return []
    of = np.asarray(surface["surface"])
    colours = colour_of(surface)
    found = []
    for number, one in enumerate(surface["surfaces"]):
        own = triangles[of == number]
        if len(own):
            found.append(Body(one["name"], one["material"], colours[one["material"]], _stl(vertices, own)))
    return found


def colour_of(surface: Mapping[str, Any]) -> dict[str, str]:
    """The colour of each material, in the order in which surfaces name them."""
    names = dict.fromkeys(one["material"] for one in surface["surfaces"])
    return {name: COLOURS[number % len(COLOURS)] for number, name in enumerate(names)}


def normals(surface: Mapping[str, Any]) -> Body | None:
    """A needle along the normal of each facet, of the largest MOST_NORMALS: which side its file calls the front."""
    vertices, triangles = _arrays(surface)
    corners = vertices[triangles]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(across, axis=1)
    chosen = np.argsort(-areas)[:MOST_NORMALS]
    chosen = chosen[areas[chosen] > 0.0]
    if not len(chosen):
        return None
    length = 0.05 * size_of(surface)
    begin = corners[chosen].mean(axis=1)
    end = begin + length * across[chosen] / areas[chosen, None]
    return Body("normals", "", "#333333", _prisms(begin, end, 0.04 * length, 0.0))


def edges(surface: Mapping[str, Any], which: str) -> Body | None:
    """The edges "open" or "flipped" of a mesh."""
    pairs = np.asarray(surface.get("defects", {}).get(f"{which}_edge_vertices", []), dtype=np.int64).reshape(-1, 2)
    if not len(pairs):
        return None
    vertices, _ = _arrays(surface)
    width = 0.004 * size_of(surface)
    stl = _prisms(vertices[pairs[:MOST_EDGES, 0]], vertices[pairs[:MOST_EDGES, 1]], width, width)
    return Body(f"{which} edges", "", LEAK if which == "open" else TURNED, stl)


def marks(surface: Mapping[str, Any] | None, plan: Mapping[str, Any] | None, leaks: Sequence[Sequence[float]]) -> list[Mark]:
    """Places of leaks, holes and narrow openings."""
    found = []
    for rim in (surface or {}).get("defects", {}).get("open_rims", [])[:20]:
        found.append(Mark(_three(rim["centre"]), f"hole or free end, {rim['extent']:.3g} m across"))
    holes = [mark.position for mark in found]  # which an error names as well
    found += [Mark(_three(place), "named by the error") for place in leaks if not any(math.dist(place, hole) < 0.01 for hole in holes)]
    for one in (plan or {}).get("mesh", {}).get("openings", []):
        found.append(Mark(_three(one["position"]), f"opening, {1000 * one['width']:.3g} mm wide"))
    return found


def grid_places(grid: Any) -> list[list[float]]:
    """Places of a receiver's ``grid`` (m), at most MOST_PLACES; none where it is no grid."""
    try:
        counts = [int(n) for n in grid["count"]]
        if len(counts) != 3 or min(counts) < 1 or math.prod(counts) > MOST_PLACES:
            return []
        axes = [np.linspace(float(a), float(b), n) for a, b, n in zip(grid["from"], grid["to"], counts, strict=True)]
    except (TypeError, KeyError, ValueError):
        return []
    return [[float(x), float(y), float(z)] for z in axes[2] for y in axes[1] for x in axes[0]]


def size_of(surface: Mapping[str, Any]) -> float:
    """The longest side of the room's bounding box in m."""
    low, high = bounds(surface)
    return float((high - low).max())


def bounds(surface: Mapping[str, Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The corners of the room's bounding box in m."""
    vertices, _ = _arrays(surface)
    return vertices.min(axis=0), vertices.max(axis=0)


def _arrays(surface: Mapping[str, Any]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    vertices = np.asarray(surface["vertices"], dtype=np.float64).reshape(-1, 3)
    return vertices, np.asarray(surface["triangles"], dtype=np.int64).reshape(-1, 3)


def _three(place: Sequence[float]) -> tuple[float, float, float]:
    x, y, z = (float(one) for one in place)
    return x, y, z


def _stl(vertices: NDArray[np.float64], triangles: NDArray[np.int64]) -> bytes:
    trimesh = _lazy.load("trimesh", "studio")
    return bytes(trimesh.Trimesh(vertices, triangles, process=False).export(file_type="stl"))


def _prisms(begin: NDArray[np.float64], end: NDArray[np.float64], width: float, tip: float) -> bytes:
    """Prisms of four sides from `begin` to `end` (n, 3), `width` m wide there and `tip` m at the end."""
    along = end - begin
    other = np.where(np.abs(along[:, :1]) > 0.9 * np.linalg.norm(along, axis=1, keepdims=True), [[0.0, 1.0, 0.0]], [[1.0, 0.0, 0.0]])
    u = np.cross(along, other)
    u /= np.maximum(np.linalg.norm(u, axis=1, keepdims=True), 1e-12)
    v = np.cross(along, u)
    v /= np.maximum(np.linalg.norm(v, axis=1, keepdims=True), 1e-12)
    ring = (u, v, -u, -v)
    vertices = np.stack([begin + width * one for one in ring] + [end + tip * one for one in ring], axis=1)
    sides = [(i, (i + 1) % 4, 4 + (i + 1) % 4) for i in range(4)] + [(i, 4 + (i + 1) % 4, 4 + i) for i in range(4)]
    faces = np.asarray(sides) + 8 * np.arange(len(begin))[:, None, None]
    return _stl(vertices.reshape(-1, 3), faces.reshape(-1, 3))
