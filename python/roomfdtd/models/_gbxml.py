"""Spaces of gbXML: the surfaces that bound them, with their openings, by the names of their constructions."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .._polygons import normal_of, triangles_of
from ..errors import FileError, SceneError
from ._frame import stated
from ._model import Model, model_of

_UNITS = {
    "Meters": 1.0, "Kilometers": 1000.0, "Centimeters": 0.01, "Millimeters": 0.001, "Feet": 0.3048, "Inches": 0.0254,
    "Yards": 0.9144, "Miles": 1609.344,
}  # fmt: skip
_LISTED = 40  # names of spaces in a message
_OUTSIDE = {"Shade"}  # surfaces that bound no space


def read(path: Path, space: str | None) -> Model:
    """Space boundaries lie where the file has them: often on the axes of walls."""
    try:
        root = ET.parse(path).getroot()
    except ET.ParseError as error:
        raise FileError(f"it is no XML: {error}") from error
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    if root.tag != "gbXML":
        raise FileError(f"it is no gbXML: its root is {root.tag}", "export the model as gbXML")
    unit = root.get("lengthUnit", "Meters")
    if unit not in _UNITS:
        raise FileError(f"lengthUnit: {unit!r} is no unit of gbXML", f"write one of {', '.join(_UNITS)}")
    spaces = {one.get("id", ""): _text(one, "Name") or one.get("id", "") for one in root.iter("Space")}
    chosen = choose(spaces, space)
    constructions = {one.get("id", ""): _text(one, "Name") for one in root.iter("Construction")}
    constructions |= {one.get("id", ""): _text(one, "Name") for one in root.iter("WindowType")}
    notes: list[str] = []
    corners, faces, names, count = [], [], [], 0
    for surface in root.iter("Surface"):
        beside = [one.get("spaceIdRef", "") for one in surface.iter("AdjacentSpaceId")]
        inside = [one for one in beside if one in chosen]
        if surface.get("surfaceType") in _OUTSIDE or not inside or len(inside) == 2:  # between two: inside the whole
            continue
        for rings, name in _polygons(surface, constructions, _UNITS[unit], notes):
            try:
                found = triangles_of(rings)
            except SceneError:
                notes.append(f"surface {surface.get('id')!r} has no area, or crosses itself: it is left out")
                continue
            faces.append((found[:, ::-1] if beside[0] not in chosen else found) + count)
            names += [name] * len(found)
            corners += rings
            count += sum(len(ring) for ring in rings)
    if not faces:
        raise FileError(
            f"no surface bounds {', '.join(spaces[one] for one in chosen)}", "AdjacentSpaceId of its surfaces names a space"
        )
    return stated(model_of(np.concatenate(corners) * _UNITS[unit], np.concatenate(faces), names, notes, rooms=True), _UNITS[unit])


def choose(spaces: dict[str, str], space: str | None) -> set[str]:
    """Identifiers of the spaces that are meant, of all by identifier with their names."""
    if not spaces:
        raise SceneError("it has no spaces", "export the model with its spaces or rooms")
    if space == "*":
        return set(spaces)
    found = {key for key, name in spaces.items() if space is None or space in (key, name)}
    if len(found) == 1:
        return found
    times = Counter(spaces.values())
    several = found if len(found) > 1 and space is not None else set(spaces)
    names = sorted(repr(spaces[key]) if times[spaces[key]] == 1 else f"{key!r} ({spaces[key]})" for key in several)
    listed = ", ".join(names[:_LISTED]) + (f" and {len(names) - _LISTED} more" if len(names) > _LISTED else "")
    what = "it has several spaces" if space is None else f"{len(found) or 'no'} spaces are named {space!r}"
    raise SceneError(what, f'space = one of {listed}, or an identifier; "*" takes all')


def _polygons(
    surface: ET.Element, constructions: dict[str, str], unit: float, notes: list[str]
) -> list[tuple[list[NDArray[np.float64]], str]]:
    """The border of a surface with its openings as holes, then each opening, in its plane; one that does not fit is left out."""
    border = _ring(surface)
    normal = normal_of(border - border.mean(axis=0))
    normal /= max(float(np.linalg.norm(normal)), 1e-300)
    rings, made = [border], []
    for opening in surface.findall("Opening"):
        what = f"opening {opening.get('id')!r} of surface {surface.get('id')!r}"
        ring = _ring(opening)
        off = (ring - border.mean(axis=0)) @ normal
        flat = ring - off[:, None] * normal
        try:
            triangles_of([flat], what)
            triangles_of([*rings, flat], what)
        except SceneError:
            notes.append(f"{what} has no area, or does not lie in the surface: it is left out")
            continue
        if np.abs(off).max() * unit > 1e-3:
            notes.append(f"{what} lies {1000 * np.abs(off).max() * unit:.3g} mm off its plane: it is moved into it")
        rings.append(flat)
        reference = opening.get("windowTypeIdRef") or opening.get("constructionIdRef") or ""
        made.append(([flat], constructions.get(reference) or opening.get("openingType") or "opening"))
    name = constructions.get(surface.get("constructionIdRef", "")) or surface.get("surfaceType") or "surface"
    return [(rings, name), *made]


def _ring(element: ET.Element) -> NDArray[np.float64]:
    loop = element.find("PlanarGeometry/PolyLoop")
    points = [] if loop is None else loop.findall("CartesianPoint")
    try:
        ring = np.array([[float(one.text or "") for one in point.findall("Coordinate")] for point in points])
    except ValueError:
        ring = np.empty(0)
    if ring.ndim != 2 or ring.shape[1] != 3 or len(ring) < 3 or not np.isfinite(ring).all():
        kind = "opening" if element.tag == "Opening" else "surface"
        raise FileError(f"{kind} {element.get('id')!r}: three or more corners of three finite coordinates are needed")
    return ring


def _text(element: ET.Element, tag: str) -> str:
    return (element.findtext(tag) or "").strip()
