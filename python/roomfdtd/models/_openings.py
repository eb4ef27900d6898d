"""Boundaries of a space that lie on one another: a wall that covers its windows and doors gives them their area."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._polygons import normal_of, triangles_of
from ..errors import SceneError

Array = NDArray[np.float64]
Faces = NDArray[np.int64]
_NEAR = 1e-3  # m, within which boundaries lie in one plane and on one border
_PARALLEL = 1 - 1e-6  # cosine of the angle between planes
_EQUAL = 1e-6  # largest relative difference of areas of boundaries that are one


@dataclass
class Bound:
    """A boundary: corners (v, 3) in m, triangles (f, 3), the name of its material, its border and holes if it is plane."""

    corners: Array
    faces: Faces
    name: str
    rings: list[Array]
    opening: bool = False  # of an opening, which the boundary of a window or door may cover


def apart(bounds: Sequence[Bound]) -> tuple[list[Bound], int]:
    """The boundaries, each without the smaller ones that lie on it and once where there are two; the number of those left out.

    One that cannot be cut stays as it is.
    """
    plane = [i for i, bound in enumerate(bounds) if bound.rings]
    area = {i: _size(bounds[i].rings[0]) for i in plane}
    held: dict[int, list[int]] = {}  # those that hold a boundary
    double: set[int] = set()
    for one, other in _boxes_within([bounds[i].rings[0] for i in plane]):
        inner, outer = plane[one], plane[other]
        if area[inner] > area[outer] * (1 + _EQUAL) or not _lies_on(bounds[inner], bounds[outer]):
            continue
        if area[inner] < area[outer] * (1 - _EQUAL):
            held.setdefault(inner, []).append(outer)
        elif inner not in double and outer not in double:  # of two the first, but a door before its opening
            double.add(max((inner, outer), key=lambda i: (bounds[i].opening, i)))
    cut: dict[int, list[int]] = {}
    for inner, around in held.items():
        around = [outer for outer in around if outer not in double]
        if inner not in double and around:
            cut.setdefault(min(around, key=area.__getitem__), []).append(inner)
    made = [
        _without(bound, [bounds[inner].rings[0] for inner in cut[i]]) if i in cut else bound
        for i, bound in enumerate(bounds)
        if i not in double
    ]
    return made, len(double)


def covered(corners: Array, faces: Faces, bounds: Sequence[Bound]) -> tuple[list[int], NDArray[np.bool_]]:
    """The boundaries that cover all faces of a shape in their plane, by number, and whether each triangle is of those faces."""
    a, b, c = (corners[faces[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    sizes = np.linalg.norm(normals, axis=1)
    normals /= np.maximum(sizes, 1e-300)[:, None]
    own = [(_normal(bound), bound.rings[0], bound) for bound in bounds if bound.rings]
    facing = np.array([normal for normal, _, _ in own]).reshape(-1, 3)
    middles = np.array([ring.mean(axis=0) for _, ring, _ in own]).reshape(-1, 3)
    numbers = [i for i, bound in enumerate(bounds) if bound.rings]
    taken: list[int] = []
    replaced = np.zeros(len(faces), dtype=bool)
    rest = np.arange(len(faces))
    while len(rest) and own:
        normal, place = normals[rest[0]], a[rest[0]]
        here = (np.abs(normals[rest] @ normal) > _PARALLEL) & (np.abs((a[rest] - place) @ normal) <= _NEAR)
        here[0] = True
        on = np.flatnonzero((np.abs(facing @ normal) > _PARALLEL) & (np.abs((middles - place) @ normal) <= _NEAR))
        area = float(sizes[rest[here]].sum()) / 2
        if len(on) and abs(sum(_area(own[i][2]) for i in on) - area) <= _EQUAL * area:
            taken += [numbers[i] for i in on]
            replaced[rest[here]] = True
        rest = rest[~here]
    return sorted(set(taken)), replaced


def border_of(corners: Array, faces: Faces) -> list[Array]:
    """The border and the holes of plane triangles, the border first; empty of others."""
    a, b, c = (corners[faces[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    normal = normals.sum(axis=0)
    size = float(np.linalg.norm(normal))
    if not size or float(np.linalg.norm(normals, axis=1).sum()) > size * (1 + 1e-9):
        return []
    keys = [tuple(one) for one in np.round(corners, 6).tolist()]
    edges = {(keys[i], keys[j]): (i, j) for face in faces.tolist() for i, j in zip(face, [*face[1:], face[0]])}
    following = {i: edge for (i, j), edge in edges.items() if (j, i) not in edges}
    rings = []
    while following:
        start = next(iter(following))
        ring, at = [], start
        while at in following:
            i, j = following.pop(at)
            ring.append(corners[i])
            at = keys[j]
        if at != start or len(ring) < 3:
            return []
        rings.append(np.array(ring))
    return sorted(rings, key=_size, reverse=True)


def _without(bound: Bound, holes: Sequence[Array]) -> Bound:
    rings = [*bound.rings, *holes]
    try:
        faces = triangles_of(rings)
    except SceneError:
        return bound
    return Bound(np.concatenate(rings), faces, bound.name, rings, bound.opening)


def _normal(bound: Bound) -> Array:
    normal = normal_of(bound.rings[0] - bound.rings[0].mean(axis=0))
    return np.asarray(normal / np.linalg.norm(normal))


def _area(bound: Bound) -> float:
    a, b, c = (bound.corners[bound.faces[:, i]] for i in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)


def _size(ring: Array) -> float:
    return float(np.linalg.norm(normal_of(ring - ring.mean(axis=0)))) / 2


def _boxes_within(rings: Sequence[Array]) -> Iterator[tuple[int, int]]:
    """Pairs of which the first one's bounding box lies in that of the second: a sweep along the longest side of all."""
    if not rings:
        return
    low, high = np.array([ring.min(axis=0) for ring in rings]), np.array([ring.max(axis=0) for ring in rings])
    axis = int(np.argmax(high.max(axis=0) - low.min(axis=0)))
    active = np.empty(0, dtype=np.int64)
    for i in np.argsort(low[:, axis], kind="stable").tolist():
        active = active[high[active, axis] >= low[i, axis] - _NEAR]
        around = (low[active] <= low[i] + _NEAR) & (high[active] >= high[i] - _NEAR)
        inside = (low[active] >= low[i] - _NEAR) & (high[active] <= high[i] + _NEAR)
        yield from ((i, j) for j in active[around.all(axis=1)].tolist())
        yield from ((j, i) for j in active[inside.all(axis=1)].tolist())
        active = np.append(active, i)


