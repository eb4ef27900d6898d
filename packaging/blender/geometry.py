"""The visible objects of a Blender scene as triangles in metres, and its places of sources and receivers.

Objects come from the dependency graph: modifiers are applied and instances are realised. Blender's z points up, as in a
scene of fdtd; coordinates are multiplied by the unit scale of the scene.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

SURFACES = {"MESH", "CURVE", "SURFACE", "META", "FONT"}
UNNAMED = "no material"  # the wall of faces without a material
_SOURCE = re.compile(r"(?:s|src|source|speaker|loudspeaker)(?:[\W_\d]|$)", re.I)
_RECEIVER = re.compile(r"(?:r|rec|rcv|receiver|mic|microphone|seat|listener|head)(?:[\W_\d]|$)", re.I)


@dataclass(frozen=True)
class Surfaces:
    """Triangles: ``vertices`` (v, 3) in m, ``faces`` (f, 3) from 0; ``wall_of`` and ``object_of`` number the names in
    ``walls`` (Blender materials) and ``objects``."""

    vertices: np.ndarray
    faces: np.ndarray
    wall_of: np.ndarray
    object_of: np.ndarray
    walls: list[str]
    objects: list[str]

    def area(self) -> float:
        """m2, each triangle once."""
        return float(np.linalg.norm(self._normals(), axis=1).sum() / 2)

    def volume(self) -> float:
        """m3 inside a closed surface whose triangles face outwards."""
        return float(np.einsum("ij,ij->", self.vertices[self.faces[:, 0]], self._normals()) / 6)

    def _normals(self) -> np.ndarray:
        a, b, c = (self.vertices[self.faces[:, i]] for i in range(3))
        return np.cross(b - a, c - a)

    def at(self, place: tuple[float, float, float]) -> str:
        """Names of the objects whose triangles are nearest to a place (m), with their materials."""
        distances = _distances(np.asarray(place, dtype=float), self.vertices[self.faces])
        near = np.flatnonzero(distances <= distances.min() + 1e-3)
        pairs = {(self.objects[self.object_of[i]], self.walls[self.wall_of[i]]) for i in near.tolist()}
        return ", ".join(f"{owner!r} ({wall})" for owner, wall in sorted(pairs)[:4])


@dataclass(frozen=True)
class Place:
    """A source or a receiver: its Blender object, position (m), and unit vectors to its front and its top."""

    object: Any
    role: str
    position: tuple[float, float, float]
    front: tuple[float, float, float]
    top: tuple[float, float, float]


def unit_scale(scene: Any) -> float:
    """Metres of a Blender unit."""
    return 1.0 if scene.unit_settings.system == "NONE" else float(scene.unit_settings.scale_length)


def role_of(item: Any) -> str:
    """"source", "receiver", "ignore", or "surface": chosen in the panel, else by the kind and the name of an object."""
    chosen = item.fdtd.role if hasattr(item, "fdtd") else "AUTO"
    if chosen != "AUTO":
        return chosen.lower()
    if item.type == "SPEAKER":
        return "source"
    if item.type == "EMPTY" and item.instance_type == "NONE":
        return "source" if _SOURCE.match(item.name) else "receiver" if _RECEIVER.match(item.name) else "ignore"
    return "surface" if item.type in SURFACES else "ignore"


def surfaces_of(depsgraph: Any, collection: Any = None) -> Surfaces | None:
    """All surfaces that are visible, of one collection or of the scene; None where there are none."""
    scale = unit_scale(depsgraph.scene)
    vertices, faces, wall_of, object_of = [], [], [], []
    walls: dict[str, int] = {}
    objects: dict[str, int] = {}
    count = 0
    for instance, item in _visible(depsgraph, collection):
        if role_of(item) != "surface":
            continue
        corners, triangles, slots = _mesh(instance.object, np.array(instance.matrix_world, dtype=float), scale)
        if len(triangles) == 0:
            continue
        names = [slot.material.name if slot.material else UNNAMED for slot in instance.object.material_slots]
        numbers = np.array([walls.setdefault(name, len(walls)) for name in names or [UNNAMED]], dtype=np.int64)
        vertices.append(corners)
        faces.append(triangles + count)
        wall_of.append(numbers[np.minimum(slots, len(numbers) - 1)])
        object_of.append(np.full(len(triangles), objects.setdefault(item.name, len(objects)), dtype=np.int64))
        count += len(corners)
    if not faces:
        return None
    joined = (np.concatenate(part) for part in (vertices, faces, wall_of, object_of))
    return Surfaces(*joined, list(walls), list(objects))


def places_of(depsgraph: Any, collection: Any = None) -> list[Place]:
    """Sources and receivers that are visible, sorted by the names of their objects.

    A speaker and a camera look along their local -Z, as Blender draws them, other objects along +Z; Y is up.
    """
    scale = unit_scale(depsgraph.scene)
    found = []
    for instance, item in _visible(depsgraph, collection):
        role = role_of(item)
        if role in ("source", "receiver"):
            matrix = np.array(instance.matrix_world, dtype=float)
            front = -matrix[:3, 2] if item.type in ("SPEAKER", "CAMERA") else matrix[:3, 2]
            found.append(Place(item, role, _triple(matrix[:3, 3] * scale), _unit(front), _unit(matrix[:3, 1])))
    return sorted(found, key=lambda place: (place.object.name, place.position))


def _visible(depsgraph: Any, collection: Any) -> Iterator[tuple[Any, Any]]:
    """Instances with the objects of the file that they show."""
    members = None if collection is None else {item.name for item in collection.all_objects}
    for instance in depsgraph.object_instances:
        if not instance.show_self:
            continue
        shown = instance.object.original
        owner = instance.parent.original if instance.is_instance else shown
        if members is None or shown.name in members or owner.name in members:
            yield instance, shown


def _mesh(evaluated: Any, matrix: np.ndarray, scale: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Corners (v, 3) in m, triangles (f, 3) and the material slot of each."""
    mesh = evaluated.to_mesh()
    empty = np.empty((0, 3)), np.empty((0, 3), dtype=np.int64), np.empty(0, dtype=np.int64)
    if mesh is None:
        return empty
    try:
        mesh.calc_loop_triangles()
        corners = np.empty(3 * len(mesh.vertices), dtype=np.float32)
        triangles = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
        slots = np.empty(len(mesh.loop_triangles), dtype=np.int32)
        mesh.vertices.foreach_get("co", corners)
        mesh.loop_triangles.foreach_get("vertices", triangles)
        mesh.loop_triangles.foreach_get("material_index", slots)
    finally:
        evaluated.to_mesh_clear()
    turned = (corners.reshape(-1, 3).astype(float) @ matrix[:3, :3].T + matrix[:3, 3]) * scale
    faces = triangles.reshape(-1, 3).astype(np.int64)
    if np.linalg.det(matrix[:3, :3]) < 0:  # a mirror image: its triangles keep facing the same side
        faces = faces[:, ::-1]
    return turned, faces, slots.astype(np.int64)


