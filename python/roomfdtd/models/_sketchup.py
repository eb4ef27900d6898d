"""SketchUp models: a surface for each material that faces are painted with, in groups and components too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _lazy
from .._polygons import triangles_of
from ..errors import FileError, SceneError
from ._frame import UNITS, framed
from ._model import Model
from ._volume import toward_air

UNPAINTED = "default"


def read(path: Path, units: str | None, up: str | None) -> Model:
    """A file is in inches with z up. A face has its front's material, else its back's, else that of its group.

    Where front and back have different ones the side toward the room decides, of a closed model.
    """
    openskp = _lazy.load("openskp", "sketchup")
    try:
        file = openskp.SkpFile.open(str(path))
        model = file.parse()
    except (openskp.SkpParseError, OSError, ValueError) as error:
        raise FileError(f"openskp cannot read it: {str(error).partition(' | ')[0]}") from error
    # Faces state the number of their tag, and the typed model has names alone.
    tags = (getattr(file, "_parsed", None) or {}).get("layer_id_to_name", {})
    reader = _Reader(model, tags)
    reader.place(model.root, np.eye(4), None, 0)
    if not reader.faces:
        raise FileError("it has no visible faces" if reader.left_out else "it has no faces", reader.hidden_note())
    corners, faces = np.concatenate(reader.corners), np.concatenate(reader.faces)
    reader.choose_sides(corners * UNITS[units or "in"], faces)
    return framed(corners, faces, reader.names, units or "in", up or "z", reader.notes())


class _Reader:
    """Collects the faces of definitions, as they are placed."""

    def __init__(self, model: Any, tags: Mapping[int, str]) -> None:
        self.definitions: Mapping[int, Any] = model.definitions
        self.materials = {key: str(material.name) for key, material in model.materials_by_id.items()}
        self.tags = tags
        self.hidden = {layer.name for layer in model.layers if layer.hidden}
        self.corners: list[NDArray[np.float64]] = []
        self.faces: list[NDArray[np.int64]] = []
        self.names: list[str] = []
        self.left_out: Counter[str | None] = Counter()  # faces by their hidden tag, None where they or their group are hidden
        self.two_sided: list[tuple[int, int, str, str]] = []  # first triangle, their number, different materials of front and back
        self.unknown: Counter[tuple[str, str]] = Counter()  # of these, faces by their materials where no side is toward a room
        self.unfit = 0
        self.sizes: dict[int, int] = {}
        self.count = 0

    def place(self, definition: Any, matrix: NDArray[np.float64], painted: int | None, depth: int) -> None:
        if depth > 64:
            raise FileError(f"component {definition.name!r} contains itself")
        mirrored = np.linalg.det(matrix[:3, :3]) < 0
        corners, faces, count = [], [], 0
        for face in definition.faces.values():
            if self._is_hidden(face.hidden, self.tags.get(face.layer)):
                continue
            rings = [ring for ring in (self._ring(definition, loop) for loop in face.loops) if len(ring) > 2]
            if not rings:
                continue
            try:
                found = triangles_of(rings)
            except SceneError:
                self.unfit += 1
                continue
            corners += rings
            faces.append((found[:, ::-1] if mirrored else found) + count)
            count += sum(len(ring) for ring in rings)
            key = next((one for one in (face.material_id, face.back_material_id, painted) if one is not None), None)
            self.names += [self._material(key)] * len(found)
            if face.material_id is not None and face.back_material_id not in (None, face.material_id):
                sides = self._material(face.material_id), self._material(face.back_material_id)
                self.two_sided.append((len(self.names) - len(found), len(found), *sides))
        if faces:
            shared, number = np.unique(np.concatenate(corners), axis=0, return_inverse=True)  # faces share corners, as drawn
            self.corners.append(shared @ matrix[:3, :3].T + matrix[:3, 3])
            self.faces.append(number.reshape(-1)[np.concatenate(faces)] + self.count)
            self.count += len(shared)
        for instance in definition.instances:
            inner = self.definitions.get(instance.ref_idx)
            if inner is None or self._is_hidden(instance.hidden, instance.layer, inner):
                continue
            material = instance.material_id if instance.material_id is not None else painted
            self.place(inner, matrix @ _matrix(instance.matrix), material, depth + 1)

    def choose_sides(self, corners: NDArray[np.float64], faces: NDArray[np.int64]) -> None:
        """The material of the side toward the room, of faces that have two; corners in m."""
        if not self.two_sided:
            return
        facing = toward_air(corners, faces)
        for first, count, front, back in self.two_sided:
            if facing[first] < 0:
                self.names[first : first + count] = [back] * count
            elif facing[first] == 0:
                self.unknown[front, back] += 1

    def notes(self) -> list[str]:
        """Faces that are left out, and those whose sides differ."""
        notes = [note] if (note := self.hidden_note()) else []
        if self.unfit:
            notes.append(f"{_faces(self.unfit)} without an area or with edges that cross left out")
        known = Counter((front, back) for _, _, front, back in self.two_sided) - self.unknown
        for pairs, outcome in (
            (known, "the side toward the room is taken"),
            (self.unknown, "the front is taken; Reverse Faces in SketchUp where the back is toward the room"),
        ):
            if pairs:
                listed = [f"{front!r} in front and {back!r} behind ({_faces(count)})" for (front, back), count in pairs.most_common(3)]
                more = f" and {len(pairs) - 3} more pairs" if len(pairs) > 3 else ""
                notes.append(f"materials of the two sides of faces differ: {', '.join(listed)}{more}: {outcome}")
        return notes

    def hidden_note(self) -> str:
        """The number of faces that are left out, and how to include them; empty where there are none."""
        if not self.left_out:
            return ""
        tags = sorted(tag for tag in self.left_out if tag is not None)
        why = [f"{self.left_out[None]} hidden or in hidden groups"] if None in self.left_out else []
        if tags:
            listed = ", ".join(repr(tag) for tag in tags[:5]) + (f" and {len(tags) - 5} more" if len(tags) > 5 else "")
            why.append(f"{sum(self.left_out[tag] for tag in tags)} on hidden tags ({listed})")
        return f"{_faces(self.left_out.total())} left out: {', '.join(why)}; make them visible in SketchUp and save to include them"

    def _is_hidden(self, itself: bool, tag: str | None, placed: Any = None) -> bool:
        """Whether a face is hidden, or the component that is placed; its faces are then counted."""
        if not itself and tag not in self.hidden:
            return False
        count = 1 if placed is None else self._size(placed)
        if count:
            self.left_out[None if itself else tag] += count
        return True

    def _size(self, definition: Any) -> int:
        """Faces of a definition, with those of the components in it."""
        if id(definition) not in self.sizes:
            self.sizes[id(definition)] = 0  # of one that contains itself
            inner = [self.definitions.get(instance.ref_idx) for instance in definition.instances]
            self.sizes[id(definition)] = len(definition.faces) + sum(self._size(one) for one in inner if one is not None)
        return self.sizes[id(definition)]

    def _material(self, key: int | None) -> str:
        return UNPAINTED if key is None else self.materials.get(key, UNPAINTED)

    def _ring(self, definition: Any, loop: Any) -> NDArray[np.float64]:
        """Corners of a loop of edges (identifier, whether it runs along), each once."""
        corners = []
        for number, along in loop:
            edge = definition.edges[number]
            vertex = definition.vertices[edge.v1_id if along > 0 else edge.v2_id]
            corners.append((vertex.x, vertex.y, vertex.z))
        return np.array(corners, dtype=float).reshape(-1, 3)


def _faces(count: int) -> str:
    return "1 face" if count == 1 else f"{count} faces"


def _matrix(values: Any) -> NDArray[np.float64]:
    """Nine numbers by rows, a translation, and a scale of the whole."""
    matrix = np.eye(4)
    if values is not None and len(values) >= 12:
        matrix[:3, :3] = np.reshape(values[:9], (3, 3))
        matrix[:3, 3] = values[9:12]
    return matrix