def _lies_on(inner: Bound, outer: Bound) -> bool:
    """Whether a boundary lies in the plane and the border of another, and in none of its holes."""
    border, ring = outer.rings[0], inner.rings[0]
    normal = normal_of(border - border.mean(axis=0))
    if np.abs((ring - border.mean(axis=0)) @ (normal / np.linalg.norm(normal))).max() > _NEAR:
        return False
    kept = [axis for axis in range(3) if axis != int(np.argmax(np.abs(normal)))]
    a, b, c = (inner.corners[inner.faces[:, i]][:, kept] for i in range(3))
    middle = ((a + b + c) / 3)[np.argmax(np.abs((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]))]
    if not _in_ring(border[:, kept], ring[:, kept]).all() or not _in_ring(border[:, kept], middle[None])[0]:
        return False
    return not any(_in_ring(hole[:, kept], middle[None])[0] for hole in outer.rings[1:])


def _in_ring(ring: Array, places: Array) -> NDArray[np.bool_]:
    """Whether places (p, 2) lie in a polygon (n, 2), or near its border."""
    start, along = ring, np.roll(ring, -1, axis=0) - ring
    to = places[:, None, :] - start
    share = np.clip((to * along).sum(axis=2) / np.maximum((along**2).sum(axis=1), 1e-300), 0.0, 1.0)
    near = np.linalg.norm(to - share[:, :, None] * along, axis=2).min(axis=1) <= _NEAR
    crosses = (to[:, :, 1] >= 0) != (to[:, :, 1] - along[:, 1] >= 0)
    right = (to[:, :, 0] * along[:, 1] - to[:, :, 1] * along[:, 0]) * np.sign(along[:, 1]) < 0
    return np.asarray(near | ((crosses & right).sum(axis=1) % 2 == 1))
