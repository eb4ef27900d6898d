"""The volume that surfaces enclose, whichever way they face, and the free edges of surfaces that enclose none.

Each triangle has two sides. Around an edge, the sides that face one another across the air between neighbouring triangles
bound the same part of space; at a free edge the two sides of one triangle do. So sides fall into the borders of parts of
space, and the volume of a part follows from its own border.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError

Array = NDArray[np.float64]
Index = NDArray[np.int64]
Edge = tuple[int, int]
Beside = tuple[int, bool]  # a triangle at an edge, and whether it runs along it
_NEAR = 1e-4  # m: corners nearer than this are one
_TOUCH = 1e-3  # m: bodies nearer than this touch
_ALIKE = 1e-4  # rad: triangles around an edge at angles nearer than this lie on one another


def enclosed(corners: Array, faces: Index, names: Sequence[str], rooms: bool = False) -> float:
    """The volume in m3 that triangles enclose, without that of closed bodies inside.

    Parameters
    ----------
    corners : ndarray, shape (v, 3)
        In m.
    faces : ndarray of int, shape (f, 3)
        Their corners.
    names : sequence of str, length f
        Of triangles, for messages.
    rooms : bool
        Each closed body is a room: they may touch.

    Raises
    ------
    SceneError
        The triangles are not closed, or several closed bodies touch, as walls with a thickness do.
    """
    return float(sum((-1) ** (level % 2) * body.volume for body, level in _closed(corners, faces, names, rooms)))


def toward_air(corners: Array, faces: Index) -> NDArray[np.int8]:
    """For each triangle 1 where its front is toward the air that all enclose, -1 where its back is, 0 where neither is known."""
    found = np.zeros(len(faces), dtype=np.int8)
    try:
        closed = _closed(corners, faces, [""] * len(faces), False)
    except SceneError:
        return found
    for body, level in closed:
        found[body.front_outside], found[body.back_outside] = (-1, 1) if level % 2 == 0 else (1, -1)
    return found


def _closed(corners: Array, faces: Index, names: Sequence[str], rooms: bool) -> list[tuple[_Body, int]]:
    """The closed bodies, and in how many others each lies; an error as that of :func:`enclosed`."""
    middle = (corners.max(axis=0) + corners.min(axis=0)) / 2  # a room may lie at the coordinates of a map
    places = corners - middle
    welded = _welded(places, faces)
    edges = _edges(places, welded, faces)
    rings, sheets = _rings(len(faces), edges)
    sides = _sides(places, faces, rings, sheets)
    bodies = _bodies(places, faces, rings, sides)
    closed = [body for body in bodies if body.volume > 0]
    low, high = np.array([body.low for body in closed]).reshape(-1, 3), np.array([body.high for body in closed]).reshape(-1, 3)

    def depth(body: _Body) -> int:
        around = (low <= body.low + _NEAR) & (high >= body.high - _NEAR)
        return sum(closed[i] is not body and closed[i].holds(body.place) for i in np.flatnonzero(around.all(axis=1)))

    leaks = [leak for body in bodies if body.free and not depth(body) for leak in body.free]
    if leaks:
        raise _open(places, corners, leaks, names)
    depths = [depth(body) for body in closed]
    if not rooms:
        _refuse_walls([body for body, level in zip(closed, depths) if level == 0])
    return list(zip(closed, depths))


@dataclass
class _Body:
    """Triangles that edges join: what they enclose, and where sound passes from one side of them to the other outside."""

    volume: float
    shell: Array  # triangles (n, 3, 3) that have the outside on one side, seen from there
    place: Array  # inside a closed body, else on the body
    low: Array
    high: Array
    front_outside: Index  # triangles whose front, but not whose back, is outside
    back_outside: Index
    free: list[tuple[Edge, int]] = field(default_factory=list)  # edges to the outside, and their triangles

    def holds(self, place: Array) -> bool:
        """Whether a place lies in this body: by the solid angle under which it sees the shell."""
        a, b, c = (self.shell[:, i] - place for i in range(3))
        la, lb, lc = (np.linalg.norm(one, axis=1) for one in (a, b, c))
        volume = np.einsum("ij,ij->i", a, np.cross(b, c))
        cosines = la * lb * lc + lc * (a * b).sum(axis=1) + la * (b * c).sum(axis=1) + lb * (c * a).sum(axis=1)
        return bool(abs(np.arctan2(volume, cosines).sum()) > np.pi)  # half of the sphere, which is 4 pi

    def touches(self, other: _Body) -> bool:
        """Whether a corner of another body lies on the shell of this one, or in it."""
        corners = np.unique(other.shell.reshape(-1, 3), axis=0)
        corners = corners[((corners >= self.low - _TOUCH) & (corners <= self.high + _TOUCH)).all(axis=1)]
        a, b, c = (self.shell[:, i] for i in range(3))
        normal = np.cross(b - a, c - a)
        size = np.linalg.norm(normal, axis=1)
        for corner in corners:
            on = np.abs(np.einsum("ij,ij->i", corner - a, normal)) <= _TOUCH * size
            for start, stop in ((a, b), (b, c), (c, a)):
                on &= np.einsum("ij,ij->i", np.cross(stop - start, corner - start), normal) >= -1e-6 * size**2
            if on.any() or self.holds(corner):
                return True
        return False


def _refuse_walls(bodies: Sequence[_Body]) -> None:
    """An error where three closed bodies or more touch one another: the air between them may be the room, as of walls."""
    touching = _Sets(len(bodies))
    for i, one in enumerate(bodies):
        for j, other in enumerate(bodies[:i]):
            apart = (one.low > other.high + _TOUCH).any() or (one.high < other.low - _TOUCH).any()
            if not apart and touching.first(i) != touching.first(j) and (one.touches(other) or other.touches(one)):
                touching.join(i, j)
    most = int(np.bincount(touching.labels(), minlength=1).max(initial=0))
    if most >= 3:
        raise SceneError(
            f"the surfaces are those of {most} closed bodies that touch: they do not say whether these are rooms, or walls around one",
            'Scene.plan()["mesh"]["volume"] is that of the air that sound from the source reaches',
        )


def _closed_parts(faces: Index, count: int) -> NDArray[np.bool_]:
    """For each corner whether it is of triangles that are joined by corners and of which two meet at each edge."""
    sets = _Sets(count)
    edges: dict[Edge, int] = defaultdict(int)
    for a, b, c in faces.tolist():
        sets.join(a, b)
        sets.join(b, c)
        for one, other in ((a, b), (b, c), (c, a)):
            edges[min(one, other), max(one, other)] += 1
    labels = sets.labels()
    closed = np.ones(count, dtype=bool)
    for (one, _), times in edges.items():
        if times != 2:
            closed[labels[one]] = False
    return np.asarray(closed[labels])


def _welded(places: Array, faces: Index) -> Index:
    """For each corner the number of the first one that is the same place: grids, shifted by half a cell, join neighbours.

    Corners of parts that are closed by themselves stay theirs: walls with a thickness touch one another at edges.
    """
    label = np.arange(len(places))
    loose = np.flatnonzero(~_closed_parts(faces, len(places)))
    label[loose] = loose[_welded_all(places[loose])]
    return label


def _welded_all(places: Array) -> Index:
    if not len(places):
        return np.arange(0)
    near = max(_NEAR, 1e-7 * float(np.abs(places).max()))
    grids = []
    for shift in np.ndindex(2, 2, 2):
        cells = np.floor(places / (2 * near) + np.array(shift) / 2).astype(np.int64)
        grids.append(np.unique(cells, axis=0, return_inverse=True)[1].reshape(-1))
    label = np.arange(len(places))
    while True:
        before = label
        for grid in grids:
            least = np.full(int(grid.max(initial=0)) + 1, len(places))
            np.minimum.at(least, grid, label)
            label = least[grid]
        if np.array_equal(label, before):
            return np.asarray(label, dtype=np.int64)


def _edges(places: Array, welded: Index, faces: Index) -> dict[Edge, list[Beside]]:
    """For each edge its triangles, with whether they run along it; an edge on which free ones end is taken in parts."""
    runs: dict[Edge, list[Beside]] = defaultdict(list)
    for number, (a, b, c) in enumerate(welded[faces].tolist()):
        if a != b and b != c and c != a:
            for start, stop in ((a, b), (b, c), (c, a)):
                runs[min(start, stop), max(start, stop)].append((number, start < stop))
    ends = np.array(sorted({end for edge, of in runs.items() if len(of) == 1 for end in edge}), dtype=np.int64)
    if not len(ends):
        return runs
    axis = int(np.argmax(np.ptp(places[ends], axis=0)))
    ends = ends[np.argsort(places[ends, axis], kind="stable")]
    along = places[ends, axis]
    parts: dict[Edge, list[Beside]] = defaultdict(list)
    for (first, last), of in runs.items():
        low, high = sorted((places[first, axis], places[last, axis]))
        some = ends[np.searchsorted(along, low - _NEAR) : np.searchsorted(along, high + _NEAR)]
        start, way = places[first], places[last] - places[first]
        length = float(np.linalg.norm(way))
        to = places[some] - start
        share = to @ way / max(length, 1e-300) ** 2
        away = np.linalg.norm(to - share[:, None] * way, axis=1)
        on = (away <= _NEAR) & (share * length > _NEAR) & ((1 - share) * length > _NEAR)
        chain = [first, *some[on][np.argsort(share[on])].tolist(), last]
        for one, other in zip(chain, chain[1:]):
            parts[min(one, other), max(one, other)] += [(number, runs_on == (one < other)) for number, runs_on in of]
    return parts


class _Sets:
    """Numbers that are joined to sets."""

    def __init__(self, count: int) -> None:
        self.parent = list(range(count))

    def first(self, one: int) -> int:
        parent = self.parent
        while parent[one] != one:
            parent[one] = parent[parent[one]]
            one = parent[one]
        return one

    def join(self, one: int, other: int) -> None:
        a, b = self.first(one), self.first(other)
        self.parent[max(a, b)] = min(a, b)

    def labels(self) -> Index:
        return np.array([self.first(one) for one in range(len(self.parent))], dtype=np.int64)


def _rings(count: int, edges: dict[Edge, list[Beside]]) -> tuple[list[tuple[Edge, list[Beside]]], _Sets]:
    """Triangles at an edge that bound the same parts of space, and the sheets that edges of two triangles join.

    Of a sheet that is closed by itself the two triangles at an edge have no part in others there: bodies touch at edges.
    """
    sheets = _Sets(count)
    for of in edges.values():
        if len(of) == 2:
            sheets.join(of[0][0], of[1][0])
    label = sheets.labels()
    several = {edge: Counter(int(label[number]) for number, _ in of) for edge, of in edges.items() if len(of) > 2}
    is_open = {int(label[of[0][0]]) for of in edges.values() if len(of) == 1}
    is_open |= {sheet for counts in several.values() for sheet, times in counts.items() if times != 2}
    rings = []
    for edge, of in edges.items():
        bodies = [sheet for sheet in several.get(edge, ()) if sheet not in is_open]
        rings += [(edge, [one for one in of if label[one[0]] == sheet]) for sheet in bodies]
        rest = [one for one in of if int(label[one[0]]) not in bodies]
        if rest:
            rings.append((edge, rest))
    return rings, sheets


def _sides(places: Array, faces: Index, rings: list[tuple[Edge, list[Beside]]], sheets: _Sets) -> Index:
    """For each side of triangles (front of triangle t: 2 t, back: 2 t + 1) the number of the border that it is of."""
    sides = _Sets(2 * len(faces))
    for (start, stop), of in rings:
        if len(of) > 2:
            of = _around(places, faces, places[start], places[stop] - places[start], of, sheets)
        for (one, runs), (other, follows) in zip(of, [*of[1:], of[0]]):
            # Counter-clockwise about the edge, a triangle that runs along it has its front ahead.
            sides.join(2 * one + (0 if runs else 1), 2 * other + (1 if follows else 0))
    return sides.labels()


def _around(
    places: Array, faces: Index, start: Array, way: Array, of: list[Beside], sheets: _Sets
) -> list[Beside]:
    """Triangles counter-clockwise about an edge; of those that lie on one another, sheet by sheet in one order from below."""
    way = way / max(float(np.linalg.norm(way)), 1e-300)
    aside = np.eye(3)[int(np.argmin(np.abs(way)))]
    x = np.cross(way, aside)
    x /= np.linalg.norm(x)
    y = np.cross(way, x)
    numbers = [number for number, _ in of]
    inwards = places[faces[numbers]].mean(axis=1) - start
    angles = np.arctan2(inwards @ y, inwards @ x)
    order = np.argsort(angles, kind="stable")
    gaps = np.diff(angles[order], append=angles[order[0]] + 2 * np.pi)
    order = np.roll(order, -int(np.argmax(gaps)) - 1)  # begins after the widest gap: none that are alike are separated
    gaps = np.roll(gaps, -int(np.argmax(gaps)) - 1)
    made: list[Beside] = []
    begin = 0
    for end in range(1, len(order) + 1):
        if end < len(order) and gaps[end - 1] <= _ALIKE:
            continue
        alike = order[begin:end]
        inward = inwards[alike[0]]
        upward = np.cross(way, inward)
        up = upward[np.argmax(np.abs(upward) > 1e-3 * np.abs(upward).max())] > 0
        layers = sorted((of[i] for i in alike), key=lambda one: (sheets.first(one[0]), one[0]), reverse=not up)
        made += layers
        begin = end
    return made


def _bodies(places: Array, faces: Index, rings: list[tuple[Edge, list[Beside]]], sides: Index) -> list[_Body]:
    joined = _Sets(2 * len(faces))
    for side, border in enumerate(sides.tolist()):
        joined.join(side, border)
    for _, of in rings:
        for number, _ in of:
            joined.join(2 * number, 2 * of[0][0])
            joined.join(2 * number, 2 * number + 1)
    used = {number for _, of in rings for number, _ in of}
    groups: dict[int, list[int]] = defaultdict(list)
    for number in sorted(used):
        groups[joined.first(2 * number)].append(number)
    a, b, c = (places[faces[:, i]] for i in range(3))
    cones = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6
    free: dict[int, list[tuple[Edge, int]]] = defaultdict(list)
    for edge, of in rings:
        if len(of) == 1:
            free[joined.first(2 * of[0][0])].append((edge, of[0][0]))
    least = 1e-12 * float(np.ptp(places, axis=0).max(initial=0)) ** 3
    return [_body(places, faces, np.array(numbers), sides, cones, free[group], least) for group, numbers in groups.items()]


def _body(
    places: Array, faces: Index, numbers: Index, sides: Index, cones: Array, free: list[tuple[Edge, int]], least: float
) -> _Body:
    front, back = sides[2 * numbers], sides[2 * numbers + 1]
    borders, found = np.unique(np.concatenate([front, back]), return_inverse=True)
    # The air at a triangle's front lies where its normal points: for that air the normal points inwards.
    volumes = np.bincount(found, np.concatenate([-cones[numbers], cones[numbers]]), minlength=len(borders))
    outer = {int(border) for border, volume in zip(borders, volumes) if volume <= least}
    out_front, out_back = np.isin(front, list(outer)), np.isin(back, list(outer))
    shown, hidden = numbers[out_front & ~out_back], numbers[out_back & ~out_front]
    shell = np.concatenate([places[faces[shown]], places[faces[hidden]][:, ::-1]])
    own = places[faces[numbers]]
    spread = own.reshape(-1, 3)
    place = own[0].mean(axis=0)
    if len(shell):
        normals = np.cross(shell[:, 1] - shell[:, 0], shell[:, 2] - shell[:, 0])
        sizes = np.linalg.norm(normals, axis=1)
        most = int(np.argmax(sizes))
        place = shell[most].mean(axis=0) - normals[most] / sizes[most] * 1e-3 * np.sqrt(sizes[most])
    outside = [(edge, number) for edge, number in free if int(sides[2 * number]) in outer]
    return _Body(float(volumes[volumes > least].sum()), shell, place, spread.min(axis=0), spread.max(axis=0), shown, hidden, outside)


def _open(places: Array, corners: Array, leaks: list[tuple[Edge, int]], names: Sequence[str]) -> SceneError:
    """The three longest borders of openings, by their surfaces and places."""
    ends = sorted({end for edge, _ in leaks for end in edge})
    number = {end: i for i, end in enumerate(ends)}
    chains = _Sets(len(ends))
    for (start, stop), _ in leaks:
        chains.join(number[start], number[stop])
    parts: dict[int, list[tuple[Edge, int]]] = defaultdict(list)
    for edge, triangle in leaks:
        parts[chains.first(number[edge[0]])].append((edge, triangle))

    def length(part: list[tuple[Edge, int]]) -> float:
        return float(sum(np.linalg.norm(places[stop] - places[start]) for (start, stop), _ in part))

    longest = sorted(parts.values(), key=length, reverse=True)
    said = []
    for part in longest[:3]:
        at = corners[sorted({end for edge, _ in part for end in edge})]
        x, y, z = (at.min(axis=0) + at.max(axis=0)) / 2
        of = list(dict.fromkeys(names[triangle] for _, triangle in part))
        listed = ", ".join(repr(name) for name in of[:3]) + (" and others" if len(of) > 3 else "")
        said.append(f"{length(part):.3g} m around ({x:.3f}, {y:.3f}, {z:.3f}) m of {listed}")
    more = f", and {len(longest) - 3} more" if len(longest) > 3 else ""
    return SceneError(
        f"the surfaces are not closed; their free edges: {'; '.join(said)}{more}",
        "close the model there, or remove surfaces that belong to no room; `seal` of a room closes narrow openings",
    )
