"""Spaces of IFC models, each face by the material of the element that bounds it; elements, where there are no spaces."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _lazy
from .._polygons import triangles_of
from ..errors import FileError, SceneError
from ._frame import stated
from ._gbxml import choose
from ._model import Model, model_of
from ._openings import Bound, apart, border_of, covered

Array = NDArray[np.float64]
Part = tuple[Array, NDArray[np.int64], list[str]]  # corners (v, 3), triangles (f, 3), names of triangles
ELEMENTS = ("IfcWall", "IfcSlab", "IfcRoof", "IfcCovering", "IfcDoor", "IfcWindow", "IfcCurtainWall", "IfcColumn",
            "IfcBeam", "IfcMember", "IfcPlate", "IfcStair", "IfcRamp", "IfcRailing", "IfcFurnishingElement",
            "IfcBuildingElementProxy")  # fmt: skip
_STATED = 1e-6  # largest relative difference of areas between a space and its boundaries that are taken for it


def read(path: Path, space: str | None) -> Model:
    """In metres, z up, by the units that the file states."""
    ifc = _lazy.load("ifcopenshell", "ifc")
    for name in ("geom", "util.element", "util.placement", "util.unit"):
        importlib.import_module(f"ifcopenshell.{name}")
    try:
        file = ifc.open(str(path))
    except Exception as error:  # errors of the parser have no class of their own
        raise FileError(f"ifcopenshell cannot read it: {error}") from error
    reader = _Reader(ifc, file)
    spaces = {one.GlobalId: one.LongName or one.Name or one.GlobalId for one in file.by_type("IfcSpace")}
    spaces = {key: name for key, name in spaces.items() if file.by_guid(key).Representation is not None}
    parts: list[Part] = []
    if spaces:
        chosen = choose(spaces | _also(file, spaces, space), space)
        parts = [reader.space(file.by_guid(key)) for key in spaces if key in chosen]
    elif space is not None:
        raise SceneError("it has no spaces with a shape", "without `space` its building elements are taken")
    else:
        reader.notes.append("there are no spaces: the faces of building elements are taken, and must enclose the room")
        elements = [one for kind in ELEMENTS for one in file.by_type(kind) if one.Representation is not None]
        parts = [part for part in (reader.element(one) for one in elements) if part is not None]
    if not parts:
        raise FileError("it has no space and no building element with a shape", "export it with spaces and their boundaries")
    starts = np.cumsum([0] + [len(corners) for corners, _, _ in parts])
    model = model_of(
        np.concatenate([corners for corners, _, _ in parts]),
        np.concatenate([faces + start for (_, faces, _), start in zip(parts, starts)]),
        [name for _, _, names in parts for name in names],
        [*dict.fromkeys(reader.notes), *reader.layered()],
        rooms=bool(spaces),
    )
    return stated(model, reader.unit)


def _also(file: Any, spaces: dict[str, str], space: str | None) -> dict[str, str]:
    """Spaces that are called by their number, where none is called so by its long name."""
    if space is None or space in spaces.values():
        return {}
    return {key: space for key in spaces if file.by_guid(key).Name == space}


class _Reader:
    """Shapes and names of one file."""

    def __init__(self, ifc: Any, file: Any) -> None:
        self.ifc = ifc
        self.unit = float(ifc.util.unit.calculate_unit_scale(file))  # m
        self.settings = ifc.geom.settings()
        self.settings.set("use-world-coords", True)
        self.notes: list[str] = []
        self.layers: dict[tuple[str, ...], dict[str, str]] = {}  # elements of several layers, by their materials

    def shape(self, item: Any) -> tuple[Array, NDArray[np.int64]]:
        """Corners in m and triangles of a product."""
        geometry = self.ifc.geom.create_shape(self.settings, item).geometry
        corners = np.array(geometry.verts, dtype=float).reshape(-1, 3)
        return corners, np.array(geometry.faces, dtype=np.int64).reshape(-1, 3)

    def element(self, item: Any) -> Part | None:
        try:
            corners, faces = self.shape(item)
        except RuntimeError:
            self.notes.append(f"{item.is_a()} {item.Name or item.GlobalId}: its shape cannot be made, and is left out")
            return None
        return corners, faces, [self.material(item)] * len(faces)

    def space(self, item: Any) -> Part:
        """A space by its boundaries where they cover it, else its shape with the names of boundaries beside it."""
        corners, faces = self.shape(item)
        label = item.LongName or item.Name or item.GlobalId
        area = _area(corners, faces)
        bounds = self.boundaries(item)
        parts, stated = _parts(bounds)
        if not bounds:
            self.notes.append(f"space {label}: it has no boundaries: its faces are floor, ceiling and walls")
        elif abs(stated - area) > _STATED * area:
            bounds, double = apart(bounds)
            parts, stated = _parts(bounds)
            if double:
                self.notes.append(f"space {label}: of boundaries that lie on one another one is taken ({double} left out)")
        if bounds and abs(stated - area) <= _STATED * area:
            return self.bounded(parts, corners, faces)
        taken, replaced = covered(corners, faces, bounds)
        if bounds:
            of = "faces of the shape" if not replaced.any() else f"{int((~replaced).sum())} of its {len(faces)} triangles"
            outcome = f"{of} have the material of the boundary at their middle"
            if replaced.all():
                outcome = f"{_boundaries(len(parts) - len(taken))} beside its faces left out"
            self.notes.append(f"space {label}: its boundaries have {stated:.4g} m2 and its shape {area:.4g} m2: {outcome}")
        rest = faces[~replaced]
        names = _names_at(corners[rest], parts)
        if not taken:
            return corners, faces, names
        places, triangles, of_bounds = self.bounded([parts[i] for i in taken], corners, faces)
        return np.concatenate([places, corners]), np.concatenate([triangles, rest + len(places)]), of_bounds + names

    def bounded(self, parts: Sequence[Part], corners: Array, faces: NDArray[np.int64]) -> Part:
        """Boundaries as one, facing as the shape does."""
        starts = np.cumsum([0] + [len(places) for places, _, _ in parts])
        joined = np.concatenate([places for places, _, _ in parts])
        pieces = [triangles + start for (_, triangles, _), start in zip(parts, starts)]
        names = [name for _, _, names in parts for name in names]
        return joined, _outwards(joined, np.concatenate(pieces), corners, faces), names

    def boundaries(self, space: Any) -> list[Bound]:
        """The boundaries of a space that have a shape, in m, by the materials of their elements."""
        found: list[Bound] = []
        matrix = np.array(self.ifc.util.placement.get_local_placement(space.ObjectPlacement), dtype=float)
        for boundary in getattr(space, "BoundedBy", ()) or ():
            geometry = boundary.ConnectionGeometry
            if geometry is None or not geometry.is_a("IfcConnectionSurfaceGeometry"):
                continue
            element = boundary.RelatedBuildingElement
            opening = element is not None and element.is_a("IfcOpeningElement")
            for corners, faces, rings in self.surfaces(geometry.SurfaceOnRelatingElement):
                placed = [one @ matrix[:3, :3].T + matrix[:3, 3] * self.unit for one in (corners, *rings)]
                name = self.material(element, placed[0].mean(axis=0)) if element is not None else "virtual"
                found.append(Bound(placed[0], faces, name, placed[1:], opening))
        return found

    def surfaces(self, item: Any) -> list[tuple[Array, NDArray[np.int64], list[Array]]]:
        """A bounded plane with its holes, lines that are swept, or another surface as the library makes it.

        Each plane part as corners, in m and in the axes of the space, triangles, and border and holes, none of what is not plane.
        """
        if item.is_a("IfcCurveBoundedPlane"):
            rings = [_points(curve) for curve in (item.OuterBoundary, *(item.InnerBoundaries or ()))]
            if all(ring is not None and len(ring) > 2 for ring in rings):
                axes = np.array(self.ifc.util.placement.get_axis2placement(item.BasisSurface.Position), dtype=float)
                placed = [
                    (ring @ axes[:3, :2].T + axes[:3, 3]) * self.unit for ring in rings if ring is not None
                ]
                try:
                    return [(np.concatenate(placed), triangles_of(placed, "a space boundary"), placed)]
                except SceneError as error:
                    self.notes.append(f"{error.message}; it is left out")
                    return []
        if item.is_a("IfcSurfaceOfLinearExtrusion"):
            quads = self.swept(item)
            if quads is not None:
                return [(ring, np.array([[0, 1, 2], [0, 2, 3]]), [ring]) for ring in quads]
        try:
            geometry = self.ifc.geom.create_shape(self.ifc.geom.settings(), item)
        except RuntimeError:
            self.notes.append(f"a space boundary of the kind {item.is_a()} cannot be made, and is left out")
            return []
        corners = np.array(geometry.verts, dtype=float).reshape(-1, 3)
        faces = np.array(geometry.faces, dtype=np.int64).reshape(-1, 3)
        return [(corners, faces, border_of(corners, faces))]

    def swept(self, item: Any) -> Array | None:
        """Corners (n, 4, 3) in m of the parallelograms that the sides of an open polygon sweep; None of a curve that has arcs."""
        ends = _points(curve, closed=False) if (curve := getattr(item.SweptCurve, "Curve", None)) is not None else None
        if ends is None or len(ends) < 2:
            return None
        axes = np.eye(4)
        if item.Position is not None:
            axes = np.array(self.ifc.util.placement.get_axis2placement(item.Position), dtype=float)
        way = np.array(item.ExtrudedDirection.DirectionRatios, dtype=float)
        low = np.column_stack([ends, np.zeros(len(ends))])
        high = low + way / np.linalg.norm(way) * item.Depth
        quads = np.stack([low[:-1], low[1:], high[1:], high[:-1]], axis=1)
        return np.asarray((quads @ axes[:3, :3].T + axes[:3, 3]) * self.unit)

    def layered(self) -> list[str]:
        """A note for each stack of layers, of which one is taken."""
        return [
            f"of the materials {', '.join(names)} the first is taken: {next(iter(of.values()))}"
            + (f" and {len(of) - 1} more" if len(of) > 1 else "")
            for names, of in self.layers.items()
        ]

    def material(self, element: Any, beside: Array | None = None) -> str:
        """The name of an element's material, else of its kind.

        Of a stack of layers the one next to a place in m, where the file says how they lie, else the first, with a note.
        """
        material = self.ifc.util.element.get_material(element, should_skip_usage=True)
        layers: Sequence[Any] = ()
        if material is not None and material.is_a("IfcMaterialLayerSet"):
            layers = material.MaterialLayers
        elif material is not None and material.is_a("IfcMaterialConstituentSet"):
            layers = material.MaterialConstituents or ()
        elif material is not None and material.is_a("IfcMaterialList"):
            return str(material.Materials[0].Name)
        if layers:
            names = [str(layer.Material.Name) for layer in layers if layer.Material is not None]
            if len(set(names)) > 1 and beside is not None and (last := self.is_last(element, beside)) is not None:
                return names[-1 if last else 0]
            if len(set(names)) > 1:
                self.layers.setdefault(tuple(names), {})[element.GlobalId] = f"{element.is_a()} {element.Name or element.GlobalId}"
            if names:
                return names[0]
        named = getattr(material, "Name", None)
        return str(named or element.is_a().removeprefix("Ifc"))

    def is_last(self, element: Any, place: Array) -> bool | None:
        """Whether a place is next to the last of an element's layers; None where the file does not say how they lie."""
        usage = self.ifc.util.element.get_material(element)
        if usage is None or not usage.is_a("IfcMaterialLayerSetUsage") or element.ObjectPlacement is None:
            return None
        matrix = np.array(self.ifc.util.placement.get_local_placement(element.ObjectPlacement), dtype=float)
        axis = ("AXIS1", "AXIS2", "AXIS3").index(usage.LayerSetDirection)
        along = float((place / self.unit - matrix[:3, 3]) @ matrix[:3, axis])
        thickness = sum(layer.LayerThickness for layer in usage.ForLayerSet.MaterialLayers)
        begin = usage.OffsetFromReferenceLine
        end = begin + thickness if usage.DirectionSense == "POSITIVE" else begin - thickness
        return bool(abs(along - end) < abs(along - begin))


