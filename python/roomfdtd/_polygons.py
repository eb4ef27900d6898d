"""Plane polygons in space as triangles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from . import _lazy
from .errors import SceneError

Array = NDArray[np.float64]


def normal_of(corners: Array) -> Array:
    """Newell's normal of a polygon, corners (n, 3): its length is twice the area."""
    return np.asarray(np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0))


def triangles_of(rings: Sequence[Array], what: str = "polygon") -> NDArray[np.int64]:
    """Triangles of a plane polygon, its holes after its border.

    Parameters
    ----------
    rings : sequence of ndarray, shape (n, 3)
        Corners in order, in m.
    what : str
        Its name, for messages.

    Returns
    -------
    ndarray of int, shape (f, 3)
        Corners by their number in all rings, facing as the border does.

    Raises
    ------
    SceneError
        The polygon has no area, or crosses itself.
    """
    corners = np.concatenate(rings)
    normal = normal_of(rings[0] - rings[0].mean(axis=0))
    size = float(np.linalg.norm(normal))
    if size <= 1e-12 * max(float(np.ptp(corners, axis=0).max()) ** 2, 1e-300):
        raise SceneError(f"{what}: its {len(rings[0])} corners enclose no area", "move them apart, or remove it")
    if len(corners) == 3:
        return np.array([[0, 1, 2]], dtype=np.int64)
    away = int(np.argmax(np.abs(normal)))
    plane = np.ascontiguousarray(np.delete(corners - corners.mean(axis=0), away, axis=1))
    ends = np.cumsum([len(ring) for ring in rings]).astype(np.uint32)
    earcut = _lazy.load("mapbox_earcut", "polygons")
    found = np.asarray(earcut.triangulate_float64(plane, ends), dtype=np.int64).reshape(-1, 3)
    made = np.cross(corners[found[:, 1]] - corners[found[:, 0]], corners[found[:, 2]] - corners[found[:, 0]])
    facing = made @ (normal / size)
    holes = sum(float(np.linalg.norm(normal_of(ring - ring.mean(axis=0)))) for ring in rings[1:])
    if abs(np.abs(facing).sum() - (size - holes)) > 1e-6 * size:
        raise SceneError(f"{what}: it crosses itself, or its holes its border", "give its corners in order along its border")
    found[facing < 0] = found[facing < 0][:, ::-1]
    return found