def _distances(place: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Distance of a place to each triangle, (f,), corners (f, 3, 3): to its inside, or to the nearest of its edges."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    best = np.full(len(corners), np.inf)
    for start, stop in ((a, b), (b, c), (c, a)):
        along = stop - start
        squared = np.maximum(np.einsum("ij,ij->i", along, along), 1e-30)
        t = np.clip(np.einsum("ij,ij->i", place - start, along) / squared, 0, 1)
        best = np.minimum(best, np.linalg.norm(place - start - t[:, None] * along, axis=1))
    normal = np.cross(b - a, c - a)
    squared = np.einsum("ij,ij->i", normal, normal)
    inside = squared > 0
    for start, stop in ((a, b), (b, c), (c, a)):
        inside &= np.einsum("ij,ij->i", np.cross(stop - start, place - start), normal) >= 0
    height = np.abs(np.einsum("ij,ij->i", place - a, normal)) / np.sqrt(np.maximum(squared, 1e-30))
    return np.where(inside, np.minimum(best, height), best)


def _triple(values: np.ndarray) -> tuple[float, float, float]:
    x, y, z = (round(float(value), 6) for value in values)  # Blender holds single precision
    return x, y, z


def _unit(values: np.ndarray) -> tuple[float, float, float]:
    return _triple(values / max(float(np.linalg.norm(values)), 1e-30))