def _points(curve: Any, closed: bool = True) -> Array | None:
    """Corners (n, 2) of a polygon, of a closed one each once; None of a curve that has arcs."""
    if curve.is_a("IfcPolyline"):
        points = np.array([point.Coordinates[:2] for point in curve.Points], dtype=float)
    elif curve.is_a("IfcIndexedPolyCurve") and not any(one.is_a("IfcArcIndex") for one in curve.Segments or ()):
        points = np.array(curve.Points.CoordList, dtype=float)[:, :2]
    else:
        return None
    return points[:-1] if closed and len(points) > 1 and np.array_equal(points[0], points[-1]) else points


def _boundaries(count: int) -> str:
    return "1 boundary" if count == 1 else f"{count} boundaries"


def _parts(bounds: Sequence[Bound]) -> tuple[list[Part], float]:
    """Boundaries by the names of their triangles, and their area in m2."""
    parts: list[Part] = [(one.corners, one.faces, [one.name] * len(one.faces)) for one in bounds]
    return parts, sum(_area(corners, faces) for corners, faces, _ in parts)


def _area(corners: Array, faces: NDArray[np.int64]) -> float:
    a, b, c = (corners[faces[:, i]] for i in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)


def _outwards(corners: Array, faces: NDArray[np.int64], shell: Array, of_shell: NDArray[np.int64]) -> NDArray[np.int64]:
    """Triangles turned as those of a closed shell beside them face."""
    middle, normal = shell[of_shell].mean(axis=1), _normals(shell, of_shell)
    own, mine = corners[faces].mean(axis=1), _normals(corners, faces)
    turned = faces.copy()
    for i, (place, facing) in enumerate(zip(own, mine)):
        height = np.abs(np.einsum("ij,ij->i", place - middle, normal))
        beside = (np.abs(normal @ facing) > 0.99) & (height < 1e-3)
        near = np.flatnonzero(beside)
        if len(near):
            one = near[np.argmin(np.linalg.norm(place - middle[near], axis=1))]
            if normal[one] @ facing < 0:
                turned[i] = faces[i, ::-1]
    return turned


