"""A map of sites over the walls of the drawn room, as bodies of one colour each.

Triangles are cut until their sides are shorter than the nodes are apart. The value of each is the mean of the sites near it
of the same material and on the same side, those of walls that lie across the same axis first. Each is turned so that its
front is the side with air: walls between the eye and the room are not drawn then, and a panel has both of its sides.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .drawing import Body, _arrays, _stl, size_of
from .sensitivity import TO_MS, Sites

MOST_TRIANGLES = 60_000
NEAREST = 24
PANEL = 1.5  # area of sites over that of a triangle, above which both of its sides have air
# From blue (shorter) through white to red (longer): RdBu of ColorBrewer, which colour-blind people can read.
_STOPS = ("#2166ac", "#4393c3", "#92c5de", "#d1e5f0", "#f7f7f7", "#fddbc7", "#f4a582", "#d6604d", "#b2182b")


def _between(stops: tuple[str, ...], steps: int) -> tuple[str, ...]:
    """Colours with `steps` from each stop to the next."""
    places = np.arange(steps * (len(stops) - 1) + 1) / steps
    parts = [np.interp(places, range(len(stops)), [int(one[at : at + 2], 16) for one in stops]) for at in (1, 3, 5)]
    return tuple("#" + "".join(f"{round(float(part)):02x}" for part in colour) for colour in zip(*parts))


SHADES = _between(_STOPS, 3)


def painted(surface: Mapping[str, Any], sites: Sites) -> tuple[list[Body], float]:
    """Bodies by shade, and the change in ms by each square metre at the ends of the scale.

    The scale ends where 2 % of the walls' area lies beyond.
    """
    corners, of = _cut(surface, 0.6 * _distance(sites))
    sides = _values(corners, of, _materials(surface), sites)
    corners = np.concatenate([corners, corners[:, ::-1]])
    values = np.concatenate(sides)
    known = np.isfinite(values)
    areas = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    end = _rounded(_quantile(np.abs(values[known]), areas[known], 0.98))
    shade = np.clip(np.round((np.nan_to_num(values) / end + 1.0) * 0.5 * (len(SHADES) - 1)), 0, len(SHADES) - 1).astype(int)
    found = []
    for number, colour in enumerate(SHADES):
        own = corners[known & (shade == number)]
        if len(own):
            vertices = own.reshape(-1, 3)
            found.append(Body(f"shade {number}", "", colour, _stl(vertices, np.arange(len(vertices)).reshape(-1, 3))))
    return found, end


def _distance(sites: Sites) -> float:
    """Of the nodes, in m: sites have about the area of a face."""
    large = sites.area[sites.area > 0.5 * sites.area.max(initial=0.0)]
    return float(np.sqrt(np.median(large))) if len(large) else 1.0


def _materials(surface: Mapping[str, Any]) -> NDArray[np.str_]:
    """By triangle of the surface."""
    names = np.array([one["material"] for one in surface["surfaces"]], dtype=np.str_)
    return np.asarray(names[np.asarray(surface["surface"])])


def _cut(surface: Mapping[str, Any], longest: float) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Corners (pieces, 3, 3) of the surface's triangles, cut at their longest sides, and the triangle of each piece."""
    vertices, triangles = _arrays(surface)
    corners, of = vertices[triangles], np.arange(len(triangles))
    longest = max(longest, 1e-3 * size_of(surface))
    while True:
        sides = np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2)  # i: from corner i to the next one
        long = sides.max(axis=1) > 1.5 * longest
        if not long.any() or len(corners) + long.sum() > MOST_TRIANGLES:
            return corners, of
        whole, first = corners[long], sides[long].argmax(axis=1)
        row = np.arange(len(whole))
        a, b, c = (whole[row, (first + i) % 3] for i in range(3))
        middle = 0.5 * (a + b)
        corners = np.concatenate([corners[~long], np.stack([a, middle, c], axis=1), np.stack([middle, b, c], axis=1)])
        of = np.concatenate([of[~long], of[long], of[long]])


def _values(
    corners: NDArray[np.float64], of: NDArray[np.int64], materials: NDArray[np.str_], sites: Sites
) -> list[NDArray[np.float64]]:
    """The change in ms by each square metre at each piece, in front of it and behind it; NaN where there is no air.

    A triangle as a whole has air on one side or on both: nodes before an oblique wall may lie a little behind it, but no
    further than half their distance. Both sides of a panel have sites, so that their area is about twice its own.
    """
    from scipy.spatial import cKDTree

    centres, across = corners.mean(axis=1), np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = 0.5 * np.linalg.norm(across, axis=1)
    normals = 0.5 * across / np.maximum(areas, 1e-30)[:, None]
    reach, of_sites = _distance(sites), np.array(sites.material)
    values = [np.full(len(corners), np.nan) for _ in range(2)]
    for name in np.unique(materials):
        here, own = np.flatnonzero(materials[of] == name), np.flatnonzero((of_sites == name) & (sites.area > 0.0))
        if not len(own) or not len(here):
            continue
        distance, near = cKDTree(sites.position[own]).query(centres[here], k=[*range(1, min(NEAREST, len(own)) + 1)])
        near = own[near]
        facing = np.take_along_axis(normals[here], sites.axis[near], axis=1) ** 2
        weights = sites.area[near] * (facing + 1e-6) * np.exp(-0.5 * ((distance - distance[:, :1]) / (0.8 * reach)) ** 2)
        height = ((sites.position[near] - centres[here][:, None]) * normals[here][:, None]).sum(axis=2) / reach
        shares = weights / weights.sum(axis=1, keepdims=True)
        # The cubes of heights: nodes that are further away decide.
        ahead = np.bincount(of[here], areas[here] * (shares * height**3).sum(axis=1), len(materials)) > 0.0
        nearest = here[cKDTree(centres[here]).query(sites.position[own])[1]]
        covered = np.bincount(of[nearest], sites.area[own], len(materials))
        both = covered > PANEL * np.bincount(of[here], areas[here], len(materials))
        for side, has_air, at in ((values[0], ahead, height > 0.0), (values[1], ~ahead, height <= 0.0)):
            part = np.where(both[of[here], None] & (weights * at).any(axis=1, keepdims=True), weights * at, weights)
            mean = TO_MS * (part * sites.value[near]).sum(axis=1) / part.sum(axis=1)
            side[here] = np.where((has_air | both)[of[here]], mean, np.nan)
    return values


def _quantile(values: NDArray[np.float64], weights: NDArray[np.float64], share: float) -> float:
    if not len(values):
        return 0.0
    order = np.argsort(values)
    sums = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(sums, share * sums[-1]).clip(0, len(values) - 1)])


def _rounded(value: float) -> float:
    return float(f"{value:.2g}") or 1.0