def _normals(corners: Array, faces: NDArray[np.int64]) -> Array:
    a, b, c = (corners[faces[:, i]] for i in range(3))
    normal = np.cross(b - a, c - a)
    return np.asarray(normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300))


def _names_at(faces: Array, bounds: Sequence[Part]) -> list[str]:
    """For each face (n, 3, 3) the name of the smallest boundary that its middle lies on, else of the way in which it faces."""
    sizes = np.array([_area(corners, triangles) for corners, triangles, _ in bounds])
    low = np.array([corners.min(axis=0) for corners, _, _ in bounds]).reshape(-1, 3) - 1e-3
    high = np.array([corners.max(axis=0) for corners, _, _ in bounds]).reshape(-1, 3) + 1e-3
    order = np.argsort(sizes, kind="stable")
    names = []
    for face in faces:
        place = face.mean(axis=0)
        near = ((low <= place) & (high >= place)).all(axis=1)
        held = (bounds[i] for i in order[near[order]])
        found = next((of[0] for corners, triangles, of in held if _holds(corners[triangles], place)), None)
        normal = np.cross(face[1] - face[0], face[2] - face[0])
        normal /= max(float(np.linalg.norm(normal)), 1e-300)
        names.append(found or ("floor" if normal[2] < -0.7 else "ceiling" if normal[2] > 0.7 else "walls"))
    return names


def _holds(triangles: Array, place: Array) -> bool:
    """Whether a place lies on triangles (f, 3, 3), within 1 mm of their plane."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    normal = np.cross(b - a, c - a)
    size = np.maximum(np.linalg.norm(normal, axis=1), 1e-300)
    on = np.abs(np.einsum("ij,ij->i", place - a, normal)) <= 1e-3 * size
    for start, stop in ((a, b), (b, c), (c, a)):
        on &= np.einsum("ij,ij->i", np.cross(stop - start, place - start), normal) >= -1e-9 * size**2
    return bool(on.any())
